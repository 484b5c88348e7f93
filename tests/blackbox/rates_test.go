package blackbox_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"moviola/domain/document"
	"moviola/domain/template/library"
	"moviola/tests/harness"
)

// TestRates renders templates of the library at other frame rates than their own, and measures the files. By default one of them at one frame a
// second; with MOVIOLA_TEST_LONG all of them, at all rates that people use.
func TestRates(t *testing.T) {
	t.Parallel()
	photographs := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(harness.Root(t), "third_party", "photographs"))))
	t.Cleanup(photographs.Close)
	all, err := library.All()
	if err != nil {
		t.Fatal(err)
	}
	rates := map[string][]float64{"before-after": {1}}
	if os.Getenv("MOVIOLA_TEST_LONG") != "" {
		for _, one := range all {
			rates[one.Slug] = []float64{1, 4, 10, 12, 24, 29.97, 60}
		}
	}
	for _, one := range all {
		for _, fps := range rates[one.Slug] {
			t.Run(fmt.Sprintf("%s at %g fps", one.Slug, fps), func(t *testing.T) {
				renderAtRate(t, photographs.URL, one, fps)
			})
		}
	}
}

// renderAtRate renders a template as the command line does, and measures the file: it has the frames of its length, evenly spaced.
func renderAtRate(t *testing.T, photographs string, one library.Template, fps float64) {
	var doc object
	if err := json.Unmarshal(one.At(photographs+"/"), &doc); err != nil {
		t.Fatal(err)
	}
	doc["fps"] = fps
	raw, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file, out := filepath.Join(dir, "movie.json"), filepath.Join(dir, "movie.mp4")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), harness.Binary(t), "render", "--fonts-url", "",
		"--allow-host", strings.TrimPrefix(photographs, "http://"), file, "-o", out)
	if said, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	m, err := document.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	least := m.FPS.Frame(document.Time(m, func(string) (document.Seconds, bool) { return document.SecondsOfFloat(0), true }).Length)
	spoken := slices.Contains(speaking, one.Slug)
	video := harness.ProbeFile(t, out).Streams[0]
	frames, err := strconv.ParseInt(video.Frames, 10, 64)
	if err != nil || frames < least || frames > least && !spoken {
		t.Errorf("%s frames, want %d (more is spoken: %v)", video.Frames, least, spoken)
	}
	if length, err := strconv.ParseFloat(video.Duration, 64); err != nil || math.Abs(length-float64(frames)/fps) > 0.002 {
		t.Errorf("%s s of %d frames", video.Duration, frames)
	}
}

// speaking are the templates whose length follows from what is spoken.
var speaking = []string{"vertical-story", "podcast-audiogram"}
