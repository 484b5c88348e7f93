package document_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/document"
)

// TestParse_Effects has one row per way to write an effect of an image. Movie-schema §3.1, decisions 23 and 26.
func TestParse_Effects(t *testing.T) {
	t.Parallel()
	green := document.Color{G: 177, B: 64, A: 255}
	tests := []struct {
		props   string
		want    func(*document.Effects)
		warning string
	}{
		{`"zoom":3`, func(f *document.Effects) { f.Zoom = 3 }, ""},
		{`"zoom":"-1.5"`, func(f *document.Effects) { f.Zoom = -1.5 }, ""},
		{`"zoom":-80`, func(f *document.Effects) { f.Zoom = -10 }, "The property 'zoom' must be between -10 and 10, -10 is used"},
		{`"zoom":""`, func(*document.Effects) {}, ""},
		{`"pan":"left"`, func(f *document.Effects) { f.Pan = document.Pan{X: -1} }, ""},
		{`"pan":"UP"`, func(f *document.Effects) { f.Pan = document.Pan{Y: -1} }, ""},
		{`"pan":"bottom-right"`, func(f *document.Effects) { f.Pan = document.Pan{X: 1, Y: 1} }, ""},
		{`"pan":"none"`, func(*document.Effects) {}, ""},
		{`"pan":"sideways"`, func(*document.Effects) {}, `The direction "sideways" of 'pan' is unknown`},
		{`"pan_distance":"0.3"`, func(f *document.Effects) { f.PanDistance = 0.3 }, ""},
		{`"pan-distance":3`, func(f *document.Effects) { f.PanDistance = 0.5 }, "The property 'pan-distance' must be between 0.01 and 0.5, 0.5 is used"},
		{`"pan-crop":"false"`, func(f *document.Effects) { f.PanCrop = false }, ""},
		{`"rotate":{"angle":"45","speed":1.5}`, func(f *document.Effects) {
			f.Rotate = document.Rotate{Angle: 45, Speed: document.SecondsOfFloat(1.5)}
		}, ""},
		{`"rotate":-30`, func(f *document.Effects) { f.Rotate.Angle = -30 }, ""},
		{`"rotate":{}`, func(*document.Effects) {}, ""},
		{`"rotate":{"angle":720}`, func(f *document.Effects) { f.Rotate.Angle = 360 }, "The property 'angle' must be between -360 and 360, 360 is used"},
		{`"flip-horizontal":true,"flip_vertical":"1"`, func(f *document.Effects) { f.FlipX, f.FlipY = true, true }, ""},
		{`"mask":" http://a/m.png "`, func(f *document.Effects) { f.Mask = "http://a/m.png" }, ""},
		{`"chroma-key":{"color":"#00b140"}`, func(f *document.Effects) { f.ChromaKey = &document.ChromaKey{Color: green, Tolerance: 25} }, ""},
		{`"chroma-key":{"color":"#00b140","tolerance":0}`, func(f *document.Effects) { f.ChromaKey = &document.ChromaKey{Color: green, Tolerance: 1} },
			"The property 'tolerance' must be between 1 and 100, 1 is used"},
		{`"chroma_key":"#00b140"`, func(f *document.Effects) { f.ChromaKey = &document.ChromaKey{Color: green, Tolerance: 25} }, ""},
		{`"chroma-key":{}`, func(*document.Effects) {}, ""},
		{`"chroma-key":false`, func(*document.Effects) {}, ""},
		{`"correction":{"brightness":0.2,"contrast":"1.5"}`, func(f *document.Effects) {
			f.Correction = &document.Correction{Brightness: 0.2, Contrast: 1.5, Gamma: 1, Saturation: 1}
		}, ""},
		{`"correction":{"saturation":4}`, func(f *document.Effects) { f.Correction = &document.Correction{Contrast: 1, Gamma: 1, Saturation: 3} },
			"The property 'saturation' must be between 0 and 3, 3 is used"},
		{`"correction":{"gamma":1}`, func(*document.Effects) {}, ""},
		{`"opacity":0.25`, func(f *document.Effects) { f.Opacity = 0.25 }, ""},
		{`"opacity":50`, func(f *document.Effects) { f.Opacity = 1 }, "The property 'opacity' must be between 0 and 1, 1 is used"},
	}
	for _, tt := range tests {
		t.Run(tt.props, func(t *testing.T) {
			t.Parallel()
			m := mustParse(t, `{"elements":[{"type":"image","src":"x",`+tt.props+`}]}`)
			want := document.Effects{Opacity: 1, PanDistance: 0.1, PanCrop: true}
			tt.want(&want)
			if diff := cmp.Diff(want, m.Elements[0].Effects); diff != "" {
				t.Errorf("effects (-want +got):\n%s", diff)
			}
			requireWarnings(t, m, "Movie Element #1: ", tt.warning)
			if err := document.Validate(m); err != nil {
				t.Error(err)
			}
		})
	}
}

// requireWarnings checks that the movie has the one warning, or none when it is empty.
func requireWarnings(t *testing.T, m *document.Movie, prefix, warning string) {
	t.Helper()
	var want []string
	if warning != "" {
		want = []string{prefix + warning}
	}
	if diff := cmp.Diff(want, m.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

func TestParse_Opacity(t *testing.T) {
	t.Parallel()
	for element, want := range map[string]float64{
		`"type":"text","text":"x"`:                                          1,
		`"type":"text","text":"x","settings":{"opacity":"25%"}`:             0.25,
		`"type":"text","text":"x","opacity":0.5,"settings":{"opacity":0.2}`: 0.2,
		`"type":"html","html":"x","settings":{"opacity":"1e9"}`:             1,
		`"type":"html","html":"x","settings":{"opacity":"half"}`:            1, // and a warning
		`"type":"audiogram"`:                                                0.5,
		`"type":"audiogram","opacity":"1"`:                                  1,
	} {
		if got, _ := mustElement(t, `{`+element+`}`); got.Effects.Opacity != want {
			t.Errorf("%s: got %v, want %v", element, got.Effects.Opacity, want)
		}
	}
}

func TestParse_Transition(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]*document.Transition{
		`{"style":"wipeleft","duration":"1.5"}`:     {Style: "wipeleft", Duration: document.SecondsOfFloat(1.5)},
		`{"style":"CircleOpen"}`:                    {Style: "circleopen", Duration: document.SecondsOf(1)},
		`{"duration":2,"type":"xfade"}`:             {Style: "fade", Duration: document.SecondsOf(2)},
		`{"type":"slide","direction":"left"}`:       {Style: "fade", Duration: document.SecondsOf(1)},
		`"dissolve"`:                                {Style: "dissolve", Duration: document.SecondsOf(1)},
		`{"style":"cross-dissolve","duration":0.5}`: {Style: "fade", Duration: document.SecondsOfFloat(0.5)}, // and a warning
		`{"style":"fade","duration":0}`:             nil,
		`{}`:                                        nil,
		`null`:                                      nil,
		`"none"`:                                    nil,
		`{"style":"zoomin","duration":0.00000000000001}`: {Style: "zoomin", Duration: mustSeconds(t, "0.00000000000001")},
	} {
		m := mustParse(t, `{"scenes":[{"transition":`+value+`}]}`)
		if diff := cmp.Diff(want, m.Scenes[0].Transition); diff != "" {
			t.Errorf("%s (-want +got):\n%s", value, diff)
		}
		warns := strings.Contains(value, "cross")
		if (len(m.Warnings) > 0) != warns {
			t.Errorf("%s: got warnings %q", value, m.Warnings)
		}
	}
	requireError(t, document.Validate(mustParse(t, `{"scenes":[{"transition":{"duration":-1}}]}`)), "element_invalid",
		"Scene #1: The property 'duration' must not be negative")
	requireError(t, document.Validate(mustParse(t, `{"scenes":[{"transition":["fade"]}]}`)), "element_invalid",
		"Scene #1: The property 'transition' must be an object")
}

func mustSeconds(t *testing.T, text string) document.Seconds {
	t.Helper()
	return mustParse(t, `{"scenes":[{"duration":`+text+`}]}`).Scenes[0].Length.Value
}

func TestTransitionStyles(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, style := range document.TransitionStyles {
		seen[style] = true
		m := mustParse(t, `{"scenes":[{"transition":{"style":"`+style+`"}}]}`)
		if m.Scenes[0].Transition.Style != style || len(m.Warnings) > 0 {
			t.Errorf("%s: got %s, warnings %q", style, m.Scenes[0].Transition.Style, m.Warnings)
		}
	}
	if len(seen) != 44 {
		t.Errorf("got %d styles, want 44", len(seen))
	}
}
