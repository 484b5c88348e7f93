package text_test

import (
	"testing"

	"moviola/domain/timeline"
	"moviola/internal/drawing/text"
)

// TestBlock_PillsOfEmptyPhrases: a phrase of which nothing is visible has no pill.
func TestBlock_PillsOfEmptyPhrases(t *testing.T) {
	t.Parallel()
	block, err := engine(t).Lay(timeline.Text{Text: "One\n\nTwo", Settings: timeline.TextSettings{
		FontFamily: "Inter", FontSize: 20, LineHeight: 30, Boxes: timeline.PillBoxes, Padding: timeline.Sides{Top: 8, Right: 8, Bottom: 8, Left: 8},
		Color: timeline.Color{A: 255}, Background: timeline.Color{R: 255, G: 255, B: 255, A: 255},
		Align: timeline.AlignCenter, Horizontal: timeline.AlignCenter, Vertical: timeline.AlignMiddle,
	}}, text.Options{}, 400, 300)
	if err != nil {
		t.Fatal(err)
	}
	d, err := block.Draw()
	if err != nil {
		t.Fatal(err)
	}
	if d.At.X < 100 || d.At.Y < 50 {
		t.Errorf("the drawing begins at %v: there is a pill in the corner", d.At)
	}
}
