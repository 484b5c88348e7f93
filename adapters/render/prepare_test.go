package render_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/adapters/render"
	"moviola/commands"
	"moviola/domain"
	"moviola/domain/preload"
	"moviola/domain/timeline"
	"moviola/internal/drawing/text"
)

// onePage draws every page in one colour, half clear.
type onePage struct{}

func (onePage) Still(_ context.Context, _ timeline.Page, w, h int) (*image.NRGBA, error) {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := 0; i < len(img.Pix); i += 4 {
		copy(img.Pix[i:], []byte{200, 100, 50, 128})
	}
	return img, nil
}

func (p onePage) Drawing(ctx context.Context, _ []byte, v timeline.DrawingView) (*image.NRGBA, error) {
	return p.Still(ctx, timeline.Page{}, v.W, v.H)
}

func (p onePage) Frames(ctx context.Context, page timeline.Page, w, h int, _ timeline.Rate, n int64, yield func(int64, *image.NRGBA) error) error {
	for i := range n {
		img, err := p.Still(ctx, page, w, h)
		if err != nil {
			return err
		}
		if err := yield(i, img); err != nil {
			return err
		}
	}
	return nil
}

// prepareBench is an engine that also draws pages and components.
func prepareBench(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	words, err := text.NewEngine(t.TempDir(), quiet())
	if err != nil {
		t.Fatal(err)
	}
	b.Engine, err = render.New(render.Config{Dir: b.dir, Tools: b.media.tools, Fetcher: b.media, Text: words, Pages: onePage{}, Cores: 2, Log: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Decision 46; spec: Preload item result, webURL. It is there only where a browser cannot decode the source, WebM with transparency, MP4 without.
func TestEngine_Prepare(t *testing.T) {
	t.Parallel()
	b := prepareBench(t)
	source := []string{"-f", "lavfi", "-i", "testsrc=size=64x48:rate=25:duration=0.4"}
	b.paint("p.png", 30, 20, color.NRGBA{R: 200, A: 255})
	b.generate("plain.mp4", append(source, "-c:v", "libx264", "-pix_fmt", "yuv420p")...)
	b.generate("old.mp4", append(source, "-c:v", "mpeg4")...)
	sound := []string{"-f", "lavfi", "-i", "sine=duration=0.4"}
	b.generate("hevc.mp4", append(source, "-c:v", "libx265", "-x265-params", "log-level=error", "-pix_fmt", "yuv420p")...)
	b.generate("apple.mov", append(source, "-c:v", "libx264", "-pix_fmt", "yuv420p")...)
	b.generate("film.wmv", append(source, "-c:v", "wmv2")...)
	b.generate("film.mkv", append(source, "-c:v", "libx264", "-pix_fmt", "yuv420p")...)
	b.generate("film.ogv", append(source, "-c:v", "libtheora")...)
	b.generate("sound.wma", append(sound, "-c:a", "wmav2")...)
	b.generate("sound.mka", append(sound, "-c:a", "aac")...)
	b.generate("sound.webm", append(sound, "-c:a", "libopus")...)
	b.generate("sound.m4a", append(sound, "-c:a", "aac")...)
	b.generate("deep.mp4", append(source, "-c:v", "libx264", "-pix_fmt", "yuv422p10le")...)
	b.generate("clear.mov", append(source, "-c:v", "prores_ks", "-profile:v", "4444", "-pix_fmt", "yuva444p10le")...)
	b.generate("dull.tiff", "-f", "lavfi", "-i", "testsrc=size=63x48", "-frames:v", "1", "-pix_fmt", "rgb24")
	b.generate("clear.tiff", "-f", "lavfi", "-i", "color=c=red@0.5:size=64x48,format=rgba", "-frames:v", "1", "-pix_fmt", "rgba")
	tests := map[string]struct {
		kind       preload.Type
		properties object
		extension  string
		web        string
		width      int
		generated  bool
		fault      string
	}{
		"a picture":      {kind: preload.Image, properties: object{"src": "p.png"}, extension: ".png", width: 30},
		"a dull TIFF":    {kind: preload.Image, properties: object{"src": "dull.tiff"}, extension: ".tiff", web: ".mp4", width: 63},
		"a clear TIFF":   {kind: preload.Image, properties: object{"src": "clear.tiff"}, extension: ".tiff", web: ".webm", width: 64},
		"an H.264 film":  {kind: preload.Video, properties: object{"src": "plain.mp4"}, extension: ".mp4", width: 64},
		"an MPEG-4 film": {kind: preload.Video, properties: object{"src": "old.mp4"}, extension: ".mp4", web: ".mp4", width: 64},
		"HEVC":           {kind: preload.Video, properties: object{"src": "hevc.mp4"}, extension: ".mp4", web: ".mp4", width: 64},
		"QuickTime":      {kind: preload.Video, properties: object{"src": "apple.mov"}, extension: ".mov", width: 64},
		"Windows Media":  {kind: preload.Video, properties: object{"src": "film.wmv"}, extension: ".wmv", web: ".mp4", width: 64},
		"Matroska":       {kind: preload.Video, properties: object{"src": "film.mkv"}, extension: ".mkv", web: ".mp4", width: 64},
		"Theora":         {kind: preload.Video, properties: object{"src": "film.ogv"}, extension: ".ogv", web: ".mp4", width: 64},
		"a WMA sound":    {kind: preload.Audio, properties: object{"src": "sound.wma"}, extension: ".wma", web: ".mp4"},
		"AAC in MKA":     {kind: preload.Audio, properties: object{"src": "sound.mka"}, extension: ".mka", web: ".mp4"},
		"Opus in WebM":   {kind: preload.Audio, properties: object{"src": "sound.webm"}, extension: ".webm"},
		"an M4A sound":   {kind: preload.Audio, properties: object{"src": "sound.m4a"}, extension: ".m4a"},
		"ten bits":       {kind: preload.Video, properties: object{"src": "deep.mp4"}, extension: ".mp4", web: ".mp4", width: 64},
		"a clear film":   {kind: preload.Video, properties: object{"src": "clear.mov"}, extension: ".mov", web: ".webm", width: 64},
		"a page":         {kind: preload.HTML, properties: object{"html": "x", "width": 80.0, "height": 40.0, "x": 9.0}, extension: ".png", width: 80, generated: true},
		"a component":    {kind: preload.Component, properties: object{"component": "basic/001", "width": 160.0, "height": 90.0, "duration": 1.0}, extension: ".mov", web: ".webm", width: 160, generated: true},
		"without src":    {kind: preload.Image, properties: object{}, fault: "The element type 'image' requires a 'src' property."},
		"no picture":     {kind: preload.Image, properties: object{"src": "plain.mp4"}, fault: "The URL provided is not an image file and cannot be used as a source for an image element"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.properties["type"] = string(tt.kind)
			job := commands.PrepareJob{Account: "a", Batch: name, Attempt: 1, Item: preload.Wanted{Item: preload.Item{ID: "i", Type: tt.kind}, Properties: tt.properties}}
			got, err := b.Prepare(t.Context(), job)
			var fault *domain.Error
			if tt.fault != "" {
				if !errors.As(err, &fault) || fault.Message != tt.fault {
					t.Errorf("error %v, want %s", err, tt.fault)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(got.Path)
			if err != nil || info.Size() != got.Size {
				t.Errorf("%d bytes, %v; said %d", info.Size(), err, got.Size)
			}
			facts := []any{got.Extension, got.WebExtension, got.Width, got.Generated, got.Web != "" && filepath.Ext(got.Web) == got.WebExtension}
			if diff := cmp.Diff([]any{tt.extension, tt.web, tt.width, tt.generated, tt.web != ""}, facts); diff != "" {
				t.Errorf("asset (-want +got):\n%s", diff)
			}
			got.Close()
			if _, err := os.Stat(got.Path); err == nil {
				t.Error("working files stay")
			}
		})
	}
}

// An element is kept wherever it is shown: in the scene that a transition leaves, and above a transition, too.
func TestRender_keepsWhatATransitionShows(t *testing.T) {
	t.Parallel()
	b := prepareBench(t)
	page := func(id string, start float64) object {
		return object{"type": "html", "id": id, "html": "<b>x</b>", "width": 60, "height": 40, "start": start, "duration": 0.2, "save-to-media": true}
	}
	job := b.job(object{
		"width": 64, "height": 50, "fps": 10, "elements": []any{page("above", 0.8)},
		"scenes": []any{
			object{"duration": 1.2, "elements": []any{page("leaving", 0.8), page("before", 0)}},
			object{"duration": 1.2, "transition": object{"style": "fade", "duration": 0.6}, "elements": []any{page("entering", 0.2)}},
		},
	})
	var kept []string
	job.Keep = func(_ context.Context, name string, _ int, _ commands.Prepared) error {
		kept = append(kept, name)
		return nil
	}
	out, err := b.Render(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(out.Close)
	slices.Sort(kept)
	if diff := cmp.Diff([]string{"above", "before", "entering", "leaving"}, kept); diff != "" {
		t.Errorf("kept (-want +got):\n%s\nwarnings %q", diff, out.Warnings)
	}
}

// Elements with the same id, and an item of preload with it, are told apart by how many come before them.
func TestRender_keepsElementsWithTheSameID(t *testing.T) {
	t.Parallel()
	b := prepareBench(t)
	page := func(text string) object {
		return object{"type": "html", "id": "same", "html": text, "width": 60, "height": 40, "duration": 0.2, "save-to-media": true}
	}
	job := b.job(object{"width": 64, "height": 50, "fps": 10, "scenes": []any{
		object{"duration": 0.2, "elements": []any{page("one")}}, object{"duration": 0.2, "elements": []any{page("two")}},
	}})
	var kept []string
	job.Keep = func(_ context.Context, name string, before int, _ commands.Prepared) error {
		kept = append(kept, fmt.Sprint(name, before))
		return nil
	}
	out, err := b.Render(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(out.Close)
	if diff := cmp.Diff([]string{"same0", "same1"}, kept); diff != "" {
		t.Errorf("kept (-want +got):\n%s\nwarnings %q", diff, out.Warnings)
	}
}

// Each moving element that is to be kept becomes a film of its own.
func TestRender_keepsSeveralFilms(t *testing.T) {
	t.Parallel()
	b := prepareBench(t)
	page := func(id string) object {
		return object{"type": "html", "id": id, "html": "<b>" + id + "</b>", "width": 60, "height": 40, "duration": 0.4,
			"capture": object{"duration": 0.4}, "save-to-media": true}
	}
	job := b.job(object{"width": 64, "height": 50, "fps": 10, "elements": []any{page("first"), page("second")}})
	kept := map[string]string{}
	job.Keep = func(_ context.Context, name string, _ int, made commands.Prepared) error {
		kept[name] = made.Path
		return nil
	}
	out, err := b.Render(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(out.Close)
	if len(kept) != 2 || kept["first"] == kept["second"] || filepath.Ext(kept["second"]) != ".mov" {
		t.Errorf("kept %v, warnings %q", kept, out.Warnings)
	}
}
