package visual_test

import (
	"encoding/json"
	"image"
	"image/color"
	"image/draw"
	"testing"
	"time"

	"moviola/commands/previews"
	"moviola/internal/drawing/goldentest"
	"moviola/tests/studio"
)

// checkPreviews asks for previews of frames of a rendered movie and compares them with the frames themselves.
func checkPreviews(t *testing.T, s *studio.Studio, movie studio.Object, numbers []int, tiles []goldentest.Tile) {
	t.Helper()
	raw, err := json.Marshal(movie)
	if err != nil {
		t.Fatal(err)
	}
	moments := make([]float64, len(numbers))
	for i, frame := range numbers {
		moments[i] = (float64(frame) + 0.5) / fps
	}
	drawn, err := s.Engine.Stills(t.Context(), previews.Job{
		Account: "a", Document: raw, Moments: moments, Fetch: true, MaxSide: 1280, Now: time.Now(),
	})
	if err != nil {
		t.Fatalf("previews: %v", err)
	}
	if len(drawn.Missing) > 0 {
		t.Fatalf("previews miss %q", drawn.Missing)
	}
	for i, p := range drawn.Pictures {
		if p.Frame != int64(numbers[i]) {
			t.Errorf("%s: frame %d was drawn for frame %d", tiles[i].Name, p.Frame, numbers[i])
		}
		preview, ok := p.Image.(*image.NRGBA)
		if !ok {
			t.Fatalf("%s: the preview is a %T", tiles[i].Name, p.Image)
		}
		a := goldentest.Tile{Size: tiles[i].Size, Picture: unmarked(preview)}
		b := goldentest.Tile{Size: tiles[i].Size, Picture: unmarked(tiles[i].Picture)}
		if d := goldentest.Difference(a, b); d > goldentest.Tolerance {
			t.Errorf("%s: the preview differs from the movie's frame by %.1f of 255", tiles[i].Name, d)
		}
	}
}

// unmarked is a picture without the corner in which a preview says that it is one.
func unmarked(img *image.NRGBA) *image.NRGBA {
	out := image.NewNRGBA(img.Rect)
	copy(out.Pix, img.Pix)
	mark := image.Rectangle{Min: img.Rect.Max.Sub(image.Pt(60, 20)), Max: img.Rect.Max}
	draw.Draw(out, mark, image.NewUniform(color.Black), image.Point{}, draw.Src)
	return out
}
