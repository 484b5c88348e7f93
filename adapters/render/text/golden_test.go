package text_test

import (
	"fmt"
	"image"
	"testing"

	"moviola/adapters/render/goldentest"
	"moviola/adapters/render/text"
	"moviola/domain/timeline"
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

// TestAnimate_Golden: each style on its way.
func TestAnimate_Golden(t *testing.T) {
	t.Parallel()
	var tiles []goldentest.Tile
	for _, style := range allStyles() {
		a := mustAnimate(t, "Hello you\n你好 😀", style)
		for _, share := range []float64{0.2, 0.6} {
			tiles = append(tiles, tile(fmt.Sprintf("%s at %.2f", style, share), mustFrame(t, a, share*a.Settled())))
		}
	}
	goldentest.Check(t, "testdata/styles.png", 4, tiles)
}

const tileW, tileH = 200, 80

func tile(name string, d text.Drawing) goldentest.Tile {
	return goldentest.Tile{Name: name, Size: image.Pt(tileW, tileH), Picture: d.Image, At: d.At}
}
