package render_test

import (
	"bytes"
	"errors"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/adapters/render"
	"moviola/domain"
)

func TestProgress(t *testing.T) {
	t.Parallel()
	var told []float64
	now := time.Unix(0, 0)
	p := render.NewProgress(200, func(percent float64) { told = append(told, percent) }, func() time.Time { return now })
	tick := func() { now = now.Add(300 * time.Millisecond) }
	one, two := p.Window(100), p.Window(100)
	one(50)
	tick()
	two(50)
	two(60) // too soon
	tick()
	one(20) // a run that was begun again counts from 0
	one(50)
	tick()
	two(400) // more than the window has
	tick()
	one(100)
	p.End()
	if diff := cmp.Diff([]float64{24.75, 49.5, 74.25, 99, 100}, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

func TestEngine_Render_damagedCacheIsNotUsed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	first := b.mustRender(fourTexts())
	parts := cached(t, b.dir)
	if len(parts) != 7 {
		t.Fatalf("the cache holds %q, want four windows, a sound, the whole and its thumbnail", parts)
	}
	for i, part := range parts {
		raw := mustRead(t, part)
		raw[len(raw)-1] ^= 1
		// A new file, as a broken disk would have it: the finished movie shares the old one.
		if err := os.Remove(part); err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			if err := os.WriteFile(part, raw, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	second := b.mustRender(fourTexts())
	if !cmp.Equal(mustRead(t, first.Movie), mustRead(t, second.Movie)) {
		t.Error("the movie differs")
	}
	if n := b.words.drawn.Load(); n != 8 {
		t.Errorf("%d texts were drawn, want each twice", n)
	}
}

// cached are the files that are kept for later movies.
func cached(t *testing.T, dir string) []string {
	t.Helper()
	parts, err := filepath.Glob(filepath.Join(dir, "cache", "*", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(parts, func(path string) bool { return filepath.Ext(path) == ".json" })
}

func TestEngine_Render_damagedSourceIsNamed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.generate("good.mp4", "-f", "lavfi", "-i", "testsrc2=s=64x64:d=1", "-movflags", "+faststart")
	raw := mustRead(t, filepath.Join(b.media.dir, "good.mp4"))
	clear(raw[bytes.Index(raw, []byte("mdat"))+4:])
	if err := os.WriteFile(filepath.Join(b.media.dir, "bad.mp4"), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, element := range map[string]object{
		"shown":     {"type": "video", "src": "bad.mp4", "width": 32, "height": 32},
		"as a mask": {"type": "video", "src": "good.mp4", "width": 32, "height": 32, "mask": "bad.mp4"},
	} {
		_, err := b.Render(t.Context(), b.job(object{"width": 64, "height": 64, "scenes": []object{{"duration": 1, "elements": []object{
			{"type": "video", "src": "good.mp4"}, element,
		}}}}))
		var client *domain.Error
		if !errors.As(err, &client) || client.Message != "Scene #1, element #2: The file cannot be decoded: it is damaged or not complete" {
			t.Errorf("%s: error is %v", name, err)
		}
	}
}

func TestNew_wantsItsParts(t *testing.T) {
	t.Parallel()
	if _, err := render.New(render.Config{Dir: t.TempDir()}); err == nil {
		t.Error("an engine without parts was made")
	}
}

// Decision 37: a draft is marked. The block that stands for its word fills the picture.
func TestEngine_Render_draftIsMarked(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	out := b.mustRender(object{"width": 64, "height": 64, "draft": true, "scenes": []object{{"duration": 1}}})
	requireColor(t, "marked black", frame(t, out.Movie, 10), 32, 32, [3]int{96, 96, 96}, 2)
}

// The backgrounds and masks of windows are gone as soon as their windows are made.
func TestEngine_Render_leavesNoBackgrounds(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.generate("clip.mp4", "-f", "lavfi", "-i", "testsrc2=s=64x64:d=1")
	b.paint("half.png", 40, 40, color.NRGBA{R: 128, G: 128, B: 128, A: 255})
	doc := fourTexts()
	doc["elements"] = []object{{"type": "video", "src": "clip.mp4", "mask": "half.png", "width": 40, "height": 40}}
	b.mustRender(doc)
	for _, pattern := range []string{"base-*", "mask-*"} {
		left, err := filepath.Glob(filepath.Join(b.dir, "jobs", "*", "*", "in", pattern))
		if err != nil || len(left) > 0 {
			t.Errorf("%q are left, %v", left, err)
		}
	}
}
