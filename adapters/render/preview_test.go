//go:build !race

package render_test

import (
	"context"
	"encoding/json"
	"image"
	"image/color"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"moviola/adapters/render"
	"moviola/commands"
	"moviola/commands/previews"
)

// showcase is a movie in which everything moves that a preview must find its moment of: a picture that zooms, a clip, a title that fades,
// captions and a transition.
func showcase(b *bench) object {
	b.paint("red.png", 320, 240, color.NRGBA{200, 30, 30, 255})
	b.generate("clip.mp4", "-f", "lavfi", "-i", "testsrc2=s=320x240:r=25:d=3", "-c:v", "libx264", "-pix_fmt", "yuv420p")
	return object{
		"width": 320, "height": 240, "fps": 25,
		"elements": []object{{"type": "subtitles", "captions": "1\n00:00:00,500 --> 00:00:04,000\nhello there\n"}},
		"scenes": []object{
			{"duration": 2, "elements": []object{
				{"type": "image", "src": "http://x.test/red.png", "zoom": 4},
				{"type": "text", "text": "title", "width": 100, "height": 40, "x": 20, "y": 20, "fade-in": 1, "settings": object{"color": "#00ff00"}},
			}},
			{"transition": object{"style": "wipeleft", "duration": 1}, "elements": []object{
				{"type": "video", "src": "http://x.test/clip.mp4", "seek": 0.4, "duration": 2},
			}},
		},
	}
}

func previewOf(b *bench, doc object, fetch bool, moments ...float64) previews.Drawn {
	b.t.Helper()
	raw, err := json.Marshal(doc)
	if err != nil {
		b.t.Fatal(err)
	}
	drawn, err := b.Stills(b.t.Context(), previews.Job{Account: "account", Document: raw, Moments: moments, Fetch: fetch, MaxSide: 1280, Now: time.Now()})
	if err != nil {
		b.t.Fatal(err)
	}
	return drawn
}

// Decision 70: a preview shows what the frame of the movie will.
func TestEngine_Stills(t *testing.T) {
	t.Parallel()
	b := newStage(t).bench
	doc := showcase(b)
	moments := []float64{0, 0.2, 0.6, 1, 1.3, 1.5, 1.9, 2, 2.4, 2.96}
	drawn := previewOf(b, doc, true, moments...)
	made := b.mustRender(doc)
	if drawn.Frames != made.Plan.Frames || drawn.Width != 320 || drawn.Height != 240 || len(drawn.Missing) != 0 {
		t.Errorf("drawn: %d frames of %d × %d, missing %q; the movie has %d", drawn.Frames, drawn.Width, drawn.Height, drawn.Missing, made.Plan.Frames)
	}
	if len(drawn.Pictures) != len(moments) {
		t.Fatalf("%d pictures of %d moments", len(drawn.Pictures), len(moments))
	}
	for i, p := range drawn.Pictures {
		if ink(p.Image.(*image.NRGBA), image.Rect(260, 220, 320, 240)) == 0 {
			t.Errorf("frame %d is not marked as a preview", p.Frame)
		}
		want := frame(t, made.Movie, int(p.Frame))
		if d := distance(p.Image, want); d > 4 {
			t.Errorf("at %g s, frame %d, the preview differs from the movie by %.2f of 255", moments[i], p.Frame, d)
		}
	}
}

// distance is the mean difference of two pictures of one size, in levels of a channel, without the corner that says that one is a preview.
func distance(a, b image.Image) float64 {
	sum := 0.0
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			if x > 255 && y > 215 {
				continue
			}
			c, d := color.NRGBAModel.Convert(a.At(x, y)).(color.NRGBA), color.NRGBAModel.Convert(b.At(x, y)).(color.NRGBA)
			for _, pair := range [][2]uint8{{c.R, d.R}, {c.G, d.G}, {c.B, d.B}} {
				sum += float64(max(pair[0], pair[1]) - min(pair[0], pair[1]))
			}
		}
	}
	return sum / float64(3*a.Bounds().Dx()*a.Bounds().Dy())
}

// What is not at hand has a placeholder, and nobody is asked for it.
func TestEngine_Stills_missing(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	b := s.bench
	doc := object{"width": 320, "height": 240, "scenes": []object{{"elements": []object{
		{"type": "image", "src": "http://x.test/away.png", "duration": 2},
		{"type": "video", "src": "http://x.test/film.mp4"},
		{"type": "audio", "src": "http://x.test/song.mp3"},
		{"type": "voice", "text": "hello"},
		{"type": "image", "prompt": "a cat", "duration": 1},
		{"type": "html", "src": "http://x.test/page", "duration": 1},
		{"type": "text", "text": "hi", "duration": 1, "settings": object{"font-url": "http://x.test/a.ttf"}},
	}}}, "elements": []object{{"type": "subtitles"}}}
	drawn := previewOf(b, doc, false, 0.5)
	if n := b.media.fetched.Load(); n != 0 {
		t.Errorf("%d sources were fetched", n)
	}
	all := strings.Join(drawn.Missing, "\n")
	for _, want := range []string{"away.png", "film.mp4", "song.mp3", "the voice", "the generated image", "captions of the sound"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not among what is missing:\n%s", want, all)
		}
	}
	if s.ear.heard.Load() != 0 {
		t.Error("the sound of a preview was heard by a provider")
	}
	requireColor(t, "the placeholder", frameOf(drawn), 8, 8, [3]int{0x3a, 0x3f, 0x4b}, 6)
	again := previewOf(b, doc, true, 0.5)
	if b.media.fetched.Load() == 0 || !strings.Contains(strings.Join(again.Missing, "\n"), "404") {
		t.Errorf("with fetch: %d fetched, missing %q", b.media.fetched.Load(), again.Missing)
	}
}

// spoken is a voice that costs nothing.
type spoken struct{ reader }

func (spoken) AtHand(context.Context, commands.SpeechRequest) bool { return true }

// Captions that are not there are left out, whatever is spoken, and nothing is asked of what a preload will have made.
func TestEngine_Stills_unmade(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	drawer, err := realText()
	if err != nil {
		t.Fatal(err)
	}
	s.Engine, err = render.New(render.Config{
		Dir: s.dir, Tools: s.media.tools, Fetcher: s.media, Text: drawer, Cores: 2, Log: quiet(), Pages: s.pages,
		Speaker: spoken{reader{filepath.Join(s.media.dir, "voice.wav")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	doc := object{
		"width": 320, "height": 240, "preload": []object{{"id": "pic", "type": "html", "html": "<p>x</p>", "width": 64, "height": 64}},
		"scenes":   []object{{"elements": []object{{"type": "voice", "text": "hello there"}, {"type": "html", "src": "{{pic_webURL}}", "duration": 1}}}},
		"elements": []object{{"type": "subtitles", "captions": "http://x.test/away.srt"}},
	}
	for _, fetch := range []bool{false, true} {
		drawn := previewOf(s.bench, doc, fetch, 0.5)
		all := strings.Join(drawn.Missing, "\n")
		if !strings.Contains(all, "away.srt") || !strings.Contains(all, "the page is not loaded yet") || strings.Contains(all, "of the sound") {
			t.Errorf("fetch %v: missing %q", fetch, drawn.Missing)
		}
		requireColor(t, "the placeholder of the page", frameOf(drawn), 8, 8, [3]int{0x3a, 0x3f, 0x4b}, 6)
	}
}

func frameOf(d previews.Drawn) *image.NRGBA { return d.Pictures[0].Image.(*image.NRGBA) }

// ink counts the pixels of a part of a picture that have the colour of a preview's mark.
func ink(img *image.NRGBA, part image.Rectangle) int {
	n := 0
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			if c := img.NRGBAAt(x, y); c.R > 0xb0 && c.R < 0xe0 && c.B > c.R {
				n++
			}
		}
	}
	return n
}
