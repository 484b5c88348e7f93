//go:build !race

package text_test

import (
	"image/color"
	"testing"

	"moviola/domain/timeline"
	"moviola/internal/drawing/goldentest"
)

const sentence = "The quick brown fox jumps over it"

// settings are those that change how a text looks.
var settings = []struct {
	name   string
	change func(*timeline.TextSettings)
}{
	{"stroke", func(s *timeline.TextSettings) { s.StrokeWidth, s.StrokeColor = 2, red }},
	{"underline", func(s *timeline.TextSettings) { s.Underline = true }},
	{"overline", func(s *timeline.TextSettings) { s.Overline = true }},
	{"line-through", func(s *timeline.TextSettings) { s.LineThrough = true }},
	{"several shadows", func(s *timeline.TextSettings) {
		s.Shadow = &timeline.Shadow{X: 2, Y: 2, Color: red}
		s.Shadows = []timeline.Shadow{{X: 4, Y: 4, Color: blue}, {X: 6, Y: 6, Blur: 6, Color: timeline.Color{A: 255}}}
	}},
	{"justify", func(s *timeline.TextSettings) { s.Align = timeline.AlignJustify }},
	{"word-spacing", func(s *timeline.TextSettings) { s.WordSpacing = 12 }},
	{"letter-spacing", func(s *timeline.TextSettings) { s.LetterSpacing = 3 }},
	{"italic", func(s *timeline.TextSettings) { s.Italic = true }},
	{"bold", func(s *timeline.TextSettings) { s.FontWeight = 800 }},
	{"border", func(s *timeline.TextSettings) {
		s.BorderWidth, s.BorderColor, s.Radius = 3, red, 10
		s.Padding = timeline.Sides{Top: 6, Right: 6, Bottom: 6, Left: 6}
	}},
	{"box shadow", func(s *timeline.TextSettings) {
		s.Background = blue
		s.BoxShadow = &timeline.BoxShadow{Shadow: timeline.Shadow{X: 4, Y: 4, Blur: 6, Color: timeline.Color{A: 255}}, Spread: 2}
	}},
	{"gradient", func(s *timeline.TextSettings) {
		s.Gradient = &timeline.Gradient{Degrees: 90, Stops: []timeline.Stop{{Color: red}, {Color: blue, At: 1}}}
	}},
	{"a title font", func(s *timeline.TextSettings) { s.FontFamily = "Anton Nowhere" }},
}

func TestDraw_EachSettingIsSeen(t *testing.T) {
	t.Parallel()
	plain := tile("plain", mustDraw(t, sentence, tileW, tileH, nil))
	for _, one := range settings {
		if d := goldentest.Difference(plain, tile(one.name, mustDraw(t, sentence, tileW, tileH, one.change))); d < 0.3 {
			t.Errorf("%s changes the picture by %.2f of 255 only", one.name, d)
		}
	}
}

// TestDraw_shadowOfNothing: a spread that takes more than the box away leaves no shadow.
func TestDraw_shadowOfNothing(t *testing.T) {
	t.Parallel()
	plain := tile("plain", mustDraw(t, sentence, tileW, tileH, nil))
	for _, spread := range []float64{-tileH / 2, -2 * tileW} {
		shadowed := mustDraw(t, sentence, tileW, tileH, func(s *timeline.TextSettings) {
			s.BoxShadow = &timeline.BoxShadow{Shadow: timeline.Shadow{X: 4, Y: 4, Color: timeline.Color{A: 255}}, Spread: spread}
		})
		if d := goldentest.Difference(plain, tile("shadow", shadowed)); d > 0 {
			t.Errorf("a spread of %g draws something: %.2f of 255", spread, d)
		}
	}
}

func TestDraw_JustifiedLinesReachBothEdges(t *testing.T) {
	t.Parallel()
	d := mustDraw(t, "HHHH HHHH HHHH HHHH HHH", 150, 200, func(s *timeline.TextSettings) { s.Align, s.Vertical = timeline.AlignJustify, "top" })
	got := rect(d)
	if got.Min.X > 3 || got.Max.X < 147 {
		t.Errorf("the lines reach from %d to %d of 150", got.Min.X, got.Max.X)
	}
	last := got.Max.Y - 5
	for x := 120; x < 150; x++ {
		if at(d, x, last).A > 0 {
			t.Fatal("the last line should be flush left")
		}
	}
}

func TestDraw_StrokeSurroundsTheLetters(t *testing.T) {
	t.Parallel()
	plain := mustDraw(t, "III", 200, 100, nil)
	stroked := mustDraw(t, "III", 200, 100, func(s *timeline.TextSettings) { s.StrokeWidth, s.StrokeColor = 4, red })
	if grown := rect(stroked).Dx() - rect(plain).Dx(); !near(grown, 4, 1) {
		t.Errorf("a stroke of 4 makes the text %d wider, want half of it on each side", grown)
	}
	edge := color.NRGBA{R: red.R, G: red.G, B: red.B, A: 255}
	if n := count(stroked, func(c color.NRGBA) bool { return c == edge }); n == 0 {
		t.Error("no pixel has the colour of the stroke")
	}
}

// TestDraw_UnderlineHasNoGaps: the pieces under the letters join, blanks included.
func TestDraw_UnderlineHasNoGaps(t *testing.T) {
	t.Parallel()
	d := mustDraw(t, "HH HH", 200, 100, func(s *timeline.TextSettings) { s.Underline = true })
	got := rect(d)
	y := got.Max.Y - 1
	for x := got.Min.X; x < got.Max.X; x++ {
		if at(d, x, y).A != 255 {
			t.Fatalf("pixel %d, %d of the line is %v", x, y, at(d, x, y))
		}
	}
}

func TestDraw_MarkedLineBreaks(t *testing.T) {
	t.Parallel()
	want := mustDraw(t, "one\ntwo\nthree", 200, 100, nil)
	if got := mustDraw(t, "one<br>two<BR />three", 200, 100, nil); !same(got, want) {
		t.Error("<br> does not end a line")
	}
}
