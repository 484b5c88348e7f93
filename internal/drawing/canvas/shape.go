package canvas

import "math"

// Rectangle returns the outline of a box.
func Rectangle(x, y, w, h float64) Path {
	return Polygon(Point{x, y}, Point{x + w, y}, Point{x + w, y + h}, Point{x, y + h})
}

// Polygon returns the closed path through its corners.
func Polygon(corners ...Point) Path {
	var p Path
	for i, c := range corners {
		if i == 0 {
			p.MoveTo(c.X, c.Y)
		} else {
			p.LineTo(c.X, c.Y)
		}
	}
	p.Close()
	return p
}

// arc is the distance of the control points of a cubic quarter circle from its corners: 1 - 4/3·(√2 - 1).
const arc = 0.44771525

// Rounded returns the outline of a box with round corners. radii are those of the corners, clockwise from the top left one. Radii
// that do not fit are reduced together, as in CSS.
func Rounded(x, y, w, h float64, radii [4]float64) Path {
	fit := 1.0
	for i, side := range [4]float64{w, h, w, h} {
		if sum := radii[i] + radii[(i+1)%4]; sum > side && sum > 0 {
			fit = min(fit, max(side, 0)/sum)
		}
	}
	if radii == ([4]float64{}) {
		return Rectangle(x, y, w, h)
	}
	for i := range radii {
		radii[i] = max(radii[i]*fit, 0)
	}
	tl, tr, br, bl := radii[0], radii[1], radii[2], radii[3]
	var p Path
	p.MoveTo(x+tl, y)
	p.LineTo(x+w-tr, y)
	p.CubeTo(x+w-tr*arc, y, x+w, y+tr*arc, x+w, y+tr)
	p.LineTo(x+w, y+h-br)
	p.CubeTo(x+w, y+h-br*arc, x+w-br*arc, y+h, x+w-br, y+h)
	p.LineTo(x+bl, y+h)
	p.CubeTo(x+bl*arc, y+h, x, y+h-bl*arc, x, y+h-bl)
	p.LineTo(x, y+tl)
	p.CubeTo(x, y+tl*arc, x+tl*arc, y, x+tl, y)
	p.Close()
	return p
}

// Ellipse returns the ellipse that fills a box.
func Ellipse(x, y, w, h float64) Path {
	p := Rounded(0, 0, 2, 2, [4]float64{1, 1, 1, 1})
	return p.Transform(Matrix{A: w / 2, D: h / 2, E: x, F: y})
}

// Star returns a star with a number of points between two circles around a centre, the first point at the top.
func Star(cx, cy, outer, inner float64, points int) Path {
	corners := make([]Point, 2*points)
	for i := range corners {
		radius := outer
		if i%2 == 1 {
			radius = inner
		}
		sin, cos := math.Sincos(math.Pi * float64(i) / float64(points))
		corners[i] = Point{cx + radius*sin, cy - radius*cos}
	}
	return Polygon(corners...)
}

// Heart returns a heart that fills a box.
func Heart(x, y, w, h float64) Path {
	var p Path
	p.MoveTo(0.5, 0.95)
	p.CubeTo(0.14, 0.66, 0, 0.5, 0, 0.31)
	p.CubeTo(0, 0.14, 0.12, 0.05, 0.26, 0.05)
	p.CubeTo(0.37, 0.05, 0.46, 0.11, 0.5, 0.22)
	p.CubeTo(0.54, 0.11, 0.63, 0.05, 0.74, 0.05)
	p.CubeTo(0.88, 0.05, 1, 0.14, 1, 0.31)
	p.CubeTo(1, 0.5, 0.86, 0.66, 0.5, 0.95)
	p.Close()
	return p.Transform(Matrix{A: w, D: h, E: x, F: y})
}

// Reverse returns the path with its contours in the opposite direction, for cutting holes.
func (p *Path) Reverse() Path {
	var out Path
	for _, c := range p.contours() {
		at := len(c.points)
		take := func() Point { at--; return c.points[at] }
		first := take()
		out.MoveTo(first.X, first.Y)
		for i := len(c.ops) - 1; i > 0; i-- {
			switch c.ops[i] {
			case opLine:
				q := take()
				out.LineTo(q.X, q.Y)
			case opQuad:
				a, q := take(), take()
				out.QuadTo(a.X, a.Y, q.X, q.Y)
			case opCube:
				a, b, q := take(), take(), take()
				out.CubeTo(a.X, a.Y, b.X, b.Y, q.X, q.Y)
			}
		}
		out.Close()
	}
	return out
}

// contours splits a path. Closing operations are left out.
func (p *Path) contours() []Path {
	var all []Path
	points := p.points
	for _, op := range p.ops {
		n := map[byte]int{opMove: 1, opLine: 1, opQuad: 2, opCube: 3}[op]
		if op == opMove {
			all = append(all, Path{})
		}
		if n > 0 && len(all) > 0 {
			c := &all[len(all)-1]
			c.add(op, points[:n]...)
		}
		points = points[n:]
	}
	return all
}

// maxStrokeLines is the largest number of lines in the stroke of one path.
const maxStrokeLines = 20_000

// Stroke returns the outline of a line of the given width along the contours, with round joins.
func (p *Path) Stroke(width float64) Path {
	var out Path
	radius := width / 2
	sides := int(min(max(4*math.Sqrt(radius), 6), 32))
	lines := 0
	for _, c := range p.contours() {
		flat := c.flatten(strokeSteps)
		for i, from := range flat {
			to := flat[(i+1)%len(flat)]
			length := math.Hypot(to.X-from.X, to.Y-from.Y)
			if length == 0 {
				continue
			}
			if lines++; lines > maxStrokeLines {
				return out
			}
			nx, ny := (to.Y-from.Y)/length*radius, (from.X-to.X)/length*radius
			out.Append(Polygon(Point{from.X + nx, from.Y + ny}, Point{to.X + nx, to.Y + ny}, Point{to.X - nx, to.Y - ny},
				Point{from.X - nx, from.Y - ny}))
			out.Append(disc(from, radius, sides))
		}
	}
	return out
}

// disc is a circle with the same direction as the quads of a stroke.
func disc(at Point, radius float64, sides int) Path {
	var p Path
	for i := range sides {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(sides))
		if i == 0 {
			p.MoveTo(at.X+radius*cos, at.Y+radius*sin)
		} else {
			p.LineTo(at.X+radius*cos, at.Y+radius*sin)
		}
	}
	p.Close()
	return p
}

// flatten converts a single contour to a polygon. A curve becomes at most the number of lines in the parameter most.
func (p *Path) flatten(most float64) []Point {
	var out []Point
	points := p.points
	at := Point{}
	for _, op := range p.ops {
		switch op {
		case opMove, opLine:
			at = points[0]
			out = append(out, at)
			points = points[1:]
		case opQuad:
			a, b := points[0], points[1]
			n := steps(most, at, a, b)
			for i := 1; i <= n; i++ {
				t := float64(i) / float64(n)
				u := 1 - t
				out = append(out, Point{u*u*at.X + 2*u*t*a.X + t*t*b.X, u*u*at.Y + 2*u*t*a.Y + t*t*b.Y})
			}
			at, points = b, points[2:]
		case opCube:
			a, b, c := points[0], points[1], points[2]
			n := steps(most, at, a, b, c)
			for i := 1; i <= n; i++ {
				t := float64(i) / float64(n)
				u := 1 - t
				k0, k1, k2, k3 := u*u*u, 3*u*u*t, 3*u*t*t, t*t*t
				out = append(out, Point{k0*at.X + k1*a.X + k2*b.X + k3*c.X, k0*at.Y + k1*a.Y + k2*b.Y + k3*c.Y})
			}
			at, points = c, points[3:]
		}
	}
	return out
}

// The largest numbers of lines for one curve: in strokes, and in paths that are far larger than what is drawn of them.
const (
	strokeSteps = 24
	farSteps    = 512
)

// steps is the number of lines that approximate a curve with these control points, at most the number in the parameter most.
func steps(most float64, points ...Point) int {
	length := 0.0
	for i := 1; i < len(points); i++ {
		length += math.Hypot(points[i].X-points[i-1].X, points[i].Y-points[i-1].Y)
	}
	return int(min(max(math.Sqrt(length)*1.2, 2), most))
}
