package captions

import (
	"image"
	"io"
	"testing"

	"github.com/sirupsen/logrus"

	"moviola/domain/caption"
	"moviola/internal/drawing/text"
)

// TestSetter_MemoryIsBounded: words that nobody sees are not drawn, and those that were seen are not kept for ever.
func TestSetter_MemoryIsBounded(t *testing.T) {
	t.Parallel()
	log := logrus.New()
	log.SetOutput(io.Discard)
	engine, err := text.NewEngine(t.TempDir(), log)
	if err != nil {
		t.Fatal(err)
	}
	const w, h = 640, 360
	style := caption.Style{Family: "Inter", Size: 700, Weight: 700, Line: caption.Color{R: 255, G: 255, B: 255, A: 255},
		Outline: caption.Color{A: 255}, OutlineWidth: 5, Position: caption.MidBottomCenter}
	c := New(engine, style, w, h)
	draw := func(letters string) *image.NRGBA {
		var row caption.Row
		for _, letter := range letters {
			row.Pieces = append(row.Pieces, caption.Piece{Text: string(letter)})
		}
		img, err := c.Draw([]caption.Row{row})
		if err != nil {
			t.Fatal(err)
		}
		return img
	}
	first := draw("A")
	const all = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	draw(all)
	for _, letter := range all {
		draw(string(letter))
	}
	kept := 0
	for _, p := range c.known {
		kept += area(p.letters) + area(p.under)
	}
	if kept > 16<<20 {
		t.Errorf("%d pixels are kept", kept)
	}
	again := draw("A")
	if first.Rect.Empty() || first.Rect != again.Rect || string(first.Pix) != string(again.Pix) {
		t.Errorf("the same caption is drawn in %v and then in %v", first.Rect, again.Rect)
	}
}
