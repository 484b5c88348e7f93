package blackbox_test

import (
	"bytes"
	"fmt"
	"image"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"moviola/tests/harness"
)

// TestFonts: a family that is neither installed nor shipped is fetched from the service that the operator names, once, before the movie is
// rendered, and is what is drawn. The doctor tells whether the service answers.
func TestFonts(t *testing.T) {
	t.Parallel()
	woff2, err := os.ReadFile(filepath.Join(harness.Root(t), "third_party", "fonts", "testdata", "anton-latin-400-normal.woff2"))
	if err != nil {
		t.Fatal(err)
	}
	var sheets, files atomic.Int64
	mux := http.NewServeMux()
	mux.HandleFunc("GET /css2", func(w http.ResponseWriter, r *http.Request) {
		sheets.Add(1)
		if name, _, _ := strings.Cut(r.URL.Query().Get("family"), ":"); name != "Only Fetched" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		_, _ = fmt.Fprint(w, "@font-face { font-family: 'Only Fetched'; font-weight: 400; src: url(/only.woff2) format('woff2') }")
	})
	mux.HandleFunc("GET /only.woff2", func(w http.ResponseWriter, _ *http.Request) {
		files.Add(1)
		_, _ = w.Write(woff2)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	host := strings.TrimPrefix(server.URL, "http://")

	service := harness.NewService(t, "--fonts-url", server.URL+"/css2", "--allow-host", host)
	service.StartAPI()
	client := service.NewAccount("fonts", 600)
	drawn := func(family string) image.Image {
		t.Helper()
		movie := client.WaitFor(client.Submit(object{"resolution": "custom", "width": 320, "height": 120, "scenes": []any{object{"duration": 1, "elements": []any{
			object{"type": "text", "text": "Hamburg", "settings": object{"font-family": family, "font-size": "60px", "color": "white"}},
		}}}}), "done")
		if len(movie.Warnings) > 0 {
			t.Errorf("%s: %q", family, movie.Warnings)
		}
		path := filepath.Join(t.TempDir(), "movie.mp4")
		if err := os.WriteFile(path, client.Download(*movie.URL, nil).Body, 0o600); err != nil {
			t.Fatal(err)
		}
		return harness.Frame(t, path, 0.9)
	}
	shipped, fetched := drawn("Anton"), drawn("Only Fetched")
	if asked, sent := sheets.Load(), files.Load(); asked == 0 || sent != 1 {
		t.Errorf("%d style sheets and %d files were asked for", asked, sent)
	}
	if !bytes.Equal(pixels(shipped), pixels(fetched)) {
		t.Error("the family that was fetched is drawn otherwise than the same font that is shipped")
	}
	asked := sheets.Load()
	drawn("Only Fetched")
	if sheets.Load() != asked || files.Load() != 1 {
		t.Error("the family was asked for again")
	}

	for want, args := range map[string][]string{
		"reachable":       {"--fonts-url", server.URL + "/css2", "--allow-host", host},
		"does not answer": {"--fonts-url", server.URL + "/css2"}, // its address is not public
		"off":             {"--fonts-url", ""},
	} {
		said, _ := exec.CommandContext(t.Context(), harness.Binary(t), append([]string{"doctor"}, args...)...).CombinedOutput() // other things may be missing
		if line := lineOf(string(said), "font service"); !strings.Contains(line, want) {
			t.Errorf("the doctor says %q, want %q", line, want)
		}
	}
}

// lineOf is the line of an output that begins with a word.
func lineOf(output, word string) string {
	for line := range strings.Lines(output) {
		if strings.HasPrefix(line, word) {
			return line
		}
	}
	return ""
}

// pixels are the colours of a picture.
func pixels(img image.Image) (all []byte) {
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			r, g, b, _ := img.At(x, y).RGBA()
			all = append(all, byte(r>>8), byte(g>>8), byte(b>>8))
		}
	}
	return all
}
