package bench_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

type object = map[string]any

// reel is the media that movies are measured with, made by the script in hand, and a server of it.
type reel struct {
	b    *testing.B
	dir  string
	url  string
	host string
}

// inputsEnv names the variable that holds a folder in which the inputs are kept from one run to the next.
const inputsEnv = "MOVIOLA_BENCH_INPUTS"

func newReel(b *testing.B) *reel {
	b.Helper()
	r := &reel{b: b, dir: os.Getenv(inputsEnv)}
	if r.dir == "" {
		r.dir = b.TempDir()
	}
	if _, err := os.Stat(r.path("moving.html")); err != nil {
		r.shell("inputs.sh", nil, r.dir)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(r.dir)))
	b.Cleanup(server.Close)
	r.url, r.host = server.URL+"/", strings.TrimPrefix(server.URL, "http://")
	return r
}

func (r *reel) path(name string) string { return filepath.Join(r.dir, name) }

// shell runs a script of the folder hand, as low in priority as the service runs its encoders, and returns what it prints.
func (r *reel) shell(script string, env []string, args ...string) string {
	r.b.Helper()
	cmd := exec.CommandContext(context.Background(), "nice", append([]string{"-n", "10", "bash", script}, args...)...)
	cmd.Dir, cmd.Env = "hand", append(append(os.Environ(), "IN="+r.dir), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.b.Fatalf("%s %v: %v\n%s", script, args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// words is a text element in a box, drawn as the script draws it.
type words struct {
	text       string
	x, y, w, h int
}

func (w words) element() object {
	return object{"type": "text", "text": w.text, "x": w.x, "y": w.y, "width": w.w, "height": w.h,
		"settings": object{"font-family": "Inter", "font-size": "80px", "background-color": "rgba(0,0,0,0.5)",
			"text-align": "center", "vertical-position": "center"}}
}

func movieOf(scenes []object, elements ...object) object {
	movie := object{"resolution": "full-hd", "fps": 30, "quality": "medium", "scenes": scenes}
	if len(elements) > 0 {
		movie["elements"] = elements
	}
	return movie
}

// standard is the movie that engines are compared by: 12 s of 1080p at 30 fps in three scenes. A photograph with a slow zoom and a title, a
// clip with a lower third that fades, a colour with a card; music over all.
func (r *reel) standard() object {
	lower := words{"A lower third", 100, 800, 1032, 200}.element()
	lower["start"], lower["duration"], lower["fade-in"], lower["fade-out"] = 0.5, 3, 0.5, 0.5
	return movieOf([]object{
		{"duration": 4, "elements": []object{
			{"type": "image", "src": r.url + "photo.png", "resize": "cover", "zoom": 1.5}, words{"The standard movie", 444, 400, 1032, 280}.element(),
		}},
		{"duration": 4, "elements": []object{{"type": "video", "src": r.url + "clip.mp4", "resize": "cover", "muted": true}, lower}},
		{"duration": 4, "background-color": "#1e3a8a", "elements": []object{words{"A card", 444, 346, 1032, 388}.element()}},
	}, object{"type": "audio", "src": r.url + "music.wav", "duration": -2})
}

func (r *reel) textSlides() object {
	var scenes []object
	for i := range 4 {
		scenes = append(scenes, object{"duration": 4, "background-color": "#1e3a8a",
			"elements": []object{words{"Text slide " + strconv.Itoa(i+1), 444, 400, 1032, 280}.element()}})
	}
	return movieOf(scenes)
}

// photographs are a slideshow: so many pictures, with what each has besides.
func (r *reel) photographs(n int, seconds float64, with object) object {
	var scenes []object
	for i := range n {
		image := object{"type": "image", "src": r.url + "photo" + strconv.Itoa(i) + ".jpg", "resize": "cover"}
		for name, value := range with {
			image[name] = value
		}
		scenes = append(scenes, object{"duration": seconds, "elements": []object{image}})
	}
	return movieOf(scenes)
}

// pieces are twelve times half a second of one clip.
func (r *reel) pieces() object {
	var scenes []object
	for i := range 12 {
		scenes = append(scenes, object{"duration": 0.5, "elements": []object{
			{"type": "video", "src": r.url + "clip.mp4", "resize": "cover", "muted": true, "seek": float64(i*5%12*12) / 30}}})
	}
	return movieOf(scenes)
}

func (r *reel) captions(style string) object {
	return object{"type": "subtitles", "captions": r.url + "captions.srt", "settings": object{"style": style, "font-family": "Inter", "font-size": 60}}
}

func (r *reel) captioned() object {
	return movieOf([]object{{"duration": 30, "elements": []object{{"type": "video", "src": r.url + "clip30.mp4", "resize": "cover"}}}}, r.captions("classic"))
}

func (r *reel) podcast(seconds int, style string) object {
	return movieOf([]object{{"duration": seconds, "elements": []object{
		{"type": "image", "src": r.url + "photo3.jpg", "resize": "cover"}, {"type": "audio", "src": r.url + "voice.m4a", "duration": -2},
	}}}, r.captions(style))
}

func (r *reel) page(file string, seconds float64, with object) object {
	r.b.Helper()
	html, err := os.ReadFile(r.path(file))
	if err != nil {
		r.b.Fatal(err)
	}
	element := object{"type": "html", "html": string(html)}
	for name, value := range with {
		element[name] = value
	}
	return movieOf([]object{{"duration": seconds, "elements": []object{element}}})
}

func (r *reel) transitions() object {
	movie := r.photographs(3, 2, nil)
	for i, style := range []string{"", "wipeleft", "fade"} {
		if style != "" {
			movie["scenes"].([]object)[i]["transition"] = object{"style": style, "duration": 0.5}
		}
	}
	return movie
}

// slides are ten scenes of three seconds: a picture that comes nearer, and a caption.
func (r *reel) slides(fourth string) object {
	var scenes []object
	for i := range 10 {
		caption := "Slide number " + strconv.Itoa(i+1)
		if i == 3 {
			caption = fourth
		}
		scenes = append(scenes, object{"duration": 3, "elements": []object{
			{"type": "image", "src": r.url + "photo.png", "resize": "cover", "zoom": 1 + 0.2*float64(i)},
			words{caption, 444, 760, 1032, 200}.element(),
		}})
	}
	return movieOf(scenes, object{"type": "audio", "src": r.url + "music.wav", "duration": -2})
}
