package canvas

import (
	"image"
	"math"
)

// List is a picture as a list of drawing operations, the lowest first. Nothing is drawn until Draw or DrawOn, which know
// the size of the result. A List can be drawn several times.
type List struct {
	items []item
}

type item struct {
	bounds image.Rectangle
	reach  int                                 // margin around the drawn part that is computed in addition, in pixels
	cost   int                                 // cost of drawing a pixel, relative to that of filling one
	inner  func(limit image.Rectangle) (n int) // additional cost of a group; nil: none
	draw   func(out *image.NRGBA)
}

func (l *List) add(i item) {
	if !i.bounds.Empty() {
		l.items = append(l.items, i)
	}
}

// Fill fills a transformed path.
func (l *List) Fill(p Path, m Matrix, paint Paint, opacity float64) {
	if !paint.Visible() || opacity <= 0 {
		return
	}
	l.add(item{bounds: p.Bounds(m), cost: 1, draw: func(out *image.NRGBA) { Fill(out, Cover(p, m, out.Rect), paint, m, opacity) }})
}

// Glow fills a transformed path with blurred edges: the shadow of a box.
func (l *List) Glow(p Path, m Matrix, blur float64, c Color, opacity float64) {
	if c.A == 0 || opacity <= 0 {
		return
	}
	reach := BlurReach(blur)
	all := p.Bounds(m).Inset(-reach)
	l.add(item{bounds: all, reach: reach, cost: 3, draw: func(out *image.NRGBA) {
		Fill(out, glow(p, m, blur, all.Intersect(out.Rect.Inset(-reach)), out.Rect), Paint{Color: c}, m, opacity)
	}})
}

// glow returns the coverage of a path with blurred edges inside the rectangle visible. The blur is computed in the larger
// rectangle area. A strong blur is computed on a coarser grid, without visible loss.
func glow(p Path, m Matrix, blur float64, area, visible image.Rectangle) *image.Alpha {
	var r Raster
	grid := coarseness(blur)
	if grid < 2 {
		shape := image.NewAlpha(area)
		r.Add(shape, p, m, area)
		Blur(shape, blur)
		return shape
	}
	g := float64(grid)
	coarse := coarseRect(area, grid)
	shape := image.NewAlpha(coarse)
	r.Add(shape, p, m.Then(Scale(1/g, 1/g, Point{})), coarse)
	blurFine(shape, blur/g)
	return enlarge(shape, grid, area.Intersect(visible))
}

// Paste draws a picture with a transformation.
func (l *List) Paste(sprite *image.NRGBA, m Matrix, opacity float64) {
	if opacity <= 0 || sprite == nil {
		return
	}
	bounds := m.bounds(sprite.Rect)
	if _, whole := m.shift(); !whole {
		bounds = bounds.Inset(-1)
	}
	l.add(item{bounds: bounds, cost: 1, draw: func(out *image.NRGBA) { Paste(out, sprite, m, opacity) }})
}

// Group draws another list as one object: clipped to a transformed path (nil: not clipped), with an opacity.
func (l *List) Group(inner *List, clip *Path, m Matrix, opacity float64) {
	bounds := inner.Bounds()
	if clip != nil {
		bounds = bounds.Intersect(clip.Bounds(m))
	}
	if opacity <= 0 {
		return
	}
	if clip == nil && opacity >= 1 {
		l.items = append(l.items, inner.items...)
		return
	}
	l.add(item{bounds: bounds, cost: 2, inner: inner.Cost, draw: func(out *image.NRGBA) {
		part := image.NewNRGBA(bounds.Intersect(out.Rect))
		inner.DrawOn(part)
		var coverage *image.Alpha
		if clip != nil {
			coverage = Cover(*clip, m, part.Rect)
		}
		Mask(part, coverage, opacity)
		Paste(out, part, Identity, 1)
	}})
}

// Cost is the approximate number of pixels to fill for drawing the list inside limit.
func (l *List) Cost(limit image.Rectangle) (n int) {
	for _, i := range l.items {
		visible := i.bounds.Intersect(limit.Inset(-i.reach))
		if !i.bounds.Overlaps(limit) {
			continue
		}
		n += visible.Dx() * visible.Dy() * i.cost
		if i.inner != nil {
			n += i.inner(visible)
		}
	}
	return n
}

// Cover paints the area of a coverage mask.
func (l *List) Cover(coverage *image.Alpha, paint Paint) {
	l.add(item{bounds: coverage.Rect, cost: 1, draw: func(out *image.NRGBA) { Fill(out, coverage, paint, Identity, 1) }})
}

// Bounds is a rectangle that contains everything the list draws.
func (l *List) Bounds() (all image.Rectangle) {
	for _, i := range l.items {
		all = all.Union(i.bounds)
	}
	return all
}

// DrawOn draws the list over a picture, clipped to the picture.
func (l *List) DrawOn(out *image.NRGBA) {
	for _, i := range l.items {
		if i.bounds.Overlaps(out.Rect) {
			i.draw(out)
		}
	}
}

// Draw draws the part of the picture that is inside limit. The bounds of the result are its position; it may be empty.
func (l *List) Draw(limit image.Rectangle) *image.NRGBA {
	out := image.NewNRGBA(l.Bounds().Intersect(limit))
	l.DrawOn(out)
	return out
}

// Round rounds a coordinate to whole pixels.
func Round(v float64) float64 { return math.Floor(v + 0.5) }
