package blackbox_test

import (
	"fmt"
	"image/color"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/image/font/gofont/goregular"

	"moviola/tests/harness"
)

// origin serves files until it is down; then it answers 503 to everything.
type origin struct {
	*httptest.Server
	down  atomic.Bool
	asked atomic.Int64
}

func newOrigin(t *testing.T) *origin {
	t.Helper()
	dir := t.TempDir()
	harness.WritePNG(t, filepath.Join(dir, "image.png"), 64, 64, color.Gray{Y: 200}, color.Gray{Y: 100})
	harness.WritePNG(t, filepath.Join(dir, "ahead.png"), 64, 64, color.Gray{Y: 50}, color.Gray{Y: 150})
	harness.RunFFmpeg(t, "-f", "lavfi", "-i", "testsrc=size=64x64:rate=25:duration=1", "-pix_fmt", "yuv420p", filepath.Join(dir, "video.mp4"))
	harness.RunFFmpeg(t, "-f", "lavfi", "-i", "sine=duration=1", filepath.Join(dir, "sound.wav"))
	for name, content := range map[string]string{
		"captions.srt": "1\n00:00:00,000 --> 00:00:01,000\nHello\n",
		"page.html":    `<body style="margin:0;background:#0a0">page</body>`,
		"drawing.svg":  `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16"><rect width="16" height="16" fill="#a00"/></svg>`,
		"font.ttf":     string(goregular.TTF),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o, files := &origin{}, http.FileServer(http.Dir(dir))
	o.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.asked.Add(1)
		if o.down.Load() {
			http.Error(w, "down", http.StatusServiceUnavailable)
			return
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(o.Close)
	return o
}

// movie shows everything that the origin has, and a colour of its own.
func (o *origin) movie(background string) object {
	at := func(name string) string { return o.URL + "/" + name }
	element := func(kind string, more object) object {
		more["type"], more["duration"] = kind, 1
		return more
	}
	return object{"resolution": "custom", "width": 64, "height": 64, "scenes": []any{object{
		"duration": 1, "background-color": background, "elements": []any{
			element("image", object{"src": at("image.png"), "width": 16}),
			element("image", object{"src": at("drawing.svg"), "width": 16}),
			element("video", object{"src": at("video.mp4"), "width": 16}),
			element("audio", object{"src": at("sound.wav")}),
			element("html", object{"src": at("page.html"), "width": 16, "height": 16}),
			element("text", object{"text": "x", "settings": object{"font-url": at("font.ttf")}}),
		},
	}}, "elements": []any{object{"type": "subtitles", "captions": at("captions.srt")}}}
}

// TestOriginDown: what an account has fetched once, in a movie or a preload, is used without its server. Decision 51.
func TestOriginDown(t *testing.T) {
	t.Parallel()
	o := newOrigin(t)
	service := harness.NewService(t, "--allow-host", strings.TrimPrefix(o.URL, "http://"))
	service.StartAPI()
	client := service.NewAccount("origin", 600)
	var batch struct {
		ID     string `json:"preload_id"`
		Status string
	}
	client.Do("POST", "/preloads", fmt.Appendf(nil, `{"preload":[{"id":"ahead","type":"image","src":"%s/ahead.png"}]}`, o.URL)).Into(t, &batch)
	harness.Eventually(t, "the batch is done", func() bool {
		client.Do("GET", "/preloads/"+batch.ID, nil).Into(t, &batch)
		return batch.Status == "done"
	})
	client.WaitFor(client.Submit(o.movie("#000000")), "done")
	o.down.Store(true)
	before := o.asked.Load()
	other := o.movie("#ffffff")
	for name, movie := range map[string]object{
		"an identical movie":        o.movie("#000000"),
		"a movie of a preload":      {"resolution": "custom", "width": 64, "height": 64, "scenes": []any{object{"elements": []any{object{"type": "image", "src": o.URL + "/ahead.png", "duration": 1}}}}},
		"another movie of the same": other,
		"one that is drawn anew":    withProperty(o.movie("#000000"), "cache", false),
	} {
		t.Run(name, func(t *testing.T) { client.WaitFor(client.Submit(movie), "done") })
	}
	if asked := o.asked.Load(); asked != before {
		t.Errorf("the origin was asked %d times", asked-before)
	}
	first, _ := other["scenes"].([]any)[0].(object)["elements"].([]any)[0].(object)
	first["cache"] = false
	if failed := client.WaitFor(client.Submit(other), "error"); !strings.Contains(failed.Message, "image.png' (503)") {
		t.Errorf("an element that asks again: %s", failed.Message)
	}
	stranger := service.NewAccount("stranger", 600)
	if failed := stranger.WaitFor(stranger.Submit(o.movie("#000000")), "error"); !strings.Contains(failed.Message, "(503)") {
		t.Errorf("another account: %s", failed.Message)
	}
}

func withProperty(movie object, key string, value any) object {
	movie[key] = value
	return movie
}
