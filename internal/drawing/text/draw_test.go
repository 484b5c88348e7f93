package text_test

import (
	"errors"
	"image"
	"image/color"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sirupsen/logrus"
	"pgregory.net/rapid"

	"moviola/domain"
	"moviola/domain/timeline"
	"moviola/internal/drawing/text"
	_ "moviola/tests/property"
)

// engine returns one engine for all tests, which use it in parallel.
func engine(t *testing.T) *text.Engine {
	t.Helper()
	e, err := sharedEngine()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

var cacheDir string

var sharedEngine = sync.OnceValues(func() (*text.Engine, error) {
	log := logrus.New()
	log.SetOutput(io.Discard)
	return text.NewEngine(cacheDir, log)
})

var (
	white = timeline.Color{R: 255, G: 255, B: 255, A: 255}
	red   = timeline.Color{R: 200, G: 30, B: 60, A: 255}
	blue  = timeline.Color{B: 255, A: 255}
)

// styled is a white text of 20 pixels in the middle, without a shadow.
func styled(words string, change func(*timeline.TextSettings)) timeline.Text {
	s := timeline.TextSettings{FontFamily: "Inter", FontSize: 20, FontWeight: 400, Color: white, Align: "center", Horizontal: "center", Vertical: "center"}
	if change != nil {
		change(&s)
	}
	return timeline.Text{Text: words, Settings: s}
}

func mustDraw(t *testing.T, words string, w, h int, change func(*timeline.TextSettings)) text.Drawing {
	t.Helper()
	d, err := engine(t).Draw(styled(words, change), w, h)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// rect is where in its box a drawing is visible.
func rect(d text.Drawing) image.Rectangle { return d.Image.Rect.Add(d.At) }

// at is a pixel of the box.
func at(d text.Drawing, x, y int) color.NRGBA { return d.Image.NRGBAAt(x-d.At.X, y-d.At.Y) }

// count says how many pixels of a drawing satisfy a condition.
func count(d text.Drawing, is func(color.NRGBA) bool) (n int) {
	for y := range d.Image.Rect.Dy() {
		for x := range d.Image.Rect.Dx() {
			if is(d.Image.NRGBAAt(x, y)) {
				n++
			}
		}
	}
	return n
}

// near allows for the shapes of other versions of a font.
func near(got, want, tolerance int) bool { return got >= want-tolerance && got <= want+tolerance }

func TestDraw_Alignment(t *testing.T) {
	t.Parallel()
	const w, h = 400, 200
	for _, horizontal := range []timeline.Align{"left", "center", "right"} {
		for _, vertical := range []timeline.VerticalAlign{"top", "center", "bottom"} {
			d := mustDraw(t, "HHHH", w, h, func(s *timeline.TextSettings) { s.Horizontal, s.Vertical = horizontal, vertical })
			got := rect(d)
			// The letters are 58 px wide and 15 px high; above and below them is the rest of a line of 24 px.
			left := map[timeline.Align]int{"left": 1, "center": 170, "right": 341}[horizontal]
			top := map[timeline.VerticalAlign]int{"top": 4, "center": 92, "bottom": 180}[vertical]
			if !near(got.Min.X, left, 2) || !near(got.Min.Y, top, 2) || !near(got.Dx(), 58, 3) || !near(got.Dy(), 15, 2) {
				t.Errorf("%s, %s: got %v, want 58x15 at %d, %d", horizontal, vertical, got, left, top)
			}
		}
	}
}

func TestDraw_LinesAndLineHeight(t *testing.T) {
	t.Parallel()
	d := mustDraw(t, "HH\nHHHHHH\n\nHH", 400, 400, func(s *timeline.TextSettings) { s.LineHeight, s.Align, s.Vertical = 50, "left", "top" })
	got := rect(d)
	if !near(got.Min.Y, 17, 2) || !near(got.Dy(), 3*50+15, 2) {
		t.Errorf("got %v, want four lines of 50 px", got)
	}
	left, row := got.Min.X, func(line int) int { return 25 + 50*line }
	for line, filled := range []bool{true, true, false, true} {
		if lit := at(d, left+1, row(line)).A > 0; lit != filled {
			t.Errorf("line %d: filled %v, want %v", line, lit, filled)
		}
	}
	if at(d, got.Max.X-2, row(0)).A > 0 || at(d, got.Max.X-2, row(1)).A == 0 {
		t.Error("the second line should be the longest, and the others flush left")
	}
}

// TestDraw_ColorsAreExact: the inside of letters and boxes has the very colour asked for.
func TestDraw_ColorsAreExact(t *testing.T) {
	t.Parallel()
	d := mustDraw(t, "█", 200, 200, func(s *timeline.TextSettings) { s.FontSize, s.Color = 100, red })
	center := rect(d).Min.Add(rect(d).Size().Div(2))
	if diff := cmp.Diff(color.NRGBA{R: 200, G: 30, B: 60, A: 255}, at(d, center.X, center.Y)); diff != "" {
		t.Errorf("letter (-want +got):\n%s", diff)
	}
	d = mustDraw(t, "█", 200, 200, func(s *timeline.TextSettings) {
		s.FontSize, s.Color, s.Background = 100, timeline.Color{R: 255, G: 255, B: 255, A: 128}, blue
		s.Padding = timeline.Sides{Top: 10, Right: 10, Bottom: 10, Left: 10}
	})
	if diff := cmp.Diff(color.NRGBA{B: 255, A: 255}, at(d, rect(d).Min.X+3, rect(d).Min.Y+3)); diff != "" {
		t.Errorf("background (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(color.NRGBA{R: 128, G: 128, B: 255, A: 255}, at(d, center.X, center.Y)); diff != "" {
		t.Errorf("half transparent letter over it (-want +got):\n%s", diff)
	}
	d = mustDraw(t, "█", 200, 200, func(s *timeline.TextSettings) {
		s.FontSize, s.Color = 100, timeline.Color{R: 10, G: 20, B: 30, A: 77}
	})
	if diff := cmp.Diff(color.NRGBA{R: 10, G: 20, B: 30, A: 77}, at(d, center.X, center.Y)); diff != "" {
		t.Errorf("half transparent letter (-want +got):\n%s", diff)
	}
}

func TestDraw_Background(t *testing.T) {
	t.Parallel()
	d := mustDraw(t, "HHHH", 400, 200, func(s *timeline.TextSettings) {
		s.Background, s.Padding, s.Radius = red, timeline.Sides{Top: 10, Right: 20, Bottom: 30, Left: 40}, 12
		s.LineHeight = 24
	})
	got := rect(d)
	if !near(got.Dx(), 61+60, 3) || got.Dy() != 24+40 {
		t.Errorf("got %v, want the letters with 60 and a line of 24 with 40 px", got)
	}
	corner, inside := at(d, got.Min.X, got.Min.Y), at(d, got.Min.X+12, got.Min.Y+1)
	if corner.A != 0 || inside != (color.NRGBA{R: 200, G: 30, B: 60, A: 255}) {
		t.Errorf("got corner %v, edge %v, want a round corner", corner, inside)
	}
	if first := at(d, got.Min.X+42, got.Min.Y+22); first != (color.NRGBA{R: 255, G: 255, B: 255, A: 255}) {
		t.Errorf("got %v where the first letter's stem is", first)
	}
}

func TestDraw_Shadow(t *testing.T) {
	t.Parallel()
	sharp := mustDraw(t, "H", 200, 200, func(s *timeline.TextSettings) {
		s.FontSize, s.Shadow = 100, &timeline.Shadow{X: 30, Y: 40, Color: red}
	})
	plain := mustDraw(t, "H", 200, 200, func(s *timeline.TextSettings) { s.FontSize = 100 })
	if want := rect(plain).Union(rect(plain).Add(image.Pt(30, 40))); rect(sharp) != want {
		t.Errorf("got %v, want %v", rect(sharp), want)
	}
	p := rect(plain).Min.Add(image.Pt(4, 70)) // in the left stem, near its foot
	if got := at(sharp, p.X, p.Y); got != (color.NRGBA{R: 255, G: 255, B: 255, A: 255}) {
		t.Errorf("the letter is not above its shadow: %v", got)
	}
	if got := at(sharp, p.X+30, p.Y+40); got != (color.NRGBA{R: 200, G: 30, B: 60, A: 255}) {
		t.Errorf("got %v where the stem's shadow is", got)
	}
	soft := mustDraw(t, "H", 200, 200, func(s *timeline.TextSettings) {
		s.FontSize, s.Color, s.Shadow = 100, timeline.Color{}, &timeline.Shadow{Blur: 20, Color: red}
	})
	if grown := rect(plain).Min.X - rect(soft).Min.X; grown < 10 || grown > 32 {
		t.Errorf("a blur of 20 px spreads %d px", grown)
	}
	if opaque := count(soft, func(c color.NRGBA) bool { return c.A == 255 }); opaque > 0 {
		t.Errorf("%d pixels of the blurred stems are still opaque", opaque)
	}
	sum := func(d text.Drawing) (total int) {
		count(d, func(c color.NRGBA) bool { total += int(c.A); return false })
		return total
	}
	if before, after := sum(plain), sum(soft); !near(after*100/before, 100, 3) {
		t.Errorf("blurring made %d of a coverage of %d", after, before)
	}
}

// TestDraw_Emoji: they are in colour, in the text's size and on its baseline.
func TestDraw_Emoji(t *testing.T) {
	t.Parallel()
	d := mustDraw(t, "😀", 200, 200, func(s *timeline.TextSettings) { s.FontSize = 100 })
	yellow := count(d, func(c color.NRGBA) bool { return c.R > 200 && c.G > 150 && c.B < 120 && c.A == 255 })
	if all := d.Image.Rect.Dx() * d.Image.Rect.Dy(); yellow < all/3 {
		t.Errorf("%d of %d pixels are yellow", yellow, all)
	}
	if !near(d.Image.Rect.Dx(), 112, 12) || !near(d.Image.Rect.Dy(), 112, 12) {
		t.Errorf("got %v for a font size of 100", d.Image.Rect)
	}
	faded := mustDraw(t, "😀", 200, 200, func(s *timeline.TextSettings) { s.FontSize, s.Color.A = 100, 128 })
	if strong := count(faded, func(c color.NRGBA) bool { return c.A > 129 }); strong > 0 {
		t.Errorf("%d pixels are more opaque than the text", strong)
	}
	again := mustDraw(t, "😀", 200, 200, func(s *timeline.TextSettings) { s.FontSize = 100 })
	if diff := cmp.Diff(d, again); diff != "" {
		t.Error("drawn from the cache it is another picture")
	}
}

// TestDraw_Scripts: each of these texts is seen, and two letters look different, which the box for missing ones would not.
func TestDraw_Scripts(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{{"ا", "ب"}, {"א", "ש"}, {"क", "ह"}, {"ก", "ฮ"}, {"你", "好"}, {"あ", "ん"}, {"한", "글"}, {"😀", "🚀"}, {"№", "€"}} {
		a, b := mustDraw(t, pair[0], 100, 100, nil), mustDraw(t, pair[1], 100, 100, nil)
		if a.Image.Rect.Empty() || b.Image.Rect.Empty() {
			t.Errorf("%s or %s is not seen", pair[0], pair[1])
		}
		if cmp.Equal(a.Image, b.Image) {
			t.Errorf("%s and %s look the same", pair[0], pair[1])
		}
	}
	joined, apart := mustDraw(t, "ببب", 200, 100, nil), mustDraw(t, "ب\u200cب\u200cب", 200, 100, nil)
	if joined.Image.Rect.Dx() >= apart.Image.Rect.Dx() {
		t.Error("Arabic letters are not joined")
	}
	family, three := mustDraw(t, "👨\u200d👩\u200d👧", 200, 100, nil), mustDraw(t, "👨👩👧", 200, 100, nil)
	if family.Image.Rect.Dx()*2 > three.Image.Rect.Dx() {
		t.Error("a family is not drawn as one emoji")
	}
}

func TestDraw_Nothing(t *testing.T) {
	t.Parallel()
	for _, words := range []string{"", " \n ", "\u200b"} {
		if d := mustDraw(t, words, 100, 100, nil); d.Image == nil || !d.Image.Rect.Empty() {
			t.Errorf("%q: got %v", words, d.Image.Rect)
		}
	}
	if d := mustDraw(t, "far", 100, 100, func(s *timeline.TextSettings) { s.Padding.Top = 5000; s.Vertical = "top" }); !d.Image.Rect.Empty() {
		t.Errorf("far below its box: got %v", rect(d))
	}
}

// TestDraw_IsBounded: however large a text is, its drawing is not much larger than its box, or it is refused.
func TestDraw_IsBounded(t *testing.T) {
	t.Parallel()
	d := mustDraw(t, "WWWWWWWWWWWWWWWWWWWWWWWW", 100, 100, func(s *timeline.TextSettings) { s.FontSize = 2000 })
	if limit := image.Rect(-513, -513, 613, 613); !rect(d).In(limit) {
		t.Errorf("got %v", rect(d))
	}
	for name, heavy := range map[string]timeline.Text{
		"a huge box": styled("W", func(s *timeline.TextSettings) {
			s.Background, s.Padding = red, timeline.Sides{Right: 16000, Bottom: 16000}
		}),
		"letters upon each other": styled(strings.Repeat("W", 1000), func(s *timeline.TextSettings) { s.FontSize, s.LetterSpacing = 2000, -1900 }),
	} {
		_, err := engine(t).Draw(heavy, 16384, 16384)
		var refused *domain.Error
		if !errors.As(err, &refused) || refused.Code != "text_too_large" {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestDraw_Concurrent(t *testing.T) {
	t.Parallel()
	words := "Aé 你好 عربي 😀 हिन्दी"
	want := mustDraw(t, words, 300, 100, nil)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			got, err := engine(t).Draw(styled(words, nil), 300, 100)
			if err != nil || !cmp.Equal(want, got) {
				t.Errorf("err %v, or another picture than before", err)
			}
		})
	}
	wait.Wait()
}

// TestDraw_RunWithoutGlyphs: the joiner is a run of its own, in another direction, and its font has no glyph for it.
func TestDraw_RunWithoutGlyphs(t *testing.T) {
	t.Parallel()
	for _, words := range []string{"\u202e \U00011fc0\u200d", "\u202e \U00011fc0\u200d\u200d", "\u202e \U00011fc0\u200da"} {
		if _, err := engine(t).Draw(styled(words, nil), 300, 100); err != nil {
			t.Errorf("%+q: %v", words, err)
		}
	}
}

// TestDraw_AnyText: no text makes the engine fail.
func TestDraw_AnyText(t *testing.T) {
	t.Parallel()
	e := engine(t)
	letters := rapid.SampledFrom([]rune("aW fi\n\t\u00ad\u200b\u200d\u202e\u2066\ufe0f\u20e3\U0001f1e9\U0001f3fd😀👩ا١بשक्षि์ก한漢あ\ufffd\u0301\U000f0000"))
	rapid.Check(t, func(t *rapid.T) {
		text := styled(rapid.StringOfN(rapid.OneOf(letters, rapid.Rune()), 0, 60, -1).Draw(t, "text"), func(s *timeline.TextSettings) {
			s.FontSize = rapid.Float64Range(1, 80).Draw(t, "size")
			s.LetterSpacing = rapid.Float64Range(-80, 80).Draw(t, "spacing")
			s.LineHeight = rapid.Float64Range(0, 100).Draw(t, "line height")
			s.Background = blue
			s.Radius = rapid.Float64Range(0, 500).Draw(t, "radius")
			s.Shadow = &timeline.Shadow{X: rapid.Float64Range(-200, 200).Draw(t, "x"), Blur: rapid.Float64Range(0, 60).Draw(t, "blur"), Color: red}
		})
		w, h := rapid.IntRange(1, 300).Draw(t, "w"), rapid.IntRange(1, 300).Draw(t, "h")
		d, err := e.Draw(text, w, h)
		if err != nil {
			t.Fatal(err)
		}
		if d.Image.Rect.Min != (image.Point{}) || d.Image.Rect.Dx() > w+2048 || d.Image.Rect.Dy() > h+2048 {
			t.Fatalf("got %v at %v", d.Image.Rect, d.At)
		}
	})
}
