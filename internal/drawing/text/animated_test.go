package text_test

import (
	"bytes"
	"image/color"
	"testing"

	"moviola/domain/document"
	"moviola/domain/timeline"
	"moviola/internal/drawing/text"
)

// allStyles are the styles that move.
func allStyles() []string {
	var styles []string
	for _, style := range document.TextStyles() {
		if document.TextMotions[style].Moves() {
			styles = append(styles, style)
		}
	}
	return styles
}

// motion is the animation of a style as the planner makes it.
func motion(style, words string) *timeline.Animation {
	m := document.TextMotions[style]
	if !m.Moves() {
		return nil
	}
	return &timeline.Animation{
		Style: style, Unit: m.Unit, Units: m.Unit.Count(words), Delay: m.Delay, Step: m.Step, Each: m.Each, Random: m.Random, Least: m.Least, Leaves: m.Leaves, Way: 40,
	}
}

func mustAnimate(t *testing.T, words, style string) text.Animated {
	t.Helper()
	s := styled(words, func(s *timeline.TextSettings) {
		s.FontSize, s.FontWeight, s.Background, s.Radius = 24, 600, timeline.Color{A: 90}, 6
		s.Padding = timeline.Sides{Top: 4, Right: 8, Bottom: 4, Left: 8}
		s.Shadow = &timeline.Shadow{X: 2, Y: 2, Blur: 2, Color: timeline.Color{A: 160}}
	})
	s.Animation = motion(style, words)
	switch style {
	case "008":
		s.Settings.Rules = true
	case "013":
		s.Settings.Boxes = timeline.PillBoxes
	}
	a, err := engine(t).Animate(s, tileW, tileH)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func mustFrame(t *testing.T, a text.Animated, seconds float64) text.Drawing {
	t.Helper()
	d, err := a.Frame(seconds)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// same says whether two pictures are equal. Comparing their pixels one by one, as cmp does, takes long.
func same(a, b text.Drawing) bool {
	return a.At == b.At && a.Image.Rect == b.Image.Rect && bytes.Equal(a.Image.Pix, b.Image.Pix)
}

// TestAnimate_SettlesAtTheStill: from Settled on, and not before, the picture is that of the text without an animation.
func TestAnimate_SettlesAtTheStill(t *testing.T) {
	t.Parallel()
	for _, style := range allStyles() {
		a := mustAnimate(t, "Hello world", style)
		rest := mustFrame(t, a, a.Settled())
		if !same(rest, mustFrame(t, a, a.Settled()+100)) {
			t.Errorf("style %s goes on after it has settled", style)
		}
		m := document.TextMotions[style]
		if want := m.Seconds(m.Unit.Count("Hello world")); a.Settled() > want+1e-9 {
			t.Errorf("style %s settles at %.3f, after the %.3f that are planned", style, a.Settled(), want)
		}
		if same(rest, mustFrame(t, a, a.Settled()*0.3)) {
			t.Errorf("style %s shows nothing moving", style)
		}
		if m.Leaves || style == "008" || style == "013" { // what they end with is not the plain text
			continue
		}
		plain := mustAnimate(t, "Hello world", "001")
		if plain.Settled() != 0 {
			t.Errorf("a text without a style settles at %f", plain.Settled())
		}
		if !same(mustFrame(t, plain, 0), rest) {
			t.Errorf("style %s does not end at the still", style)
		}
	}
}

func TestAnimate_IsDeterministic(t *testing.T) {
	t.Parallel()
	for _, style := range allStyles() {
		a, b := mustAnimate(t, "Hello 😀 مرحبا", style), mustAnimate(t, "Hello 😀 مرحبا", style)
		for _, seconds := range []float64{0.31, 0, 0.05, -1} { // in any order
			if !same(mustFrame(t, a, seconds), mustFrame(t, b, seconds)) {
				t.Errorf("style %s: two frames at %.2f s differ", style, seconds)
			}
		}
	}
}

// TestAnimate_StartsWithNothing: what comes in is not there before, what leaves is not there after.
func TestAnimate_StartsWithNothing(t *testing.T) {
	t.Parallel()
	for _, style := range allStyles() {
		s := styled("Hello world", nil)
		s.Animation = motion(style, s.Text)
		a, err := engine(t).Animate(s, 300, 100)
		if err != nil {
			t.Fatal(err)
		}
		first, last := mustFrame(t, a, 0), mustFrame(t, a, a.Settled())
		if s.Animation.Leaves {
			first, last = last, first
		}
		lit := func(c color.NRGBA) bool { return c.A > 20 }
		// The cursor of a typed text is there before the first letter.
		if before, after := count(first, lit), count(last, lit); before > after/8 {
			t.Errorf("style %s begins with %d of %d pixels", style, before, after)
		}
	}
}

// TestAnimate_ClustersStayWhole: joined letters and letters with marks come as one.
func TestAnimate_ClustersStayWhole(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		words string
		want  float64 // units that move, at most
	}{
		"arabic": {"مرحبا", 1}, "devanagari": {"नमस्ते", 1}, "family": {"👨‍👩‍👧", 1}, "accents": {"éâ", 2}, "latin": {"abc", 3},
	} {
		s := styled(tt.words, nil)
		s.Animation = &timeline.Animation{Style: "moviola/settle", Unit: timeline.LetterUnit, Units: 100, Step: 1, Each: 1}
		a, err := engine(t).Animate(s, 300, 100)
		if err != nil {
			t.Fatal(err)
		}
		if a.Settled() != tt.want {
			t.Errorf("%s: %.0f units, want %.0f", name, a.Settled(), tt.want)
		}
	}
}

// TestAnimate_MoreUnitsThanPlanned begin with the last one, so that the text settles when the plan says.
func TestAnimate_MoreUnitsThanPlanned(t *testing.T) {
	t.Parallel()
	s := styled("one two three four five six seven eight nine ten", nil)
	s.Animation = &timeline.Animation{Style: "moviola/slide", Unit: timeline.LineUnit, Units: 1, Step: 0.2, Each: 0.7}
	a, err := engine(t).Animate(s, 80, 300)
	if err != nil {
		t.Fatal(err)
	}
	if a.Settled() != 0.7 {
		t.Errorf("it settles at %f", a.Settled())
	}
}

// TestAnimate_TypesInReadingOrder: each letter adds to the ones before.
func TestAnimate_TypesInReadingOrder(t *testing.T) {
	t.Parallel()
	a := mustAnimate(t, "Hello", "moviola/type")
	last := 0
	for i := range 5 {
		d := mustFrame(t, a, 0.06*float64(i)+0.03)
		n := count(d, func(c color.NRGBA) bool { return c.R > 200 && c.A > 200 })
		if n <= last {
			t.Errorf("letter %d does not add to the %d pixels before it (%d)", i, last, n)
		}
		last = n
	}
}

func BenchmarkAnimate(b *testing.B) {
	e, err := sharedEngine()
	if err != nil {
		b.Fatal(err)
	}
	for _, style := range allStyles() {
		b.Run(style, func(b *testing.B) {
			s := styled("A title of six words here", func(s *timeline.TextSettings) {
				s.FontSize, s.FontWeight = 110, 700
				s.Shadow = &timeline.Shadow{X: 2, Y: 2, Color: timeline.Color{A: 128}}
			})
			s.Animation = motion(style, s.Text)
			a, err := e.Animate(s, 1920, 1080)
			if err != nil {
				b.Fatal(err)
			}
			for i := 0; b.Loop(); i++ {
				if _, err := a.Frame(a.Settled() * float64(i%50) / 50); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
