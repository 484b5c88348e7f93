package artwork

import (
	"context"
	"errors"
	"image"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"moviola/commands"
	"moviola/domain/document"
	"moviola/domain/timeline"
	"moviola/internal/drawing/text"
)

// TestContent_DrawsOnlyWhatIsSeen: content of an element that is much larger than the canvas takes memory for the canvas only.
func TestContent_DrawsOnlyWhatIsSeen(t *testing.T) {
	t.Parallel()
	const w, h = 64, 48
	big := timeline.Box{X: -1500, Y: -1500, W: 3000, H: 3000}
	d := &Drawer{
		Dir: t.TempDir(), W: w, H: h, Rate: timeline.Rate{Num: 25, Den: 1},
		Sound: func(context.Context) (*Envelope, error) {
			return &Envelope{Peaks: slices.Repeat([]float32{1}, 10*EnvelopeRate)}, nil
		},
		Pages:  &MoviePages{Sketch: &Sketch{W: w, H: h}, Kept: PageStills{Dir: t.TempDir()}},
		Source: func(string) Source { return Source{} },
	}
	white := timeline.Color{R: 255, G: 255, B: 255, A: 255}
	for name, l := range map[string]timeline.Layer{
		"an audiogram":              {Kind: timeline.AudiogramLayer, Box: big, Life: 25, Seek: 5, Audiogram: &timeline.Audiogram{Color: white, Amplitude: 5}},
		"a page that is not loaded": {Kind: timeline.HTMLLayer, Box: big, Life: 25, Page: &timeline.Page{Source: "https://x.test/page"}},
	} {
		a, err := d.Open(t.Context(), l)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		img, err := a.(*plain).At(t.Context(), 0)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !img.Rect.In(image.Rect(0, 0, w, h)) {
			t.Errorf("%s: a picture of %v is drawn", name, img.Rect)
		}
		seen := 0
		for i := 3; i < len(img.Pix); i += 4 {
			if img.Pix[i] > 0 {
				seen++
			}
		}
		if seen < w*h/4 {
			t.Errorf("%s: %d pixels are drawn", name, seen)
		}
	}
}

// namer names as fonts the pages that it is asked about.
type namer struct{}

func (namer) Animate(timeline.Text, int, int) (text.Animated, error) {
	return nil, errors.New("nothing is drawn")
}
func (namer) FontsOf(timeline.Text) ([]string, error)     { return nil, nil }
func (namer) FontsOfAll(w text.Writing) ([]string, error) { return []string{w.Page}, nil }

// TestDrawer_FontsOfDrawings: the fonts of SVG drawings belong to a layer, wherever it shows them.
func TestDrawer_FontsOfDrawings(t *testing.T) {
	t.Parallel()
	const address, drawing = "https://x.test/a.svg", "<svg><text>x</text></svg>"
	path := filepath.Join(t.TempDir(), "a.svg")
	if err := os.WriteFile(path, []byte(drawing), 0o600); err != nil {
		t.Fatal(err)
	}
	d := &Drawer{Text: namer{}, Source: func(key string) Source {
		if key != address {
			return Source{}
		}
		return Source{Path: path, Asset: commands.Asset{Format: commands.DrawingFormat}}
	}}
	for name, l := range map[string]timeline.Layer{
		"source":    {Source: address},
		"mask":      {Effects: &timeline.Effects{Mask: &timeline.Mask{Source: address}}},
		"component": {Component: &document.Component{Settings: map[string]any{"card": []any{map[string]any{"background": "url('" + address + "')"}}}}},
	} {
		if fonts, err := d.Fonts(l); err != nil || !slices.Contains(fonts, drawing) {
			t.Errorf("%s: the fonts are %q, %v", name, fonts, err)
		}
	}
}
