// Package canvas has the pixel operations that texts and components share: paths and their coverage, colours and gradients,
// blurs, transformed sprites, and easings. Pictures are NRGBA, so that opaque colours stay exact.
package canvas

import (
	"image"
	"math"

	"golang.org/x/image/vector"
)

// Point is a place in pixels.
type Point struct{ X, Y float64 }

// Path is a set of closed contours. Where contours of the same direction overlap the inside is filled; a contour inside of
// another one with the opposite direction cuts a hole.
type Path struct {
	ops    []byte
	points []Point
}

const (
	opMove  = 'M' // takes 1 point
	opLine  = 'L' // takes 1 point
	opQuad  = 'Q' // takes 2 points
	opCube  = 'C' // takes 3 points
	opClose = 'Z'
)

// MoveTo begins a contour.
func (p *Path) MoveTo(x, y float64) { p.add(opMove, Point{x, y}) }

// LineTo continues the contour by a straight line.
func (p *Path) LineTo(x, y float64) { p.add(opLine, Point{x, y}) }

// QuadTo continues the contour by a quadratic curve.
func (p *Path) QuadTo(x1, y1, x, y float64) { p.add(opQuad, Point{x1, y1}, Point{x, y}) }

// CubeTo continues the contour by a cubic curve.
func (p *Path) CubeTo(x1, y1, x2, y2, x, y float64) {
	p.add(opCube, Point{x1, y1}, Point{x2, y2}, Point{x, y})
}

// Close ends a contour.
func (p *Path) Close() { p.ops = append(p.ops, opClose) }

func (p *Path) add(op byte, points ...Point) {
	p.ops = append(p.ops, op)
	p.points = append(p.points, points...)
}

// Append adds the contours of another path.
func (p *Path) Append(q Path) {
	p.ops = append(p.ops, q.ops...)
	p.points = append(p.points, q.points...)
}

// Empty reports whether the path has no points.
func (p *Path) Empty() bool { return len(p.points) == 0 }

// Len is the number of points of the path, a measure of the cost of drawing it.
func (p *Path) Len() int { return len(p.points) }

// Transform returns the path, transformed.
func (p *Path) Transform(m Matrix) Path {
	q := Path{ops: p.ops, points: make([]Point, len(p.points))}
	for i, at := range p.points {
		q.points[i] = m.Apply(at)
	}
	return q
}

// Bounds is a rectangle of whole pixels around the path after a transformation.
func (p *Path) Bounds(m Matrix) image.Rectangle {
	if len(p.points) == 0 {
		return image.Rectangle{}
	}
	lo, hi := Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
	for _, at := range p.points {
		q := m.Apply(at)
		lo.X, lo.Y, hi.X, hi.Y = min(lo.X, q.X), min(lo.Y, q.Y), max(hi.X, q.X), max(hi.Y, q.Y)
	}
	return around(lo, hi)
}

// around returns the smallest rectangle of whole pixels that contains the points lo and hi. It limits coordinates to ±1<<24.
func around(lo, hi Point) image.Rectangle {
	edge := func(v float64) int {
		if math.IsNaN(v) {
			return 0
		}
		return int(min(max(v, -1<<24), 1<<24))
	}
	return image.Rect(edge(math.Floor(lo.X)), edge(math.Floor(lo.Y)), edge(math.Ceil(hi.X)), edge(math.Ceil(hi.Y)))
}

// Raster converts paths to coverage. It reuses its buffers, and is not safe for concurrent use.
type Raster struct{ z vector.Rasterizer }

// Add draws the inside of the path p, transformed by m, into a mask, the parameter to. It adds to the coverage that the
// mask already holds. Pixels outside of area, or outside of the bounds of the mask, do not change.
func (r *Raster) Add(to *image.Alpha, p Path, m Matrix, area image.Rectangle) {
	bounds := p.Bounds(m)
	area = area.Intersect(to.Rect).Intersect(bounds)
	if area.Empty() {
		return
	}
	r.z.Reset(area.Dx(), area.Dy())
	if !bounds.In(area.Inset(-farthest)) {
		r.clipped(p, m, area)
		r.z.Draw(to, area, image.Opaque, image.Point{})
		return
	}
	left, top := float64(area.Min.X), float64(area.Min.Y)
	points := p.points
	next := func() (x, y float32) {
		at := m.Apply(points[0])
		points = points[1:]
		return float32(at.X - left), float32(at.Y - top)
	}
	open := false
	for _, op := range p.ops {
		switch op {
		case opMove:
			if open {
				r.z.ClosePath()
			}
			open = true
			r.z.MoveTo(next())
		case opLine:
			r.z.LineTo(next())
		case opQuad:
			x1, y1 := next()
			x, y := next()
			r.z.QuadTo(x1, y1, x, y)
		case opCube:
			x1, y1 := next()
			x2, y2 := next()
			x, y := next()
			r.z.CubeTo(x1, y1, x2, y2, x, y)
		case opClose:
			if open {
				r.z.ClosePath()
			}
			open = false
		}
	}
	if open {
		r.z.ClosePath()
	}
	r.z.Draw(to, area, image.Opaque, image.Point{})
}

// farthest is how far a path may reach beyond the drawn area, in pixels, before it is clipped. vector.Rasterizer computes with
// 32 bits, and takes time for each pixel that an edge crosses, also outside of the area.
const farthest = 1 << 14

// clipped gives the rasterizer the edges of a path, as far as they affect the area.
func (r *Raster) clipped(p Path, m Matrix, area image.Rectangle) {
	q := p.Transform(m.Then(Move(-float64(area.Min.X), -float64(area.Min.Y))))
	w, h := float64(area.Dx()), float64(area.Dy())
	for _, c := range q.contours() {
		flat := c.flatten(farSteps)
		for i, from := range flat {
			r.edge(from, flat[(i+1)%len(flat)], w, h)
		}
	}
}

// edge adds an edge in an area of w × h pixels. Its parts above and below the area have no effect. Those to the left and right
// are moved to just outside of the area, where they have the same effect.
func (r *Raster) edge(a, b Point, w, h float64) {
	if a.Y == b.Y || max(a.Y, b.Y) <= 0 || min(a.Y, b.Y) >= h {
		return
	}
	at := func(y float64) Point { return Point{a.X + (y-a.Y)/(b.Y-a.Y)*(b.X-a.X), y} }
	from, to := a, b
	if y := min(max(a.Y, 0), h); y != a.Y {
		from = at(y)
	}
	if y := min(max(b.Y, 0), h); y != b.Y {
		to = at(y)
	}
	for _, x := range [2]float64{-1, w + 1} {
		if (from.X < x) != (to.X < x) && from.X != x && to.X != x {
			middle := Point{x, min(max(from.Y+(x-from.X)/(to.X-from.X)*(to.Y-from.Y), 0), h)}
			r.edge(from, middle, w, h)
			r.edge(middle, to, w, h)
			return
		}
	}
	r.z.MoveTo(float32(min(max(from.X, -1), w+1)), float32(from.Y))
	r.z.LineTo(float32(min(max(to.X, -1), w+1)), float32(to.Y))
}

// Cover returns the coverage of one path inside area.
func Cover(p Path, m Matrix, area image.Rectangle) *image.Alpha {
	coverage := image.NewAlpha(area.Intersect(p.Bounds(m)))
	var r Raster
	r.Add(coverage, p, m, area)
	return coverage
}
