package ffmpeg_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"moviola/adapters/render/ffmpeg"
	"moviola/adapters/render/ffmpeg/ffmpegtest"
	"moviola/internal/jail/jailtest"
)

func TestChoice(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"x264", "auto", "nvenc", "vaapi", " qsv"} {
		var c ffmpeg.Choice
		if err := c.Set(text); err != nil || c.String() != strings.TrimSpace(text) {
			t.Errorf("%q: %q, %v", text, c, err)
		}
	}
	var c ffmpeg.Choice
	if err := c.Set("h264_nvenc"); err == nil || !strings.Contains(err.Error(), "x264, auto, nvenc, vaapi and qsv") {
		t.Errorf("a name of ffmpeg: %v", err)
	}
}

func openWith(t *testing.T, cfg ffmpeg.Config) *ffmpeg.Tools {
	t.Helper()
	cfg.Jail = jailtest.New(t)
	tools, err := ffmpeg.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

// x264's version is the one that its streams tell.
func TestTools_Software(t *testing.T) {
	t.Parallel()
	e := openWith(t, ffmpeg.Config{}).Software()
	if !regexp.MustCompile(`^core \d+`).MatchString(e.Version()) || e.Name() != "x264" || e.Hardware() || len(e.Devices()) > 0 {
		t.Errorf("%s %q, devices %q", e.Name(), e.Version(), e.Devices())
	}
}

// A card that works is found by a trial encode, with its driver and with its own node only.
func TestTools_FindEncoder(t *testing.T) {
	t.Parallel()
	for _, choice := range []ffmpeg.Choice{ffmpeg.VAAPI, ffmpeg.Auto} {
		e, err := openWith(t, ffmpegtest.Card(t, "")).FindEncoder(t.Context(), choice)
		if err != nil || e.Name() != "vaapi" || !e.Hardware() || e.Version() != strings.TrimSuffix(ffmpegtest.Driver, ".") ||
			!slices.Equal(e.Devices(), []string{"/dev/zero"}) {
			t.Errorf("%s: %s %q, %q, %v", choice, e.Name(), e.Version(), e.Devices(), err)
		}
	}
}

// An encoder that does not work here leaves the movies to x264, and says why.
func TestTools_FindEncoder_fallsBack(t *testing.T) {
	t.Parallel()
	nodes := t.TempDir() // nodes of the system that are no cards
	for _, name := range []string{"nvidiactl", "nvidia0", "dri/renderD128"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(nodes, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("/dev/zero", filepath.Join(nodes, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, test := range map[string]struct {
		choice ffmpeg.Choice
		cfg    ffmpeg.Config
		why    []string
	}{
		"asked for nothing":      {ffmpeg.X264, ffmpeg.Config{Dev: nodes}, nil},
		"no nodes":               {ffmpeg.Auto, ffmpeg.Config{Dev: t.TempDir()}, []string{"nvenc: there is no device node /dev/nvidiactl", "qsv: ", "vaapi: there is no device node /dev/dri/renderD*"}},
		"no card, real ffmpeg":   {ffmpeg.VAAPI, ffmpeg.Config{Dev: nodes}, []string{"vaapi with /dev/zero: the trial failed: "}},
		"no driver, real ffmpeg": {ffmpeg.NVENC, ffmpeg.Config{Dev: nodes}, []string{"nvenc with /dev/zero, /dev/zero: the trial failed: "}},
		"qsv, real ffmpeg":       {ffmpeg.QSV, ffmpeg.Config{Dev: nodes}, []string{"qsv with /dev/zero: the trial failed: "}},
		"a card that fails":      {ffmpeg.VAAPI, ffmpegtest.Card(t, `echo "out of surfaces" >&2; exit 1`), []string{"vaapi with /dev/zero: the trial failed: ", "out of surfaces"}},
		"nothing written":        {ffmpeg.VAAPI, ffmpegtest.Card(t, "exit 0"), []string{"wrote no H.264"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tools := openWith(t, test.cfg)
			e, err := tools.FindEncoder(t.Context(), test.choice)
			if e.Name() != "x264" || e.Version() != tools.Software().Version() || (err == nil) != (test.why == nil) {
				t.Errorf("%s %q: %v", e.Name(), e.Version(), err)
			}
			for _, part := range test.why {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("it does not say %q: %v", part, err)
				}
			}
		})
	}
}
