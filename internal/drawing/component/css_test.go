package component_test

import (
	"math"
	"testing"

	"moviola/internal/drawing/component"
)

func TestReadStyle(t *testing.T) {
	t.Parallel()
	red, none := component.Color{R: 255, A: 255}, component.Color{}
	white := component.Color{R: 255, G: 255, B: 255, A: 255}
	for css, want := range map[string]struct {
		size              float64
		weight            int
		color, background component.Color
		padding, border   [4]float64
	}{
		"font-size: 2em; padding: 1em":                  {80, 400, white, none, [4]float64{80, 80, 80, 80}, [4]float64{}},
		"font-size: 5vw; font-weight: bold; color: red": {50, 700, red, none, [4]float64{}, [4]float64{}},
		"padding: 1px 2px 3px; padding-left: 9px":       {40, 400, white, none, [4]float64{1, 2, 3, 9}, [4]float64{}},
		"padding: 10%":                                      {40, 400, white, none, [4]float64{100, 100, 100, 100}, [4]float64{}},
		"padding: 1px oops; font-weight: heavy":             {40, 400, white, none, [4]float64{}, [4]float64{}},
		"background: #f00; border: 2px solid blue":          {40, 400, white, red, [4]float64{}, [4]float64{2, 2, 2, 2}},
		"border: 2px solid; border-width: 1px 4px":          {40, 400, white, none, [4]float64{}, [4]float64{1, 4, 1, 4}},
		"border: 3px solid red; border: none":               {40, 400, white, none, [4]float64{}, [4]float64{}},
		"background: linear-gradient(red, blue), red":       {40, 400, white, red, [4]float64{}, [4]float64{}},
		"background: url('a,b;c.png') no-repeat center/5px": {40, 400, white, none, [4]float64{}, [4]float64{}},
		"fontSize: 10px; font_weight: 900; unknown: 7":      {10, 900, white, none, [4]float64{}, [4]float64{}},
		"font: italic bold 2em/1.2 Lora; padding: 1em":      {80, 700, white, none, [4]float64{80, 80, 80, 80}, [4]float64{}},
		"font: 10px Lora; font-size: 12px":                  {12, 400, white, none, [4]float64{}, [4]float64{}},
		"font-size: 99999px":                                {2000, 400, white, none, [4]float64{}, [4]float64{}},
	} {
		size, weight, color, background, padding, border := component.ReadStyle(css)
		if size != want.size || weight != want.weight || color != want.color || background != want.background || padding != want.padding || border != want.border {
			t.Errorf("%q: got %v %v %v %v %v %v", css, size, weight, color, background, padding, border)
		}
	}
}

func TestRich(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]struct {
		text  string
		spans int
	}{
		"plain": {"plain", 0}, "a <b>bold</b> word": {"a bold word", 1}, "<em>x</em><strong>y</strong>": {"xy", 2},
		"one<br>two<br/>three<BR />": {"one\ntwo\nthree", 0}, "<b>never closed": {"never closed", 1}, "2 < 3 > 1": {"2 < 3 > 1", 0},
		"&lt;b&gt; &amp; &nbsp;x": {"<b> & \u00a0x", 0}, `<span style="color:red">red</span>`: {"red", 0}, "<p>a</p><p>b</p>": {"a\nb", 0},
		"<b><i>both</i></b>": {"both", 1}, "</b>odd": {"odd", 0}, "a<": {"a<", 0}, "Mon\r\n<b>9</b>\rX": {"Mon\n9\nX", 1}, "<script>x": {"x", 0},
	} {
		text, spans := component.Rich(source, "")
		if text != want.text || spans != want.spans {
			t.Errorf("%q: got %q with %d parts", source, text, spans)
		}
	}
}

// TestRich_Transform: text-transform changes the letters that are seen, neither tags nor the names of entities.
func TestRich_Transform(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ source, how, want string }{
		{"caf&eacute; <b>ol&eacute;</b>&nbsp;!", "uppercase", "CAFÉ OLÉ\u00a0!"},
		{"&Eacute;T&Eacute;", "lowercase", "été"},
		{"<b>one</b> t<i>wo</i><br>three", "capitalize", "One Two\nThree"},
	} {
		if got, _ := component.Rich(c.source, c.how); got != c.want {
			t.Errorf("%s of %q is %q, want %q", c.how, c.source, got, c.want)
		}
	}
}

// FuzzStyle: whatever is written as CSS is read or ignored, and what is read lies within its bounds.
func FuzzStyle(f *testing.F) {
	for _, seed := range []string{
		"padding: 1px 2px; color: red", "background: linear-gradient(90deg, red, blue 50%)", "border: 1px solid rgba(0,0,0,.5)", "font-size: 1e300px",
		"box-shadow: 0 0 1px red, inset 2px 2px", "background:url('x;y')", ":::;;;((", "border-radius: 1px / 2px", "text-shadow: ,,,", "font-size:-5%",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, css string) {
		size, weight, _, _, padding, border := component.ReadStyle(css)
		if !(size >= 1 && size <= 2000) || weight < 100 || weight > 900 {
			t.Errorf("size %v, weight %d", size, weight)
		}
		for i := range padding {
			if math.IsNaN(padding[i]) || math.IsNaN(border[i]) || math.Abs(padding[i]) > 16384 || math.Abs(border[i]) > 16384 {
				t.Errorf("padding %v, border %v", padding, border)
			}
		}
		if text, _ := component.Rich(css, ""); len(text) > 10*len(css)+10 {
			t.Errorf("%d bytes became %d", len(css), len(text))
		}
	})
}

// FuzzOpen: no settings of a component break anything.
func FuzzOpen(f *testing.F) {
	f.Add("padding", "3vw", "text", "<b>x")
	f.Add("font-size", "auto", "background", "radial-gradient(red, blue)")
	f.Add("rotate", "400deg", "width", "-5%")
	f.Add("easing", "easeInBack", "border-radius", "50%")
	f.Fuzz(func(t *testing.T, name, value, other, text string) {
		for _, id := range component.IDs() {
			settings := object{}
			for group := range typical[id] {
				settings[group] = object{name: value, other: text, "animate": object{name: value, other: text}}
			}
			a, err := drawer(t).Open(componentOf(id, settings), 64, 48)
			if err != nil {
				continue
			}
			for _, seconds := range []float64{0, 0.2, a.Settled()} {
				if d, err := a.Frame(seconds); err == nil && (d.Image.Rect.Dx() > 64 || d.Image.Rect.Dy() > 48) {
					t.Errorf("%s: a picture of %v", id, d.Image.Rect)
				}
			}
		}
	})
}

// TestGroupStyle: the shorthand font of a component's settings overrides its defaults, and single properties of the settings
// override the shorthand.
func TestGroupStyle(t *testing.T) {
	t.Parallel()
	const defaults = "font-family: Inter; font-size: 50px; font-weight: 400"
	for _, c := range []struct {
		settings map[string]any
		family   string
		size     float64
		weight   int
	}{
		{map[string]any{}, "Inter", 50, 400},
		{map[string]any{"font": "700 80px Lora"}, "Lora", 80, 700},
		{map[string]any{"font": "700 80px Lora", "font-size": "60px"}, "Lora", 60, 700},
	} {
		if family, size, weight := component.GroupStyle(defaults, c.settings); family != c.family || size != c.size || weight != c.weight {
			t.Errorf("%v: %s, %g px, %d", c.settings, family, size, weight)
		}
	}
}
