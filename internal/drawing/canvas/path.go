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
	area = area.Intersect(to.Rect).Intersect(p.Bounds(m))
	if area.Empty() {
		return
	}
	r.z.Reset(area.Dx(), area.Dy())
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

// Cover returns the coverage of one path inside area.
func Cover(p Path, m Matrix, area image.Rectangle) *image.Alpha {
	coverage := image.NewAlpha(area.Intersect(p.Bounds(m)))
	var r Raster
	r.Add(coverage, p, m, area)
	return coverage
}
