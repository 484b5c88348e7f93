package artwork

import (
	"context"
	"fmt"
	"image"
	"math"
	"os"

	xdraw "golang.org/x/image/draw"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/timeline"
	"moviola/internal/drawing/picture"
)

// pixels decodes or draws a still picture that fills the rectangle box, and returns those of its pixels that lie in the rectangle
// seen. crop selects a part of the upright picture; empty: all of it.
func (s *Drawer) pixels(ctx context.Context, src Source, crop, box, seen image.Rectangle) (*image.RGBA, error) {
	if !src.isDrawing() {
		return picture.Still{Path: src.Path, Format: src.Asset.Format, Orientation: src.Asset.Orientation, Crop: crop,
			Box: box, Memory: &s.Memory}.Pixels(seen)
	}
	whole := image.Rect(0, 0, src.Asset.Facts.Width, src.Asset.Facts.Height)
	if crop.Empty() {
		crop = whole
	}
	crop, seen = crop.Intersect(whole), seen.Intersect(box)
	if crop.Empty() || seen.Empty() {
		return &image.RGBA{}, nil
	}
	if s.Pages.Draw == nil {
		return nil, domain.Errorf(domain.Invalid, "svg_unavailable", "SVG drawings cannot be drawn on this server: install "+
			"chromium-headless-shell")
	}
	svg, err := os.ReadFile(src.Path)
	if err != nil {
		return nil, fmt.Errorf("read a drawing: %w", err)
	}
	view := viewOf(whole, crop, box, seen)
	img, err := s.Pages.Draw.Drawing(ctx, svg, view)
	if err != nil {
		return nil, err
	}
	if view.W == seen.Dx() && view.H == seen.Dy() {
		return premultiplied(img, seen.Min), nil
	}
	out := image.NewRGBA(seen)
	xdraw.CatmullRom.Scale(out, seen, img, img.Rect, xdraw.Src, nil)
	return out, nil
}

// maxDrawn is the largest side in pixels that a browser draws: larger drawings are scaled up.
const maxDrawn = 3840

// viewOf returns the view in which the part of an SVG drawing inside the rectangle crop fills the rectangle box. The
// browser draws only what lies in the rectangle seen, a part of box. If seen is larger than maxDrawn, the view is drawn
// smaller, and has to be scaled up.
func viewOf(whole, crop, box, seen image.Rectangle) timeline.DrawingView {
	near := math.Min(1, maxDrawn/float64(max(seen.Dx(), seen.Dy())))
	v := timeline.DrawingView{
		Width: float64(whole.Dx()), Height: float64(whole.Dy()),
		ScaleX: near * float64(box.Dx()) / float64(crop.Dx()), ScaleY: near * float64(box.Dy()) / float64(crop.Dy()),
		W: max(1, int(math.Round(near*float64(seen.Dx())))), H: max(1, int(math.Round(near*float64(seen.Dy())))),
	}
	v.X = near*float64(box.Min.X-seen.Min.X) - v.ScaleX*float64(crop.Min.X)
	v.Y = near*float64(box.Min.Y-seen.Min.Y) - v.ScaleY*float64(crop.Min.Y)
	return v
}

// isDrawing reports whether a source is an SVG drawing, without pixels of its own.
func (s Source) isDrawing() bool { return s.Asset.Format == commands.DrawingFormat }
