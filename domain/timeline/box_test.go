package timeline_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/timeline"
)

// TestLay_Boxes has one row per rule of placing an image of 400x200 in a canvas of 1000x500. Movie-schema §3.1, decision 26.
func TestLay_Boxes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, props string
		box, crop   timeline.Box
	}{
		{"native size at the corner", ``, timeline.Box{W: 400, H: 200}, timeline.Box{}},
		{"custom position", `"x":30,"y":-40,`, timeline.Box{X: 30, Y: -40, W: 400, H: 200}, timeline.Box{}},
		{"width alone", `"width":200,`, timeline.Box{W: 200, H: 100}, timeline.Box{}},
		{"height alone", `"height":300,`, timeline.Box{W: 600, H: 300}, timeline.Box{}},
		{"both", `"width":50,"height":60,`, timeline.Box{W: 50, H: 60}, timeline.Box{}},
		{"top-left", `"position":"top-left",`, timeline.Box{X: 50, Y: 25, W: 400, H: 200}, timeline.Box{}},
		{"top-right", `"position":"top-right",`, timeline.Box{X: 550, Y: 25, W: 400, H: 200}, timeline.Box{}},
		{"bottom-left", `"position":"bottom-left",`, timeline.Box{X: 50, Y: 275, W: 400, H: 200}, timeline.Box{}},
		{"bottom-right", `"position":"bottom-right",`, timeline.Box{X: 550, Y: 275, W: 400, H: 200}, timeline.Box{}},
		{"center-center", `"position":"center-center",`, timeline.Box{X: 300, Y: 150, W: 400, H: 200}, timeline.Box{}},
		{"bottom-center", `"position":"bottom-center",`, timeline.Box{X: 300, Y: 275, W: 400, H: 200}, timeline.Box{}},
		{"offset from a preset", `"position":"top-right","x":-60,"y":60,`, timeline.Box{X: 490, Y: 85, W: 400, H: 200}, timeline.Box{}},
		{"preset and width", `"position":"bottom-right","width":100,`, timeline.Box{X: 850, Y: 425, W: 100, H: 50}, timeline.Box{}},
		{"cover with the same shape", `"resize":"cover",`, timeline.Box{W: 1000, H: 500}, timeline.Box{}},
		{"cover, tall", `"src":"tall","resize":"cover",`, timeline.Box{W: 1000, H: 500}, timeline.Box{Y: 375, W: 300, H: 150}},
		{"cover ignores sizes", `"resize":"fill","width":3,"height":4,`, timeline.Box{W: 1000, H: 500}, timeline.Box{}},
		{"fit, tall", `"src":"tall","resize":"fit",`, timeline.Box{X: 416, W: 167, H: 500}, timeline.Box{}},
		{"fit to a side", `"src":"tall","resize":"contain","position":"bottom-right",`, timeline.Box{X: 833, W: 167, H: 500}, timeline.Box{}},
		{"crop", `"crop":{"x":100,"y":50,"width":100,"height":100},`, timeline.Box{W: 100, H: 100}, timeline.Box{X: 100, Y: 50, W: 100, H: 100}},
		{"crop over the edge", `"crop":{"x":350,"y":-50,"width":100,"height":100},`, timeline.Box{W: 50, H: 50}, timeline.Box{X: 350, Y: 0, W: 50, H: 50}},
		{"crop of all", `"crop":{"width":400,"height":200},`, timeline.Box{W: 400, H: 200}, timeline.Box{}},
		{"crop, then width", `"crop":{"width":100,"height":200},"width":50,`, timeline.Box{W: 50, H: 100}, timeline.Box{W: 100, H: 200}},
		{"crop, then cover", `"crop":{"width":200,"height":200},"resize":"cover",`, timeline.Box{W: 1000, H: 500}, timeline.Box{Y: 50, W: 200, H: 100}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := mustLay(t, `{"width":1000,"height":500,"scenes":[{"elements":[{"src":"photo",`+tt.props+`"type":"image"}]}]}`)
			got := p.Windows[0].Layers[0]
			if got.Box != tt.box || got.Crop != tt.crop {
				t.Errorf("got box %v, crop %v, want %v, %v", got.Box, got.Crop, tt.box, tt.crop)
			}
		})
	}
}

func TestLay_TextBoxes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, props string
		box         timeline.Box
		horizontal  timeline.Align
		vertical    timeline.VerticalAlign
	}{
		{"canvas", ``, timeline.Box{W: 1000, H: 500}, "center", "center"},
		{"own box", `"x":10,"y":20,"width":300,"height":200,`, timeline.Box{X: 10, Y: 20, W: 300, H: 200}, "center", "center"},
		{"own box at a corner", `"width":300,"height":200,"position":"bottom-right",`, timeline.Box{X: 650, Y: 275, W: 300, H: 200}, "center", "center"},
		{"corner of the canvas", `"position":"bottom-right",`, timeline.Box{X: 50, Y: 25, W: 900, H: 450}, "right", "bottom"},
		{"middle of the canvas", `"position":"center-center",`, timeline.Box{X: 50, Y: 25, W: 900, H: 450}, "center", "center"},
		{"corner, shifted", `"position":"top-left","x":5,"y":-5,`, timeline.Box{X: 55, Y: 20, W: 900, H: 450}, "left", "top"},
		{"corner with its own say", `"position":"top-left","settings":{"vertical-position":"bottom","horizontal-align":"right"},`,
			timeline.Box{X: 50, Y: 25, W: 900, H: 450}, "right", "bottom"},
		{"corner with a width", `"position":"top-right","width":200,`, timeline.Box{X: 750, Y: 25, W: 200, H: 450}, "center", "top"},
		{"flush left", `"settings":{"text-align":"left"},`, timeline.Box{W: 1000, H: 500}, "left", "center"},
		{"middle, flush left", `"settings":{"text-align":"left","horizontal-position":"center"},`, timeline.Box{W: 1000, H: 500}, "center", "center"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := mustLay(t, `{"width":1000,"height":500,"scenes":[{"elements":[{"text":"x",`+tt.props+`"type":"text"}]}]}`)
			got := p.Windows[0].Layers[0]
			if s := got.Text.Settings; got.Box != tt.box || s.Horizontal != tt.horizontal || s.Vertical != tt.vertical {
				t.Errorf("got box %v, %s, %s, want %v, %s, %s", got.Box, s.Horizontal, s.Vertical, tt.box, tt.horizontal, tt.vertical)
			}
		})
	}
}

func mustStyle(t *testing.T, settings string) (timeline.Text, []string) {
	t.Helper()
	p := mustLay(t, `{"width":1000,"height":500,"scenes":[{"elements":[{"type":"text","text":"It's a Fine day","settings":{`+settings+`}}]}]}`)
	return *p.Windows[0].Layers[0].Text, p.Warnings
}

func TestLay_TextDefaults(t *testing.T) {
	t.Parallel()
	got, _ := mustStyle(t, ``)
	want := timeline.Text{Text: "It's a Fine day", Settings: timeline.TextSettings{
		FontFamily: "Inter", FontSize: 40, FontWeight: 400, Color: timeline.Color{R: 255, G: 255, B: 255, A: 255},
		Align: "center", Horizontal: "center", Vertical: "center",
		Shadow: &timeline.Shadow{X: 2, Y: 2, Color: timeline.Color{R: 33, G: 33, B: 33, A: 128}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

// TestLay_TextSettings has one row per setting and unit. Movie-schema §4.3.
func TestLay_TextSettings(t *testing.T) {
	t.Parallel()
	red, black := timeline.Color{R: 255, A: 255}, timeline.Color{A: 255}
	tests := []struct {
		settings string
		want     func(*timeline.TextSettings)
	}{
		{`"font-size":48`, func(s *timeline.TextSettings) { s.FontSize = 48 }},
		{`"font-size":"48px"`, func(s *timeline.TextSettings) { s.FontSize = 48 }},
		{`"font-size":"3em"`, func(s *timeline.TextSettings) { s.FontSize = 48 }},
		{`"font-size":"2.5vw"`, func(s *timeline.TextSettings) { s.FontSize = 25 }},
		{`"font-size":"10VH"`, func(s *timeline.TextSettings) { s.FontSize = 50 }},
		{`"font-size":"auto"`, func(*timeline.TextSettings) {}},
		{`"font-size":99999`, func(s *timeline.TextSettings) { s.FontSize = 2000 }},
		{`"font-size":0`, func(s *timeline.TextSettings) { s.FontSize = 1 }},
		{`"font-family":"Roboto, 'Open Sans'"`, func(s *timeline.TextSettings) { s.FontFamily = "Roboto, 'Open Sans'" }},
		{`"font":"italic 700 3em/1.5 Lora, serif"`, func(s *timeline.TextSettings) {
			s.FontFamily, s.FontSize, s.FontWeight, s.Italic, s.LineHeight = "Lora, serif", 48, 700, true, 72
		}},
		{`"font":"20px Lora","font-size":"48px"`, func(s *timeline.TextSettings) { s.FontFamily, s.FontSize = "Lora", 48 }},
		{`"color":"hsl(0 100% 50%)"`, func(s *timeline.TextSettings) { s.Color = red }},
		{`"font-weight":"bold"`, func(s *timeline.TextSettings) { s.FontWeight = 700 }},
		{`"font-weight":"500"`, func(s *timeline.TextSettings) { s.FontWeight = 500 }},
		{`"font-style":"italic"`, func(s *timeline.TextSettings) { s.Italic = true }},
		{`"color":"red"`, func(s *timeline.TextSettings) { s.Color = red }},
		{`"font-color":"#f00","color":"blue"`, func(s *timeline.TextSettings) { s.Color = red }},
		{`"background-color":"rgb(255,0,0)"`, func(s *timeline.TextSettings) { s.Background = red }},
		{`"background":"red"`, func(s *timeline.TextSettings) { s.Background = red }},
		{`"text-align":"right"`, func(s *timeline.TextSettings) { s.Align, s.Horizontal = "right", "right" }},
		{`"vertical-position":"top"`, func(s *timeline.TextSettings) { s.Vertical = "top" }},
		{`"vertical-align":"bottom"`, func(s *timeline.TextSettings) { s.Vertical = "bottom" }},
		{`"horizontal-align":"left"`, func(s *timeline.TextSettings) { s.Horizontal = "left" }},
		{`"line-height":1.5`, func(s *timeline.TextSettings) { s.LineHeight = 60 }},
		{`"line-height":"50px"`, func(s *timeline.TextSettings) { s.LineHeight = 50 }},
		{`"line-height":"120%"`, func(s *timeline.TextSettings) { s.LineHeight = 48 }},
		{`"line-height":"normal"`, func(*timeline.TextSettings) {}},
		{`"letter-spacing":"0.1em"`, func(s *timeline.TextSettings) { s.LetterSpacing = 4 }},
		{`"padding":"5px"`, func(s *timeline.TextSettings) { s.Padding = timeline.Sides{Top: 5, Right: 5, Bottom: 5, Left: 5} }},
		{`"padding":"1vw 2vw"`, func(s *timeline.TextSettings) { s.Padding = timeline.Sides{Top: 10, Right: 20, Bottom: 10, Left: 20} }},
		{`"padding":"1 2 3"`, func(s *timeline.TextSettings) { s.Padding = timeline.Sides{Top: 1, Right: 2, Bottom: 3, Left: 2} }},
		{`"padding":"1 2 3 4","padding-left":"9px"`, func(s *timeline.TextSettings) { s.Padding = timeline.Sides{Top: 1, Right: 2, Bottom: 3, Left: 9} }},
		{`"border-radius":"0.5em"`, func(s *timeline.TextSettings) { s.Radius = 20 }},
		{`"text-shadow":"none"`, func(s *timeline.TextSettings) { s.Shadow = nil }},
		{`"text-shadow":"1px -2px 3px rgb(255, 0, 0), 5px 5px blue"`, func(s *timeline.TextSettings) {
			s.Shadow = &timeline.Shadow{X: 1, Y: -2, Blur: 3, Color: red}
			s.Shadows = []timeline.Shadow{{X: 5, Y: 5, Color: timeline.Color{B: 255, A: 255}}}
		}},
		{`"text-shadow":"1px 1px, 2px 2px 4px rgb(255, 0, 0), 3px 3px"`, func(s *timeline.TextSettings) {
			s.Shadow = &timeline.Shadow{X: 1, Y: 1, Color: black}
			s.Shadows = []timeline.Shadow{{X: 2, Y: 2, Blur: 4, Color: red}, {X: 3, Y: 3, Color: black}}
		}},
		{`"shadow":2`, func(s *timeline.TextSettings) { s.Shadow.X, s.Shadow.Y = 2, 2 }},
		{`"shadow":"5"`, func(s *timeline.TextSettings) { s.Shadow.X, s.Shadow.Y = 5, 5 }},
		{`"shadow":0`, func(s *timeline.TextSettings) { s.Shadow = nil }},
		{`"shadow":true`, func(*timeline.TextSettings) {}},
		{`"box-shadow":"0 4px 8px rgba(255,0,0,1)"`, func(s *timeline.TextSettings) {
			s.BoxShadow = &timeline.BoxShadow{Shadow: timeline.Shadow{Y: 4, Blur: 8, Color: red}}
		}},
		{`"box-shadow":"1px 2px 3px 4px, 9px 9px"`, func(s *timeline.TextSettings) {
			s.BoxShadow = &timeline.BoxShadow{Shadow: timeline.Shadow{X: 1, Y: 2, Blur: 3, Color: black}, Spread: 4}
		}},
		{`"box-shadow":"none"`, func(*timeline.TextSettings) {}},
		{`"text-decoration":"underline wavy red"`, func(s *timeline.TextSettings) { s.Underline = true }},
		{`"text-decoration-line":"line-through overline"`, func(s *timeline.TextSettings) { s.LineThrough, s.Overline = true, true }},
		{`"-webkit-text-stroke":"2px red"`, func(s *timeline.TextSettings) { s.StrokeWidth, s.StrokeColor = 2, red }},
		{`"stroke":"red"`, func(s *timeline.TextSettings) { s.StrokeWidth, s.StrokeColor = 1, red }},
		{`"stroke-width":"0.1em","stroke-color":"red"`, func(s *timeline.TextSettings) { s.StrokeWidth, s.StrokeColor = 4, red }},
		{`"stroke-color":"red"`, func(*timeline.TextSettings) {}},
		{`"text-stroke":"none"`, func(*timeline.TextSettings) {}},
		{`"border":"3px dashed red"`, func(s *timeline.TextSettings) { s.BorderWidth, s.BorderColor = 3, red }},
		{`"border":"solid","color":"red"`, func(s *timeline.TextSettings) { s.BorderWidth, s.BorderColor, s.Color = 1, red, red }},
		{`"border":"none"`, func(*timeline.TextSettings) {}},
		{`"border-width":2,"border-color":"red"`, func(s *timeline.TextSettings) { s.BorderWidth, s.BorderColor = 2, red }},
		{`"border":"2px solid","border-style":"none"`, func(*timeline.TextSettings) {}},
		{`"background":"linear-gradient(to right, red, rgb(0, 0, 0) 25%, red)","background-color":"black"`, func(s *timeline.TextSettings) {
			s.Background, s.Gradient = black, &timeline.Gradient{Degrees: 90, Stops: []timeline.Stop{{Color: red}, {Color: black, At: 0.25}, {Color: red, At: 1}}}
		}},
		{`"background-image":"linear-gradient(red, black)"`, func(s *timeline.TextSettings) {
			s.Gradient = &timeline.Gradient{Degrees: 180, Stops: []timeline.Stop{{Color: red}, {Color: black, At: 1}}}
		}},
		{`"background":"linear-gradient(-45deg, red 90%, black 10%)"`, func(s *timeline.TextSettings) {
			s.Gradient = &timeline.Gradient{Degrees: -45, Stops: []timeline.Stop{{Color: red, At: 0.9}, {Color: black, At: 0.9}}}
		}},
		{`"word-spacing":"5px"`, func(s *timeline.TextSettings) { s.WordSpacing = 5 }},
		{`"text-align":"justify"`, func(s *timeline.TextSettings) { s.Align, s.Horizontal = "justify", "left" }},
		{`"font-family":"https://a.b/c.ttf"`, func(s *timeline.TextSettings) { s.FontSource = "https://a.b/c.ttf" }},
		{`"font-family":"Arial","font-url":"url(https://a.b/c.ttf)"`, func(s *timeline.TextSettings) {
			s.FontFamily, s.FontSource = "Arial", "https://a.b/c.ttf"
		}},
		{`"shadow":"red 0.1em 0"`, func(s *timeline.TextSettings) { s.Shadow = &timeline.Shadow{X: 4, Color: red} }},
	}
	for _, tt := range tests {
		t.Run(tt.settings, func(t *testing.T) {
			t.Parallel()
			base, _ := mustStyle(t, ``)
			tt.want(&base.Settings)
			got, warnings := mustStyle(t, tt.settings)
			if diff := cmp.Diff(base.Settings, got.Settings); diff != "" || len(warnings) > 0 {
				t.Errorf("warnings %q, settings (-want +got):\n%s", warnings, diff)
			}
		})
	}
}

// TestLay_TextMistakes: what cannot be read changes nothing, and is said.
func TestLay_TextMistakes(t *testing.T) {
	t.Parallel()
	base, _ := mustStyle(t, ``)
	for settings, warning := range map[string]string{
		`"font-size":"huge"`:                "The setting 'font-size' cannot be read",
		`"color":"reddish"`:                 "The setting 'font-color' is no colour",
		`"font-weight":"fat"`:               "The setting 'font-weight' cannot be read",
		`"padding":"1px wide"`:              "The setting 'padding' cannot be read",
		`"opacity":"half"`:                  "The setting 'opacity' cannot be read",
		`"box-shadow":"big"`:                "The setting 'box-shadow' cannot be read",
		`"background":"linear-gradient(x)"`: "The setting 'background' cannot be read",
		`"filter":"blur(2px)"`:              "The setting 'filter' has no effect",
	} {
		got, warnings := mustStyle(t, settings)
		got.Settings.Padding = timeline.Sides{}
		if diff := cmp.Diff(base, got); diff != "" {
			t.Errorf("%s: text (-want +got):\n%s", settings, diff)
		}
		if diff := cmp.Diff([]string{"Scene #1 Element #1: " + warning}, warnings); diff != "" {
			t.Errorf("%s: warnings (-want +got):\n%s", settings, diff)
		}
	}
	for _, shadow := range []string{"1px", "big", "1px 2px sky"} {
		got, warnings := mustStyle(t, `"text-shadow":"`+shadow+`"`)
		if got.Settings.Shadow != nil || len(warnings) != 1 {
			t.Errorf("shadow %q: got %v, warnings %q", shadow, got.Settings.Shadow, warnings)
		}
	}
}

// TestLay_TextMargin: the textbox keeps away from the sides of its box.
func TestLay_TextMargin(t *testing.T) {
	t.Parallel()
	for margin, want := range map[string]timeline.Box{
		`"margin":"10px 20px"`:                  {X: 20, Y: 10, W: 960, H: 480},
		`"margin-left":"10vw","margin-top":-30`: {X: 100, Y: -30, W: 900, H: 530},
		`"margin":"auto"`:                       {W: 1000, H: 500},
		`"margin":"600px"`:                      {W: 1000, H: 500}, // nothing would be left
	} {
		if got := mustLayer(t, `{"type":"text","text":"x","settings":{`+margin+`}}`).Box; got != want {
			t.Errorf("%s: got %v, want %v", margin, got, want)
		}
	}
}

// TestLay_StyleDefaults has the printed defaults of vendor-catalogue §2.2, and ours for what it does not print.
func TestLay_StyleDefaults(t *testing.T) {
	t.Parallel()
	white, black := timeline.Color{R: 255, G: 255, B: 255, A: 255}, timeline.Color{A: 255}
	tests := []struct {
		style, family string
		size          float64
		color         timeline.Color
		shadow        bool
		more          func(*timeline.TextSettings)
	}{
		{"001", "Inter", 40, white, true, nil},
		{"002", "Roboto", 40, white, true, nil},
		{"003", "Roboto", 40, white, true, nil},
		{"004", "Roboto", 40, white, true, nil},
		{"005", "Roboto", 40, white, true, nil},
		{"006", "Anton", 40, white, true, func(s *timeline.TextSettings) { s.LetterSpacing = 20 }},
		{"007", "Anton", 40, white, false, nil},
		{"008", "Anton", 40, white, false, func(s *timeline.TextSettings) { s.Rules = true }},
		{"009", "Inter", 40, white, false, nil},
		{"010", "Inter", 40, white, false, nil},
		{"011", "Inter", 60, white, false, func(s *timeline.TextSettings) { s.Background, s.Boxes = black, "word" }},
		{"012", "Anton", 120, timeline.Color{R: 17, G: 17, B: 17, A: 255}, false, nil},
		{"013", "Oswald", 60, timeline.Color{R: 35, G: 64, B: 216, A: 255}, false, func(s *timeline.TextSettings) {
			s.Background, s.Boxes, s.LineHeight, s.Padding = white, "pill", 78, timeline.Sides{Left: 36, Right: 36}
		}},
		{"moviola/rise", "Roboto", 40, white, true, nil},
	}
	for _, tt := range tests {
		want := timeline.TextSettings{FontFamily: tt.family, FontSize: tt.size, FontWeight: 400, Color: tt.color, Align: "center", Horizontal: "center", Vertical: "center"}
		if tt.shadow {
			want.Shadow = &timeline.Shadow{X: 2, Y: 2, Color: timeline.Color{R: 33, G: 33, B: 33, A: 128}}
		}
		if tt.more != nil {
			tt.more(&want)
		}
		if diff := cmp.Diff(want, mustLayer(t, `{"type":"text","text":"x","style":"`+tt.style+`"}`).Text.Settings, near); diff != "" {
			t.Errorf("style %s (-want +got):\n%s", tt.style, diff)
		}
	}
	spaced := mustLayer(t, `{"type":"text","text":"x","style":"006","settings":{"letter-spacing":"normal"}}`).Text.Settings.LetterSpacing
	pill := mustLayer(t, `{"type":"text","text":"a, b","style":"013","settings":{"pill-color":"black","background-color":"white"}}`).Text
	bare := mustLayer(t, `{"type":"text","text":"x","style":"011","settings":{"background":"none"}}`).Text.Settings.Background
	if spaced != 0 || pill.Settings.Background != black || pill.Text != "a\nb" || bare.A != 0 {
		t.Errorf("letter-spacing %v, pill %v of %q, background %v", spaced, pill.Settings.Background, pill.Text, bare)
	}
}

func TestLay_TextTransform(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]string{
		"uppercase": "IT'S A FINE DAY", "lowercase": "it's a fine day", "capitalize": "It's A Fine Day", "none": "It's a Fine day",
	} {
		if got, _ := mustStyle(t, `"text-transform":"`+how+`"`); got.Text != want {
			t.Errorf("%s: got %q, want %q", how, got.Text, want)
		}
	}
}
