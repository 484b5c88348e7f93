package timeline_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"moviola/domain/document"
	"moviola/domain/timeline"
)

// near compares numbers that were computed.
var near = cmpopts.EquateApprox(0, 1e-9)

func mustLayer(t *testing.T, element string) timeline.Layer {
	t.Helper()
	p := mustLay(t, `{"width":1000,"height":500,"scenes":[{"duration":4,"elements":[`+element+`]}]}`)
	return p.Windows[0].Layers[0]
}

// TestLay_Motion: zoom enlarges by a tenth per level, pan moves the view, and neither leaves the picture unless it may.
// Decision 26.
func TestLay_Motion(t *testing.T) {
	t.Parallel()
	whole := timeline.View{W: 1, H: 1}
	middle := func(size float64) timeline.View {
		return timeline.View{X: (1 - size) / 2, Y: (1 - size) / 2, W: size, H: size}
	}
	tests := []struct {
		props string
		want  *timeline.Motion
	}{
		{`"zoom":0`, nil},
		{`"zoom":10`, &timeline.Motion{From: whole, To: middle(0.5)}},
		{`"zoom":"2.5"`, &timeline.Motion{From: whole, To: middle(0.8)}},
		{`"zoom":-10`, &timeline.Motion{From: middle(0.5), To: whole}},
		{`"zoom":10,"pan":"right"`, &timeline.Motion{From: whole, To: timeline.View{X: 0.35, Y: 0.25, W: 0.5, H: 0.5}}},
		{`"zoom":10,"pan":"top-left","pan-distance":0.2`, &timeline.Motion{From: whole, To: timeline.View{X: 0.05, Y: 0.05, W: 0.5, H: 0.5}}},
		{`"zoom":-10,"pan":"bottom"`, &timeline.Motion{From: timeline.View{X: 0.25, Y: 0.35, W: 0.5, H: 0.5}, To: whole}},
		{`"zoom":2.5,"pan":"left","pan-distance":0.5`, &timeline.Motion{From: whole, To: timeline.View{X: 0, Y: 0.1, W: 0.8, H: 0.8}}},
		{`"zoom":2.5,"pan":"right","pan-distance":0.5`, &timeline.Motion{From: whole, To: timeline.View{X: 0.2, Y: 0.1, W: 0.8, H: 0.8}}},
		{`"zoom":2.5,"pan":"right","pan-distance":0.5,"pan-crop":false`, &timeline.Motion{From: whole, To: timeline.View{X: 0.6, Y: 0.1, W: 0.8, H: 0.8}}},
		// Alone, a pan moves the element in its direction: one to the left may leave a bar at the right.
		{`"pan":"right"`, &timeline.Motion{From: timeline.View{X: 0.1, Y: 0.05, W: 0.9, H: 0.9}, To: timeline.View{X: 0, Y: 0.05, W: 0.9, H: 0.9}}},
		{`"pan":"top","pan-distance":0.5`, &timeline.Motion{From: timeline.View{X: 0.25, Y: 0, W: 0.5, H: 0.5}, To: timeline.View{X: 0.25, Y: 0.5, W: 0.5, H: 0.5}}},
		{`"pan":"bottom-left"`, &timeline.Motion{From: timeline.View{X: 0, Y: 0.1, W: 0.9, H: 0.9}, To: timeline.View{X: 0.1, Y: 0, W: 0.9, H: 0.9}}},
		{`"pan":"left","pan-crop":false`, &timeline.Motion{From: whole, To: timeline.View{X: 0.1, W: 1, H: 1}}},
	}
	for _, tt := range tests {
		var got *timeline.Motion
		if e := mustLayer(t, `{"type":"image","src":"photo",`+tt.props+`}`).Effects; e != nil {
			got = e.Motion
		}
		if diff := cmp.Diff(tt.want, got, near); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.props, diff)
		}
	}
}

func TestMotion_At(t *testing.T) {
	t.Parallel()
	m := timeline.Motion{From: timeline.View{W: 1, H: 1}, To: timeline.View{X: 0.25, Y: 0.25, W: 0.5, H: 0.5}}
	for _, tt := range []struct{ k, life, done float64 }{{0, 101, 0}, {50, 101, 0.5}, {100, 101, 1}, {400, 101, 1}, {0, 1, 1}, {1, 2, 1}} {
		want := timeline.View{X: 0.25 * tt.done, Y: 0.25 * tt.done, W: 1 - tt.done/2, H: 1 - tt.done/2}
		if diff := cmp.Diff(want, m.At(int64(tt.k), int64(tt.life)), near); diff != "" {
			t.Errorf("frame %v of %v (-want +got):\n%s", tt.k, tt.life, diff)
		}
	}
}

func TestLay_Rotation(t *testing.T) {
	t.Parallel()
	tests := []struct {
		rotate string
		want   *timeline.Rotation
		at     string // frames 0, 25, 50 and 60
	}{
		{`{"angle":0,"speed":2}`, nil, ""},
		{`{"angle":360}`, nil, ""},
		{`{"angle":45}`, &timeline.Rotation{Degrees: 45}, "45 45 45 45"},
		{`{"angle":"-90","speed":2}`, &timeline.Rotation{Degrees: -90, Frames: 50}, "0 -45 -90 -90"},
		{`{"angle":360,"speed":2}`, &timeline.Rotation{Degrees: 360, Frames: 50, Endless: true}, "0 180 0 72"},
		{`{"angle":-360,"speed":1}`, &timeline.Rotation{Degrees: -360, Frames: 25, Endless: true}, "0 0 0 -144"},
		{`{"angle":90,"speed":0.001}`, &timeline.Rotation{Degrees: 90, Frames: 1}, "0 90 90 90"},
	}
	for _, tt := range tests {
		var got *timeline.Rotation
		at := ""
		if e := mustLayer(t, `{"type":"text","text":"x","rotate":`+tt.rotate+`}`).Effects; e != nil {
			got = e.Rotation
			angle := func(k int64) float64 { return math.Round(got.At(k)*1e6)/1e6 + 0 } // no negative zero
			at = fmt.Sprintf("%g %g %g %g", angle(0), angle(25), angle(50), angle(60))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || at != tt.at {
			t.Errorf("%s: at %s, want %s; rotation (-want +got):\n%s", tt.rotate, at, tt.at, diff)
		}
	}
}

func TestLay_Effects(t *testing.T) {
	t.Parallel()
	tests := []struct {
		element string
		want    *timeline.Effects
	}{
		{`{"type":"image","src":"photo"}`, nil},
		{`{"type":"image","src":"photo","opacity":1,"pan-distance":0.3,"correction":{}}`, nil},
		{`{"type":"image","src":"photo","flip-horizontal":true}`, &timeline.Effects{FlipX: true}},
		{`{"type":"video","src":"clip","flip-vertical":true,"opacity":0.75}`, &timeline.Effects{FlipY: true, Transparency: 0.25}},
		{`{"type":"image","src":"photo","mask":"tall"}`, &timeline.Effects{Mask: &timeline.Mask{Source: "tall"}}},
		{`{"type":"html","html":"x","mask":"silent"}`, &timeline.Effects{Mask: &timeline.Mask{Source: "silent", Video: true}}},
		{`{"type":"video","src":"clip","chroma-key":{"color":"lime","tolerance":40}}`,
			&timeline.Effects{ChromaKey: &timeline.ChromaKey{Color: timeline.Color{G: 255, A: 255}, Similarity: 0.4}}},
		{`{"type":"component","component":"basic/001","correction":{"gamma":2}}`,
			&timeline.Effects{Correction: &document.Correction{Contrast: 1, Gamma: 2, Saturation: 1}}},
		{`{"type":"audiogram"}`, &timeline.Effects{Transparency: 0.5}},
		{`{"type":"text","text":"x","settings":{"opacity":"20%"}}`, &timeline.Effects{Transparency: 0.8}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, mustLayer(t, tt.element).Effects, near); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.element, diff)
		}
	}
}

// TestLayer_Canonical: two layers that look the same in their windows are the same, and no others.
func TestLayer_Canonical(t *testing.T) {
	t.Parallel()
	ref := timeline.Ref{Scene: 1, Element: 2}
	layer := func(kind timeline.LayerKind, change func(*timeline.Layer)) timeline.Layer {
		l := timeline.Layer{Ref: ref, Kind: kind, From: 0, To: 50, Phase: 100, Life: 300, FadeIn: 10, FadeOut: 10}
		if change != nil {
			change(&l)
		}
		return l
	}
	animation := &timeline.Animation{Style: "005", Intro: 100}
	moving := &timeline.Effects{Motion: &timeline.Motion{}}
	tests := []struct {
		name  string
		layer timeline.Layer
		still bool
		want  timeline.Layer
	}{
		{"logo", layer(timeline.ImageLayer, nil), true, timeline.Layer{Kind: "image", To: 50, Life: 50}},
		{"video", layer(timeline.VideoLayer, nil), false, timeline.Layer{Kind: "video", To: 50, Phase: 100, Life: 150}},
		{"animated image", layer(timeline.ImageLayer, func(l *timeline.Layer) { l.Animated = true }), false,
			timeline.Layer{Kind: "image", Animated: true, To: 50, Phase: 100, Life: 150}},
		{"fading out", layer(timeline.ImageLayer, func(l *timeline.Layer) { l.Life = 155 }), false,
			timeline.Layer{Kind: "image", To: 50, Phase: 100, Life: 155, FadeIn: 10, FadeOut: 10}},
		{"fading in", layer(timeline.ImageLayer, func(l *timeline.Layer) { l.Phase, l.FadeOut = 0, 0 }), false,
			timeline.Layer{Kind: "image", To: 50, Life: 50, FadeIn: 10}},
		{"zoomed", layer(timeline.ImageLayer, func(l *timeline.Layer) { l.Effects = moving }), false,
			timeline.Layer{Kind: "image", To: 50, Phase: 100, Life: 300, Effects: moving}},
		{"text that has come in", layer(timeline.TextLayer, func(l *timeline.Layer) { l.Text = &timeline.Text{Text: "x", Animation: animation} }), true,
			timeline.Layer{Kind: "text", Text: &timeline.Text{Text: "x"}, To: 50, Life: 50}},
		{"text that comes in", layer(timeline.TextLayer, func(l *timeline.Layer) { l.Phase, l.Text = 99, &timeline.Text{Animation: animation} }), false,
			timeline.Layer{Kind: "text", Text: &timeline.Text{Animation: animation}, To: 50, Phase: 99, Life: 149}},
		{"page", layer(timeline.HTMLLayer, func(l *timeline.Layer) { l.Page = &timeline.Page{} }), true,
			timeline.Layer{Kind: "html", Page: &timeline.Page{}, To: 50, Life: 50}},
		{"page that moves", layer(timeline.HTMLLayer, func(l *timeline.Layer) { l.Page = &timeline.Page{Capture: 9} }), false,
			timeline.Layer{Kind: "html", Page: &timeline.Page{Capture: 9}, To: 50, Phase: 100, Life: 150}},
		{"component", layer(timeline.ComponentLayer, nil), false, timeline.Layer{Kind: "component", To: 50, Phase: 100, Life: 150}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, tt.layer.Canonical()); diff != "" || tt.layer.Still() != tt.still {
			t.Errorf("%s: still %v, layer (-want +got):\n%s", tt.name, tt.layer.Still(), diff)
		}
	}
	if text := layer(timeline.TextLayer, func(l *timeline.Layer) { l.Text = &timeline.Text{Animation: animation} }); text.Canonical().Text == text.Text || text.Text.Animation == nil {
		t.Error("the layer itself was changed")
	}
	gone := layer(timeline.TextLayer, func(l *timeline.Layer) {
		l.Text = &timeline.Text{Text: "x", Animation: &timeline.Animation{Style: "010", Intro: 100, Leaves: true}}
	})
	if got := gone.Canonical().Text; got.Text != "" || got.Animation != nil || !gone.Still() {
		t.Errorf("of a text that has left, %+v is shown", got)
	}
	for name, e := range map[string]*timeline.Effects{
		"turning":      {Rotation: &timeline.Rotation{Degrees: 9, Frames: 3}},
		"moving":       {Motion: &timeline.Motion{}},
		"playing mask": {Mask: &timeline.Mask{Video: true}},
	} {
		if (timeline.Layer{Kind: timeline.ColorLayer, To: 5, Life: 5, Effects: e}).Still() {
			t.Errorf("%s is called still", name)
		}
	}
	still := &timeline.Effects{Rotation: &timeline.Rotation{Degrees: 9}, Mask: &timeline.Mask{}, FlipX: true}
	if !(timeline.Layer{Kind: timeline.ColorLayer, To: 5, Life: 5, Effects: still}).Still() {
		t.Error("a turned layer does not count as still")
	}
}

// TestLay_Stable: a change in one scene leaves the windows of the others as they were, also where an element of the movie is seen
// over all of them, so that they come from the cache.
func TestLay_Stable(t *testing.T) {
	t.Parallel()
	movie := func(caption string, duration float64) *timeline.Timeline {
		var scenes []string
		for i := range 6 {
			text, length := "fine", 7.3
			if i == 2 {
				text, length = caption, duration
			}
			scenes = append(scenes, fmt.Sprintf(`{"duration":%v,"elements":[{"type":"video","src":"clip"},{"type":"text","text":%q,"style":"005"}]}`, length, text))
		}
		return mustLay(t, `{"scenes":[`+strings.Join(scenes, ",")+`],"elements":[{"type":"image","src":"photo","position":"top-right"},
			{"type":"text","text":"title","style":"002"}]}`)
	}
	changed := func(a, b *timeline.Timeline) string {
		var scenes []string
		for i := range a.Windows {
			if !cmp.Equal(canonical(a.Windows[i]), canonical(b.Windows[i])) {
				scenes = append(scenes, strconv.Itoa(a.Windows[i].Scene))
			}
		}
		return strings.Join(scenes, " ")
	}
	first := movie("old", 7.32)
	if got := changed(first, movie("new", 7.32)); got != "3" {
		t.Errorf("another text changes the windows of scenes %s", got)
	}
	if got := changed(first, movie("old", 9.36)); got != "3" {
		t.Errorf("another length changes the windows of scenes %s", got)
	}
}

// canonical is a window without where it is.
func canonical(w timeline.Window) timeline.Window {
	w.Scene, w.Start = 0, 0
	layers := make([]timeline.Layer, len(w.Layers))
	for i, l := range w.Layers {
		layers[i] = l.Canonical()
	}
	w.Layers = layers
	return w
}
