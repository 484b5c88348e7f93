package harness

import (
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// StandIns is a web server that answers every path with a medium of the kind that its extension names: a picture, a clip or a
// sound. It replaces the hosts that real movies name.
type StandIns struct {
	URL  string
	Host string
}

// NewStandIns makes the media and serves them. A path without a known extension is answered with a picture.
func NewStandIns(t testing.TB) *StandIns {
	t.Helper()
	dir := t.TempDir()
	writeJPEG(t, filepath.Join(dir, "picture.jpg"), 1600, 1067)
	ffmpeg(t, "-i", filepath.Join(dir, "picture.jpg"), filepath.Join(dir, "picture.webp"))
	ffmpeg(t, "-f", "lavfi", "-i", "testsrc2=size=1280x720:rate=25:duration=6", "-f", "lavfi", "-i", "sine=frequency=330:duration=6",
		"-pix_fmt", "yuv420p", "-shortest", filepath.Join(dir, "clip.mp4"))
	ffmpeg(t, "-f", "lavfi", "-i", "sine=frequency=440:duration=20", filepath.Join(dir, "sound.mp3"))
	files := map[string]string{".webp": "picture.webp", ".mp4": "clip.mp4", ".mp3": "sound.mp3"}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, ok := files[strings.ToLower(path.Ext(r.URL.Path))]
		if !ok {
			name = "picture.jpg"
		}
		http.ServeFile(w, r, filepath.Join(dir, name))
	}))
	t.Cleanup(srv.Close)
	return &StandIns{URL: srv.URL, Host: strings.TrimPrefix(srv.URL, "http://")}
}

// writeJPEG draws a picture with soft gradients and rings, which shows where it was cropped and how it was scaled.
func writeJPEG(t testing.TB, file string, w, h int) {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			ring := 0.5 + 0.5*math.Cos(math.Hypot(float64(x-w/2), float64(y-h/2))/24)
			img.SetRGBA(x, y, color.RGBA{R: uint8(60 + 150*x/w), G: uint8(70 + 60*ring), B: uint8(200 - 140*y/h), A: 255})
		}
	}
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := jpeg.Encode(out, img, &jpeg.Options{Quality: 88}); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}
