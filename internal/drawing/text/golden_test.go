//go:build !race

package text_test

import (
	"fmt"
	"image"
	"strings"
	"testing"

	"moviola/domain/document"
	"moviola/domain/timeline"
	"moviola/internal/drawing/goldentest"
	"moviola/internal/drawing/text"
)

// TestDraw_Golden: many scripts at once, with a background and a shadow.
func TestDraw_Golden(t *testing.T) {
	t.Parallel()
	d := mustDraw(t, "Aé 你好 عربي 😀\nfi हिन्दी ภาษา", 280, 110, func(s *timeline.TextSettings) {
		s.FontSize, s.FontWeight, s.Background, s.Radius = 28, 600, red, 16
		s.Padding = timeline.Sides{Top: 4, Right: 12, Bottom: 4, Left: 12}
		s.Shadow = &timeline.Shadow{X: 2, Y: 2, Blur: 4, Color: timeline.Color{A: 200}}
	})
	goldentest.Check(t, "testdata/mixed.png", 1, []goldentest.Tile{{Name: "mixed", Size: image.Pt(280, 110), Picture: d.Image, At: d.At}})
}

// TestDraw_GoldenSettings: each setting, one picture.
func TestDraw_GoldenSettings(t *testing.T) {
	t.Parallel()
	var tiles []goldentest.Tile
	for _, one := range settings {
		tiles = append(tiles, tile(one.name, mustDraw(t, sentence, tileW, tileH, one.change)))
	}
	goldentest.Check(t, "testdata/settings.png", 3, tiles)
}

// TestAnimate_Golden: each style with its own defaults, as the planner makes it, at 0, 25, 50, 75 and 100 % of its entrance.
func TestAnimate_Golden(t *testing.T) {
	t.Parallel()
	sheets := map[string][]goldentest.Tile{}
	for _, style := range document.TextStyles() {
		sheet := "testdata/styles-moviola.jpg"
		if !strings.HasPrefix(style, "moviola/") && style <= "007" {
			sheet = "testdata/styles-001.jpg"
		} else if !strings.HasPrefix(style, "moviola/") {
			sheet = "testdata/styles-008.jpg"
		}
		planned := mustPlan(t, fmt.Sprintf(`{"type":"text","style":%q,"text":"Hello,\nmy world","settings":{"font-size":"13vw"}}`, style))
		a, err := engine(t).Animate(planned, tileW, tileH)
		if err != nil {
			t.Fatal(err)
		}
		for _, share := range []float64{0, 0.25, 0.5, 0.75, 1} {
			tiles := tile(fmt.Sprintf("%s at %.2f", style, share), mustFrame(t, a, share*a.Settled()))
			sheets[sheet] = append(sheets[sheet], tiles)
		}
	}
	for sheet, tiles := range sheets {
		goldentest.Check(t, sheet, 5, tiles)
	}
}

// mustPlan is a text element of a movie as large as a tile, as the planner resolves it.
func mustPlan(t *testing.T, element string) timeline.Text {
	t.Helper()
	m, err := document.Parse(fmt.Appendf(nil, `{"resolution":"custom","width":%d,"height":%d,"scenes":[{"duration":20,"elements":[%s]}]}`, tileW, tileH, element))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := timeline.Lay(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range plan.Windows {
		for _, l := range w.Layers {
			if l.Text != nil {
				return *l.Text
			}
		}
	}
	t.Fatalf("no text in the plan of %s", element)
	return timeline.Text{}
}

func tile(name string, d text.Drawing) goldentest.Tile {
	return goldentest.Tile{Name: name, Size: image.Pt(tileW, tileH), Picture: d.Image, At: d.At}
}
