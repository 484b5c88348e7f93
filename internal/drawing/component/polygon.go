package component

import (
	"math"
	"strings"
	"unicode"

	"moviola/domain/css"
	"moviola/internal/drawing/canvas"
)

// figure is the look of a polygon at one time.
type figure struct {
	corners []canvas.Point // corners in fractions of the polygon's box
	fill    Color
	line    line
}

// polygons is shape/polygon: polygons, given by the points of their corners or by a number of sides. Reference
// vendor-catalogue.md §5.5.
func polygons(s *building) (*node, error) { return s.polygons("#00ff00") }

func (s *building) polygons(fill string) (*node, error) {
	root := s.root()
	all := &node{style: root.inherited()}
	for _, name := range s.numbered("polygon") {
		g := s.groups[name]
		st := s.style(name, &root, "background: "+fill)
		m := s.moving(g, &st)
		begin := s.figure(g, figure{corners: s.corners(g), fill: st.background,
			line: line{st.border[0].Of(s.w, 0), st.borderColors[0]}})
		end := begin
		if fields, _ := g["animate"].(map[string]any); fields != nil {
			to := named(fields)
			end = s.figure(to, begin)
			if given := s.points(to); len(given) == len(begin.corners) {
				end.corners = given
			}
		}
		if _, given := scalar(g["fill"]); given {
			st.gradient = nil
		}
		child := &node{style: st, ends: m.ends}
		child.style.opacity, child.style.turn = 1, 0
		child.paint = func(l *canvas.List, at canvas.Matrix, _ frame, seconds float64) {
			box, degrees, opacity := m.at(seconds)
			now := begin.towards(end, m.tween.at(seconds))
			unit := canvas.Polygon(now.corners...)
			p := unit.Transform(canvas.Matrix{A: box.w, D: box.h, E: box.x, F: box.y})
			at = canvas.Turn(degrees, canvas.Point{X: box.x + box.w/2, Y: box.y + box.h/2}).Then(at)
			for _, one := range st.boxShadows {
				l.Glow(p, canvas.Move(one.X, one.Y).Then(at), one.Blur, one.Color, opacity)
			}
			paint := canvas.Paint{Color: now.fill}
			if st.gradient != nil {
				paint.Gradient = canvas.Of(st.gradient, box.x, box.y, box.w, box.h)
			}
			l.Fill(p, at, paint, opacity)
			if now.line.width > 0 {
				l.Fill(p.Stroke(now.line.width), at, canvas.Paint{Color: now.line.color}, opacity)
			}
		}
		all.children = append(all.children, child)
	}
	return all, nil
}

// figure reads fill, stroke and stroke-width of a group.
func (s *building) figure(g group, f figure) figure {
	if c, ok := css.ParsePaint(g.word("fill")); ok {
		f.fill = c
	}
	if c, ok := css.ParsePaint(g.word("stroke")); ok {
		f.line = line{max(f.line.width, 1), c}
	}
	if l, ok := s.units.Length(g.word("stroke-width")); ok && !l.Auto {
		f.line.width = min(max(l.Of(s.w, 0), 0), 200)
	}
	return f
}

// towards interpolates between two figures with the same number of corners.
func (f figure) towards(end figure, share float64) figure {
	mix := func(a, b float64) float64 { return a + (b-a)*share }
	bounded := min(max(share, 0), 1)
	blend := func(a, b Color) Color {
		one := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + (float64(b)-float64(a))*bounded)) }
		return Color{R: one(a.R, b.R), G: one(a.G, b.G), B: one(a.B, b.B), A: one(a.A, b.A)}
	}
	now := figure{fill: blend(f.fill, end.fill),
		line: line{max(mix(f.line.width, end.line.width), 0), blend(f.line.color, end.line.color)}}
	for i, c := range f.corners {
		now.corners = append(now.corners, canvas.Point{X: mix(c.X, end.corners[i].X), Y: mix(c.Y, end.corners[i].Y)})
	}
	return now
}

// maxCorners is the largest number of corners of a polygon.
const maxCorners = 200

// corners returns the corners of a polygon in fractions of its box: the given points, or those of a regular polygon. The setting
// sides is the number of the regular polygon's sides, three by default.
func (s *building) corners(g group) []canvas.Point {
	if given := s.points(g); given != nil {
		return given
	}
	n := int(g.number(3, 3, maxCorners, "sides"))
	var corners []canvas.Point
	for i := range n {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		corners = append(corners, canvas.Point{X: 0.5 + sin/2, Y: 0.5 - cos/2})
	}
	return corners
}

// points reads points as in SVG, in a square of 100 by 100 ("50,0 100,100 0,100"), or as in CSS, also in clip-path ("50% 0, 100%
// 100%, 0 100%"). Fewer than three are ignored.
func (s *building) points(g group) []canvas.Point {
	given := g.word("points")
	if _, inside, ok := css.Call(g.word("clip-path")); ok && given == "" {
		given = inside
	}
	if corners := squarePoints(given); corners != nil {
		return corners
	}
	var corners []canvas.Point
	for _, one := range css.Split(given, ',') {
		xy := css.Split(one, ' ')
		if len(xy) != 2 || len(corners) == maxCorners {
			continue
		}
		x, okX := s.units.Length(xy[0])
		y, okY := s.units.Length(xy[1])
		if okX && okY {
			corners = append(corners, canvas.Point{X: x.Share + x.Px/max(s.w, 1), Y: y.Share + y.Px/max(s.h, 1)})
		}
	}
	if len(corners) < 3 {
		return nil
	}
	return corners
}

// squarePoints reads pairs of numbers without units; nil if there is anything else, or fewer than 3 or more than maxCorners
// pairs.
func squarePoints(given string) []canvas.Point {
	fields := strings.FieldsFunc(given, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
	if len(fields) < 6 || len(fields) > 2*maxCorners {
		return nil
	}
	var corners []canvas.Point
	for i := 0; i+1 < len(fields); i += 2 {
		x, okX := css.Number(fields[i])
		y, okY := css.Number(fields[i+1])
		if !okX || !okY {
			return nil
		}
		corners = append(corners, canvas.Point{X: x / 100, Y: y / 100})
	}
	return corners
}
