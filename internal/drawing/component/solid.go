package component

import (
	"cmp"
	"math"
	"slices"

	"moviola/internal/drawing/canvas"
)

// vector is a point in space: x to the right, y down, z away from the viewer.
type vector struct{ x, y, z float64 }

// The corners of a box of side 2 around 0, and the corners of its faces, clockwise as seen from outside.
var (
	cube  = [8]vector{{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}}
	faces = [6][4]int{{0, 1, 2, 3}, {1, 5, 6, 2}, {5, 4, 7, 6}, {4, 0, 3, 7}, {4, 5, 1, 0}, {3, 2, 6, 7}}
)

// spin is the rotation of a box about its axes, in degrees.
type spin struct{ x, y, z float64 }

func (v vector) turned(t spin) vector {
	sin, cos := math.Sincos(t.x * math.Pi / 180)
	v.y, v.z = v.y*cos-v.z*sin, v.y*sin+v.z*cos
	sin, cos = math.Sincos(t.y * math.Pi / 180)
	v.x, v.z = v.x*cos+v.z*sin, v.z*cos-v.x*sin
	sin, cos = math.Sincos(t.z * math.Pi / 180)
	v.x, v.y = v.x*cos-v.y*sin, v.x*sin+v.y*cos
	return v
}

// solidBox is shape/3dbox: a box that rotates in space. If the settings have a group named box, which only this service
// knows, all faces of the box have the same style, and only the light on them differs. Otherwise each face has a group of
// its own.
func solidBox(s *building) (*node, error) {
	if s.groups["box"] == nil {
		return s.facedBox()
	}
	root := s.root()
	g := s.groups["box"]
	st := s.style("box", &root, "background: #2ea4ff; border: 0.15vw solid rgba(255,255,255,.6)")
	side := 0.4 * min(s.w, s.h)
	size := s.place(g, "", frame{w: side, h: side})
	depth := side
	if l, ok := s.units.Length(g.word("depth")); ok {
		depth = l.Of(s.w, side)
	}
	begin := readSpin(g, spin{x: 90, y: -200})
	end := begin
	if fields, ok := g["animate"].(map[string]any); ok {
		end = readSpin(named(fields), begin)
		g = named(fields)
	} else {
		end = spin{x: -22, y: 35}
		if _, given := scalar(g["rotate-x"]); given {
			end.x = begin.x
		}
		if _, given := scalar(g["rotate-y"]); given {
			end.y = begin.y
		}
		end.z = begin.z
	}
	if st.hidden {
		return &node{style: root.inherited()}, nil
	}
	move := s.tween(g, 2, "easeOutExpo")
	half := vector{size.w / 2, size.h / 2, depth / 2}
	middle := canvas.Point{X: s.w / 2, Y: s.h / 2}
	if g := s.groups["box"]; g.word("left") != "" {
		middle.X = size.x + size.w/2
	}
	if g := s.groups["box"]; g.word("top") != "" {
		middle.Y = size.y + size.h/2
	}
	eye := 4 * max(size.w, size.h, depth, 1)
	return &node{style: root.inherited(), ends: move.ends, paint: func(l *canvas.List, at canvas.Matrix, _ frame, seconds float64) {
		share := move.at(seconds)
		mix := func(a, b float64) float64 { return a + (b-a)*share }
		now := spin{mix(begin.x, end.x), mix(begin.y, end.y), mix(begin.z, end.z)}
		drawSolid(l, at, half, now, middle, eye, &st)
	}}, nil
}

func readSpin(g group, otherwise spin) spin {
	return spin{turn(g.word("rotate-x"), otherwise.x), turn(g.word("rotate-y"), otherwise.y),
		turn(g.word("rotate-z", "rotate"), otherwise.z)}
}

// drawSolid draws the faces that point to the viewer. Faces are brighter the more they point to the light, above the viewer's
// left shoulder.
func drawSolid(l *canvas.List, at canvas.Matrix, half vector, t spin, middle canvas.Point, eye float64, st *style) {
	var corners [8]vector
	for i, c := range cube {
		corners[i] = vector{c.x * half.x, c.y * half.y, c.z * half.z}.turned(t)
	}
	line := st.border[0].Of(middle.X*2, 0)
	order := []int{0, 1, 2, 3, 4, 5}
	far := func(face int) (z float64) {
		for _, i := range faces[face] {
			z += corners[i].z
		}
		return z
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(far(b), far(a)) })
	for _, face := range order {
		var flat [4]canvas.Point
		for i, corner := range faces[face] {
			c := corners[corner]
			nearer := eye / max(eye+c.z, eye/10)
			flat[i] = canvas.Point{X: middle.X + c.x*nearer, Y: middle.Y + c.y*nearer}
		}
		a, b, c := flat[0], flat[1], flat[2]
		if (b.X-a.X)*(c.Y-a.Y)-(b.Y-a.Y)*(c.X-a.X) <= 0 {
			continue // the face points away from the viewer and is not visible
		}
		p := canvas.Polygon(flat[:]...)
		paint := canvas.Paint{Color: st.background}
		if st.gradient != nil {
			r := p.Bounds(canvas.Identity)
			paint.Gradient = canvas.Of(st.gradient, float64(r.Min.X), float64(r.Min.Y), float64(r.Dx()), float64(r.Dy()))
		}
		l.Fill(p, at, paint, st.opacity)
		normal := cube[faces[face][0]]
		for _, i := range faces[face][1:] {
			normal.x, normal.y, normal.z = normal.x+cube[i].x, normal.y+cube[i].y, normal.z+cube[i].z
		}
		normal = vector{normal.x / 4, normal.y / 4, normal.z / 4}.turned(t)
		light := 0.3*-normal.x + 0.55*-normal.y + 0.78*-normal.z
		if shade := uint8(min(max((0.85-light)*150, 0), 170)); shade > 0 {
			l.Fill(p, at, canvas.Paint{Color: Color{A: shade}}, st.opacity)
		}
		if line > 0 {
			l.Fill(p.Stroke(line), at, canvas.Paint{Color: st.borderColors[0]}, st.opacity)
		}
	}
}
