package css_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/css"
)

var (
	red  = css.Color{R: 255, A: 255}
	blue = css.Color{B: 255, A: 255}
	// units are those of a canvas of 1000 × 500 pixels, whose font has 40.
	units = css.On(1000, 500, 40)
	near  = cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
)

func TestParseColor(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]css.Color{
		"#fff": {R: 255, G: 255, B: 255, A: 255}, "#1e90ff": {R: 30, G: 144, B: 255, A: 255}, "#1E90FF80": {R: 30, G: 144, B: 255, A: 128},
		"#f008": {R: 255, A: 136}, " Transparent ": {}, "DodgerBlue": {R: 30, G: 144, B: 255, A: 255}, "rgb(200,30,60)": {R: 200, G: 30, B: 60, A: 255},
		"rgba(33, 33, 33, 0.5)": {R: 33, G: 33, B: 33, A: 128}, "rgb(100% 0% 50% / 25%)": {R: 255, B: 128, A: 64}, "rgb(300,-5,0)": red, "RGB( 255 , 0 , 0 )": red,
		"hsl(0, 100%, 50%)": red, "hsl(120deg 100% 25%)": {G: 128, A: 255}, "hsla(240, 100%, 50%, 0.5)": {B: 255, A: 128}, "hsl(-120, 100%, 50%)": blue,
		"hsl(0.5turn 100% 50% / 50%)": {G: 255, B: 255, A: 128}, "hsl(210 65 20)": {R: 18, G: 51, B: 84, A: 255}, "hsl(0 0% 100%)": {R: 255, G: 255, B: 255, A: 255},
	} {
		if got, ok := css.ParseColor(text); got != want || !ok {
			t.Errorf("%q: got %v, %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{
		"rgb(1,2)", "rgba(1,2,3,4,5)", "rgb(nan,0,0)", "rgb(1,2,3", "#12345", "#gggggg", "#+1234567", "blurple", "", "none", "hsl(red 1% 1%)", "hsl(0, 1%)", "lab(1 2 3)",
	} {
		if got, ok := css.ParseColor(text); ok {
			t.Errorf("%q: got %v", text, got)
		}
	}
	if got, ok := css.ParsePaint(" None"); got != (css.Color{}) || !ok {
		t.Errorf("no paint: got %v, %v", got, ok)
	}
}

func TestUnits_Length(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]css.Length{
		"12px": {Px: 12}, "12": {Px: 12}, "4vw": {Px: 40}, ".4vw": {Px: 4}, "10VH": {Px: 50}, "1.5em": {Px: 60}, "2rem": {Px: 32}, "3pt": {Px: 4},
		"2vmin": {Px: 10}, "2vmax": {Px: 20}, "50%": {Share: 0.5}, "-5px": {Px: -5}, "+5px": {Px: 5}, " 7 px ": {Px: 7}, "auto": {Auto: true}, "9e5px": {Px: css.MaxLength},
		"1e9px": {Px: css.MaxLength},
	} {
		if got, ok := units.Length(text); got != want || !ok {
			t.Errorf("%q: got %v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "px", "red", "0x10", "1_0px", "inf", "NaN", "calc(1px + 2px)", "1e300px", "1 2px"} {
		if got, ok := units.Length(text); ok {
			t.Errorf("%q: got %v", text, got)
		}
	}
	if px, ok := units.Pixels("50%", 30); px != 15 || !ok {
		t.Errorf("half of 30 is %v, %v", px, ok)
	}
	if _, ok := units.Pixels("auto", 30); ok {
		t.Error("auto is a number of pixels")
	}
}

func TestUnits_Sides(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][4]float64{
		"1px": {1, 1, 1, 1}, "1px 2px": {1, 2, 1, 2}, "1 2 3": {1, 2, 3, 2}, "1 2 3 4": {1, 2, 3, 4}, " 1em  5% ": {40, 5, 40, 5}, "auto 3px": {7, 3, 7, 3},
	} {
		sides, ok := units.Sides(text)
		var got [4]float64
		for i, side := range sides {
			got[i] = side.Of(100, 7)
		}
		if got != want || !ok {
			t.Errorf("%q: got %v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "1 2 3 4 5", "1px wide"} {
		if got, ok := units.Sides(text); ok || got != ([4]css.Length{}) {
			t.Errorf("%q: got %v, %v", text, got, ok)
		}
	}
}

func TestAngle(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{"45deg": 45, "-0.5turn": -180, "100GRAD": 90, "3.141592653589793rad": 180, "30": 30} {
		if got, ok := css.Angle(text); math.Abs(got-want) > 1e-9 || !ok {
			t.Errorf("%q: got %v, %v", text, got, ok)
		}
	}
	if _, ok := css.Angle("north"); ok {
		t.Error("north is an angle")
	}
}

func TestParseGradient(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		places  []float64
		degrees float64
	}{
		"linear-gradient(red, blue)":                          {[]float64{0, 1}, 180},
		"linear-gradient(120deg, #FF2B2B 0%, #0039CB 100%)":   {[]float64{0, 1}, 120},
		"linear-gradient(to right, red, lime 25%, blue)":      {[]float64{0, 0.25, 1}, 90},
		"linear-gradient(to top left, red, lime, gold, blue)": {[]float64{0, 1.0 / 3, 2.0 / 3, 1}, -45},
		"linear-gradient(0.25turn, rgba(0,0,0,.5), #fff)":     {[]float64{0, 1}, 90},
		"linear-gradient(-45deg, red 90%, blue 10%)":          {[]float64{0.9, 0.9}, -45},
		"linear-gradient(red -20%, blue 300%)":                {[]float64{0, 1}, 180},
		"Repeating-Linear-Gradient(hsl(0 100% 50%), blue)":    {[]float64{0, 1}, 180},
		"radial-gradient(circle at center, red, blue)":        {[]float64{0, 1}, 180},
	} {
		g, ok := css.ParseGradient(text)
		var places []float64
		for _, s := range g.Stops {
			places = append(places, s.At)
		}
		if diff := cmp.Diff(want.places, places, near); diff != "" || !ok || math.Abs(g.Degrees-want.degrees) > 1e-9 || g.Radial != strings.HasPrefix(text, "radial") {
			t.Errorf("%s: got %v, %v (-want +got):\n%s", text, g, ok, diff)
		}
	}
	for _, text := range []string{
		"linear-gradient(red)", "linear-gradient()", "linear-gradient(red, nothing)", "linear-gradient(x)", "linear-gradient(to nowhere, red, blue)", "url(x)",
		"linear-gradient(red, blue", "linear-gradient(red 1% 2%, blue)", "conic-gradient(red, blue)",
	} {
		if g, ok := css.ParseGradient(text); ok {
			t.Errorf("%s: got %v", text, g)
		}
	}
}

func TestUnits_Shadows(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]css.Shadow{
		"2px 2px red": {{X: 2, Y: 2, Color: red}}, "none": nil, "0 0 2vw #00f": {{Blur: 20, Color: blue}},
		"red 1px -1px, 2px 2px 3px blue": {{X: 1, Y: -1, Color: red}, {X: 2, Y: 2, Blur: 3, Color: blue}},
		"inset 0 0 5px 0.1em #f00":       {{Blur: 5, Spread: 4, Color: red, Inset: true}},
		"1px 2px 9999px":                 {{X: 1, Y: 2, Blur: 300, Color: css.Black}},
	} {
		got, ok := units.Shadows(text)
		if diff := cmp.Diff(want, got); diff != "" || !ok {
			t.Errorf("%q: %v (-want +got):\n%s", text, ok, diff)
		}
	}
	for text, readable := range map[string]int{"1px": 0, "": 0, "1px 1px, oops 2px 2px": 1, strings.Repeat("1px 1px,", 50): 8, "1 2 3 4 5": 0, "auto 1px": 0} {
		if got, ok := units.Shadows(text); ok || len(got) != readable {
			t.Errorf("%q: got %v, %v", text, got, ok)
		}
	}
}

func TestUnits_Line(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]css.Line{
		"2px solid red": {Width: css.Length{Px: 2}, HasWidth: true, Color: &red, Style: "solid"},
		"RED dashed":    {Color: &red, Style: "dashed"},
		"none":          {Style: "none"}, "thick": {Width: css.Length{Px: 5}, HasWidth: true},
	} {
		got, ok := units.Line(text)
		if diff := cmp.Diff(want, got); diff != "" || !ok || got.Visible() == (text == "none") {
			t.Errorf("%q: %v (-want +got):\n%s", text, ok, diff)
		}
	}
	for _, text := range []string{"", "wavy", "2px solid reddish"} {
		if got, ok := units.Line(text); ok {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

func TestParseBackground(t *testing.T) {
	t.Parallel()
	gradient := css.Gradient{Degrees: 180, Stops: []css.Stop{{Color: red}, {Color: blue, At: 1}}}
	for text, want := range map[string]css.Background{
		"red": {Color: &red}, "none": {Color: &css.Color{}}, "linear-gradient(red, blue), blue": {Color: &blue, Gradient: &gradient},
		`url( "a,b;c.png" ) no-repeat center/cover`: {URL: "a,b;c.png", Position: "center", Size: "cover"}, "URL(A) cover blue": {URL: "A", Size: "cover", Color: &blue},
		"url(x) center / cover": {URL: "x", Position: "center", Size: "cover"}, "Left TOP/Contain no-repeat url(x) red": {URL: "x", Position: "left top", Size: "contain", Color: &red},
		"url(x) 10% 20px / 50% auto no-repeat blue":               {URL: "x", Position: "10% 20px", Size: "50% auto", Color: &blue},
		"url(x) right/10px red":                                   {URL: "x", Position: "right", Size: "10px", Color: &red},
		"url(x) bottom":                                           {URL: "x", Position: "bottom"},
		"center / 5px linear-gradient(red, blue), url(x) / cover": {URL: "x", Size: "cover", Gradient: &gradient},
		"url(x) left / contain, 0 0 / 5px red":                    {URL: "x", Position: "left", Size: "contain", Color: &red},
	} {
		got, ok := css.ParseBackground(text)
		if diff := cmp.Diff(want, got); diff != "" || !ok {
			t.Errorf("%q: %v (-want +got):\n%s", text, ok, diff)
		}
	}
	for _, text := range []string{"", "no-repeat", "linear-gradient(x)", "red, linear-gradient(x)"} {
		if got, ok := css.ParseBackground(text); ok {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

func TestFonts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"normal": 400, "Bold": 700, " 550 ": 550, "5000": 900, "-1": 100, "lighter": 300, "bolder": 700} {
		if got, ok := css.Weight(text); got != want || !ok {
			t.Errorf("weight %q: got %d, %v", text, got, ok)
		}
	}
	if _, ok := css.Weight("fat"); ok {
		t.Error("fat is a weight")
	}
	for text, want := range map[string]bool{"italic": true, "Oblique 10deg": true, "normal": false} {
		if got, ok := css.Italic(text); got != want || !ok {
			t.Errorf("style %q: got %v, %v", text, got, ok)
		}
	}
	for text, want := range map[string][]string{
		`Roboto, 'Open Sans' ,"A, B", `: {"Roboto", "Open Sans", "A, B"}, "": nil, "Bebas Neue": {"Bebas Neue"},
	} {
		if diff := cmp.Diff(want, css.Families(text)); diff != "" {
			t.Errorf("families %q (-want +got):\n%s", text, diff)
		}
	}
}

func TestExpandFont(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"12px Inter": "normal normal 12px normal Inter", "italic bold 12px/30px Georgia, serif": "italic bold 12px 30px Georgia, serif",
		"700 italic 5vw/1.2 'Open Sans'": "italic 700 5vw 1.2 'Open Sans'", "48 Lora": "normal normal 48 normal Lora", "normal condensed 1em Anton": "normal normal 1em normal Anton",
	} {
		all, ok := css.ExpandFont(text)
		var values []string
		for _, d := range all {
			values = append(values, d.Value)
		}
		if got := strings.Join(values, " "); got != want || !ok {
			t.Errorf("%q: got %q, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "bold", "12px", "Inter", "bold Inter", "12px/tall Inter", "big Inter"} {
		if got, ok := css.ExpandFont(text); ok {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

func TestDeclarations(t *testing.T) {
	t.Parallel()
	got := css.Declarations("fontSize: 10px; background: url('a;b: c'); odd; final_left:1")
	want := []css.Declaration{{Name: "font-size", Value: "10px"}, {Name: "background", Value: "url('a;b: c')"}, {Name: "final-left", Value: "1"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for name, want := range map[string]string{"font-size": "font-size", " Color ": "color", "first-column": "first-column"} {
		if got := css.PropertyName(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

// FuzzRead: whatever is written is read or refused, and what is read lies within its bounds.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"1px 2px 3% auto", "linear-gradient(90deg, red, blue 50%)", "1px solid rgba(0,0,0,.5)", "1e300px", "0 0 1px red, inset 2px 2px", "url('x;y')", ":::;;;((", "1px / 2px",
		",,,", "-5%", "italic 700 12px/1.2 'A B', serif", "hsl(120deg 50% 50% / .3)", "radial-gradient(red -9e9%, #12345678 )", "to top left",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		bounded := func(what string, n, most float64) {
			if math.IsNaN(n) || math.Abs(n) > most {
				t.Errorf("%q: %s is %v", text, what, n)
			}
		}
		if l, ok := units.Length(text); ok {
			bounded("the length", l.Px, css.MaxLength)
		}
		if n, ok := units.Pixels(text, 1000); ok {
			bounded("the number of pixels", n, css.MaxLength)
		}
		sides, _ := units.Sides(text)
		for _, side := range sides {
			bounded("a side", side.Px, css.MaxLength)
		}
		shadows, _ := units.Shadows(text)
		for _, s := range shadows {
			bounded("a shadow", max(math.Abs(s.X), math.Abs(s.Y), math.Abs(s.Spread)), css.MaxLength)
			bounded("a blur", s.Blur, 300)
		}
		b, _ := css.ParseBackground(text)
		if b.Gradient != nil {
			last := 0.0
			for _, s := range b.Gradient.Stops {
				if !(s.At >= last && s.At <= 1) {
					t.Errorf("%q: stops at %v", text, b.Gradient.Stops)
				}
				last = s.At
			}
		}
		if w, ok := css.Weight(text); ok && (w < css.Lightest || w > css.Heaviest) {
			t.Errorf("%q: weight %d", text, w)
		}
		units.Line(text)
		css.ExpandFont(text)
		if n := len(css.Families(text)); n > 20 {
			t.Errorf("%d families", n)
		}
		for _, d := range css.Declarations(text) {
			css.PropertyName(d.Name)
		}
	})
}

// TestSpellings: of several spellings of a name the one of CSS counts, and the order is the same every time.
func TestSpellings(t *testing.T) {
	t.Parallel()
	for range 20 { // maps are read in a random order
		got := css.Spellings(map[string]int{"font-size": 1, "font_size": 2, "fontSize": 3, "color": 4, "Color": 5})
		if diff := cmp.Diff([]string{"Color", "fontSize", "font_size", "color", "font-size"}, got); diff != "" {
			t.Fatal(diff)
		}
	}
}
