package artwork

import (
	"context"
	"image"
	"math"

	"moviola/domain/timeline"
	"moviola/internal/drawing/picture"
)

// Region returns the rectangle of the canvas in which the layer that p draws may be visible.
func (p *Posed) Region(ctx context.Context) (image.Rectangle, error) {
	switch {
	case p.fx.Rotation != nil:
		return picture.TurnBounds(p.box, p.w, p.h), nil
	case p.fx.Motion == nil || p.Content.Settled() > p.layer.Phase:
		return picture.Even(p.box, p.w, p.h), nil
	}
	// A picture that does not change may fill only a part of its box, for instance a title. The motion moves only this part.
	img, err := p.shown(ctx, p.layer.Phase)
	if err != nil || img.Rect.Empty() {
		return image.Rectangle{}, err
	}
	filled := p.keyed(img).Rect
	p.seen = p.across(filled, p.fx.Motion.From).Union(p.across(filled, p.fx.Motion.To)).Intersect(p.box)
	return picture.Even(p.seen, p.w, p.h), nil
}

// across returns the rectangle on the canvas that a part of the drawn picture covers under a view. The rectangle is enlarged by
// three pixels on each side, because scaling spreads pixels.
func (p *Posed) across(part image.Rectangle, v timeline.View) image.Rectangle {
	const room = 3
	at := func(n, from, sheet int, start, size float64, box, boxSize int) float64 {
		return float64(box) + (float64(n-from)/float64(sheet)-start)/size*float64(boxSize)
	}
	x := func(n int) float64 { return at(n, p.sheet.Min.X, p.sheet.Dx(), v.X, v.W, p.box.Min.X, p.box.Dx()) }
	y := func(n int) float64 { return at(n, p.sheet.Min.Y, p.sheet.Dy(), v.Y, v.H, p.box.Min.Y, p.box.Dy()) }
	return image.Rect(
		int(math.Floor(x(part.Min.X)))-room, int(math.Floor(y(part.Min.Y)))-room,
		int(math.Ceil(x(part.Max.X)))+room, int(math.Ceil(y(part.Max.Y)))+room,
	)
}
