package canvas

import (
	"image"
	"math"
)

// Matrix maps x, y to A·x + C·y + E, B·x + D·y + F.
type Matrix struct{ A, B, C, D, E, F float64 }

// Identity maps every point to itself.
var Identity = Matrix{A: 1, D: 1}

// Move returns the translation by x, y.
func Move(x, y float64) Matrix { return Matrix{A: 1, D: 1, E: x, F: y} }

// Scale returns the scaling by sx and sy around a point.
func Scale(sx, sy float64, around Point) Matrix {
	return Matrix{A: sx, D: sy, E: around.X * (1 - sx), F: around.Y * (1 - sy)}
}

// Turn returns the clockwise rotation around a point.
func Turn(degrees float64, around Point) Matrix {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	m := Matrix{A: cos, B: sin, C: -sin, D: cos}
	at := m.Apply(around)
	m.E, m.F = around.X-at.X, around.Y-at.Y
	return m
}

// Then returns the matrix that applies m first and n after it.
func (m Matrix) Then(n Matrix) Matrix {
	return Matrix{
		A: n.A*m.A + n.C*m.B, B: n.B*m.A + n.D*m.B,
		C: n.A*m.C + n.C*m.D, D: n.B*m.C + n.D*m.D,
		E: n.A*m.E + n.C*m.F + n.E, F: n.B*m.E + n.D*m.F + n.F,
	}
}

// Apply maps a point.
func (m Matrix) Apply(p Point) Point { return Point{m.A*p.X + m.C*p.Y + m.E, m.B*p.X + m.D*p.Y + m.F} }

// Inverse returns the inverse of m; ok is false when m maps the plane to a line.
func (m Matrix) Inverse() (inverse Matrix, ok bool) {
	det := m.A*m.D - m.B*m.C
	if math.Abs(det) < 1e-9 || math.IsNaN(det) {
		return Identity, false
	}
	inverse = Matrix{A: m.D / det, B: -m.B / det, C: -m.C / det, D: m.A / det}
	at := inverse.Apply(Point{m.E, m.F})
	inverse.E, inverse.F = -at.X, -at.Y
	return inverse, true
}

// shift returns by how many whole pixels m translates; false: m is not a translation by whole pixels.
func (m Matrix) shift() (image.Point, bool) {
	if m.A != 1 || m.D != 1 || m.B != 0 || m.C != 0 || m.E != math.Trunc(m.E) || m.F != math.Trunc(m.F) {
		return image.Point{}, false
	}
	return image.Pt(int(m.E), int(m.F)), true
}

// bounds returns a rectangle of whole pixels that contains the transformed rectangle r.
func (m Matrix) bounds(r image.Rectangle) image.Rectangle {
	if r.Empty() {
		return image.Rectangle{}
	}
	p := Rectangle(float64(r.Min.X), float64(r.Min.Y), float64(r.Dx()), float64(r.Dy()))
	return p.Bounds(m)
}
