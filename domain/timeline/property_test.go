package timeline_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"moviola/domain"
	"moviola/domain/caption"
	"moviola/domain/document"
	"moviola/domain/timeline"
	_ "moviola/tests/property"
)

type fataler interface {
	Fatalf(format string, args ...any)
}

// requireSound checks what holds of every plan.
func requireSound(t fataler, p *timeline.Timeline) {
	at := int64(0)
	long := max(p.FPS.Frame(document.SecondsOf(15)), 1)
	for i, w := range p.Windows {
		if w.Start != at || w.Frames <= 0 {
			t.Fatalf("window %d begins at %d with %d frames, want it at %d", i, w.Start, w.Frames, at)
		}
		if w.Transition == nil && w.Frames > long+1 {
			t.Fatalf("window %d has %d frames, more than %d", i, w.Frames, long)
		}
		at += w.Frames
		for j, list := range layersOf(w) {
			for k, l := range list {
				requireLayer(t, fmt.Sprintf("window %d, list %d, layer %d", i, j, k), w, l)
			}
		}
		if w.Background.A != 255 || w.Transition != nil && w.Transition.Background.A != 255 {
			t.Fatalf("window %d has a transparent background", i)
		}
	}
	if at != p.Frames {
		t.Fatalf("the windows have %d frames, the movie %d", at, p.Frames)
	}
	for i, c := range p.Audio {
		if c.From < 0 || c.From >= c.To || c.To > p.Frames || c.Seek < 0 || c.Loop < 0 {
			t.Fatalf("clip %d: %+v in %d frames", i, c, p.Frames)
		}
	}
	if p.ThumbnailFrame < 0 || p.ThumbnailFrame >= p.Frames {
		t.Fatalf("thumbnail %d of %d frames", p.ThumbnailFrame, p.Frames)
	}
	if s := p.Seconds(); p.Credits() < 1 || float64(p.Credits()) < s-1e-9 || float64(p.Credits()) >= s+1+1e-9 {
		t.Fatalf("%d credits for %v s", p.Credits(), s)
	}
}

// layersOf are the lists of layers in a window.
func layersOf(w timeline.Window) [][]timeline.Layer {
	if w.Transition == nil {
		return [][]timeline.Layer{w.Layers}
	}
	return [][]timeline.Layer{w.Layers, w.Transition.Layers, w.Transition.Over}
}

func requireLayer(t fataler, name string, w timeline.Window, l timeline.Layer) {
	if l.From < 0 || l.To > w.Frames || l.From >= l.To || l.Phase < 0 || l.Phase+l.To-l.From > l.Life {
		t.Fatalf("%s: %d-%d, phase %d of %d, in %d frames", name, l.From, l.To, l.Phase, l.Life, w.Frames)
	}
	if l.From > 0 && l.Phase > 0 {
		t.Fatalf("%s begins inside the window and before it", name)
	}
	if l.Box.W <= 0 || l.Box.H <= 0 || l.FadeIn < 0 || l.FadeIn > l.Life || l.FadeOut < 0 || l.FadeOut > l.Life {
		t.Fatalf("%s: %+v", name, l)
	}
	if c := l.Crop; c.X < 0 || c.Y < 0 || c.W < 0 || c.H < 0 {
		t.Fatalf("%s: crop %+v", name, c)
	}
	if l.Text != nil && l.Text.Animation != nil {
		a := l.Text.Animation
		if a.Intro < 0 || a.Intro > l.Life || a.Units < 1 || a.Done(a.Units-1, a.Intro, timeline.Rate{Num: 120, Den: 1}) < 0 {
			t.Fatalf("%s: animation %+v of a life of %d frames", name, a, l.Life)
		}
	}
	if e := l.Effects; e != nil && e.Motion != nil {
		for _, v := range []timeline.View{e.Motion.From, e.Motion.To} {
			if v.W <= 0 || v.W > 1 || v.H <= 0 || v.H > 1 {
				t.Fatalf("%s: view %+v", name, v)
			}
		}
	}
	if c := l.Canonical(); c.To-c.From != l.To-l.From || c.Phase+c.To-c.From > c.Life || c.Fades() != l.Fades() || c.Still() != l.Still() {
		t.Fatalf("%s is %+v as canonical layer", name, c)
	}
}

// requireWhole checks that the layers of an element in the windows, put together, are its whole life: nothing between is missing. In
// a transition an element of the movie below the scenes may be seen in both of them.
func requireWhole(t fataler, p *timeline.Timeline) {
	next := map[timeline.Ref]int64{}
	for _, w := range p.Windows {
		reached := map[timeline.Ref]int64{}
		for _, l := range slices.Concat(layersOf(w)...) {
			if l.Kind == timeline.ColorLayer {
				continue
			}
			if l.Phase != next[l.Ref] {
				t.Fatalf("%s goes on at its frame %d, want %d", l.Ref, l.Phase, next[l.Ref])
			}
			reached[l.Ref] = l.Phase + l.To - l.From
			if reached[l.Ref] == l.Life {
				reached[l.Ref] = 0
			}
		}
		maps.Copy(next, reached)
	}
	for ref, frames := range next {
		if frames != 0 {
			t.Fatalf("%s is cut off at its frame %d", ref, frames)
		}
	}
}

func drawMovie(t *rapid.T) string {
	seconds := rapid.SampledFrom([]string{"0", "0.02", "0.1", "0.333", "1", "2.5", "7.0199", "13", "31.4"})
	element := rapid.Custom(func(t *rapid.T) string {
		kind := rapid.SampledFrom([]string{`"type":"image","src":"photo"`, `"type":"image","src":"tall"`, `"type":"video","src":"clip"`,
			`"type":"video","src":"silent"`, `"type":"audio","src":"music"`, `"type":"text","text":"some words","style":"005"`, `"type":"html","html":"x","capture":{"duration":2}`,
			`"type":"component","component":"basic/001"`, `"type":"audiogram"`, `"type":"image","src":"gif"`}).Draw(t, "kind")
		start := rapid.OneOf(seconds, rapid.Just("-1")).Draw(t, "start")
		duration := rapid.OneOf(seconds, rapid.SampledFrom([]string{"-1", "-2", "null"})).Draw(t, "duration")
		effect := rapid.SampledFrom([]string{`"x":1`, `"zoom":-3.5,"pan":"left"`, `"pan":"top-right","pan-crop":false`, `"rotate":{"angle":360,"speed":2}`,
			`"mask":"photo","flip-vertical":true,"opacity":0`, `"cache":false`}).Draw(t, "effect")
		return fmt.Sprintf(`{`+effect+`,%s,"start":%s,"duration":%s,"extra-time":%s,"fade-in":%s,"fade-out":%s,"z-index":%d,"loop":%d,"seek":%d,"width":%d,"height":%d,"resize":%q,"position":%q,"x":%d}`,
			kind, start, duration, seconds.Draw(t, "extra"), seconds.Draw(t, "in"), seconds.Draw(t, "out"), rapid.IntRange(0, 3).Draw(t, "z"),
			rapid.IntRange(-1, 3).Draw(t, "loop"), rapid.IntRange(-3, 3).Draw(t, "seek"), rapid.IntRange(-1, 900).Draw(t, "w"),
			rapid.IntRange(-1, 900).Draw(t, "h"), rapid.SampledFrom([]string{"", "cover", "fit"}).Draw(t, "resize"),
			rapid.SampledFrom([]string{"custom", "top-left", "bottom-right", "center-center"}).Draw(t, "position"), rapid.IntRange(-99, 99).Draw(t, "x"))
	})
	list := func(label string) string {
		return "[" + strings.Join(rapid.SliceOfN(element, 0, 5).Draw(t, label), ",") + "]"
	}
	var scenes []string
	for range rapid.IntRange(0, 4).Draw(t, "scenes") {
		duration := rapid.OneOf(rapid.Just("-1"), seconds).Draw(t, "scene duration")
		color := rapid.SampledFrom([]string{"red", "transparent", "#0008"}).Draw(t, "color")
		transition := rapid.OneOf(rapid.Just("0"), seconds).Draw(t, "transition")
		scenes = append(scenes, fmt.Sprintf(`{"duration":%s,"transition":{"duration":%s},"background-color":%q,"elements":%s}`, duration, transition, color, list("scene")))
	}
	fps := rapid.SampledFrom([]string{"25", "29.97", "23.976", "1", "120"}).Draw(t, "fps")
	return `{"fps":` + fps + `,"scenes":[` + strings.Join(scenes, ",") + `],"elements":` + list("movie") + `}`
}

func TestLay_Properties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		raw := drawMovie(t)
		m, err := document.Parse([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		p, err := timeline.Lay(m, sources)
		if err != nil {
			var refused *domain.Error
			if !errors.As(err, &refused) || refused.Code != "movie_duration_zero" {
				t.Fatal(err)
			}
			return
		}
		requireSound(t, p)
		requireWhole(t, p)
		if known := document.LeastCredits(m); known > p.Credits() {
			t.Fatalf("%d credits are known before, %d after", known, p.Credits())
		}
		again, err := timeline.Lay(m, sources)
		if diff := cmp.Diff(p, again); diff != "" || err != nil {
			t.Fatalf("err %v, laid out again (-first +second):\n%s", err, diff)
		}
	})
}

func FuzzLay(f *testing.F) {
	f.Add([]byte(`{"scenes":[{"elements":[{"type":"image","src":"photo","resize":"cover","crop":{"width":30,"height":20}}]}]}`), 10, 20, 3.5)
	f.Add([]byte(`{"elements":[{"type":"text","text":"x","settings":{"font-size":"4vw","padding":"1em 2px","text-shadow":"1px 1px 2px rgba(0,0,0,.5)"}}]}`), 1, 1, 1e9)
	f.Add([]byte(`{"fps":"29.97","thumbnail":{"scene":1},"scenes":[{"background-color":"#0008","duration":"11"}],"elements":[{"type":"video","src":"v","loop":-1,"duration":-2,"z-index":-1}]}`), 640, 480, 0.04)
	f.Add([]byte(`{"scenes":[{"duration":2},{"transition":{"style":"wipeup"},"elements":[{"type":"voice","text":"Hi"},{"type":"audiogram"},
		{"type":"text","style":"004","text":"x y","settings":{"text-shadow":"1px 1px red, 2px 2px","border":"1px solid","background":"linear-gradient(90deg, red, blue 20%)"}},
		{"type":"image","src":"a","mask":"b","zoom":3,"pan":"left","rotate":{"angle":360,"speed":2}},
		{"type":"subtitles","settings":{"style":"boxed-line"}}]}]}`), 64, 48, 3.0)
	f.Fuzz(func(t *testing.T, raw []byte, width, height int, duration float64) {
		m, err := document.Parse(raw)
		if err != nil {
			return
		}
		facts := map[string]timeline.Facts{}
		for _, s := range document.Sources(m) {
			facts[s.Key] = timeline.Facts{Width: width, Height: height, Duration: duration, HasVideo: true, HasAudio: true}
			if s.Kind == document.TypeVoice { // which is ours, and never silent
				facts[s.Key] = timeline.Facts{Duration: 2.5, HasAudio: true}
			}
		}
		p, err := timeline.Lay(m, facts)
		if err != nil {
			var refused *domain.Error
			if !errors.As(err, &refused) {
				t.Fatalf("error of type %T: %v", err, err)
			}
			return
		}
		p.Caption([]caption.State{{From: 0, To: time.Second}, {From: time.Second, To: time.Hour}})
		requireSound(t, p)
	})
}
