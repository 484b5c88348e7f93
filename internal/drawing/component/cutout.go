package component

import (
	"moviola/domain/css"
	"moviola/internal/drawing/canvas"
)

// pictureHole is shape/cutout with its groups background and cutout: the background is visible inside the hole, the rest is
// transparent. Without a given geometry the hole opens over the whole box.
func pictureHole(s *building) (*node, error) {
	root := s.root()
	ground := &node{style: s.style("background", &root, "background-size: cover")}
	ground.box = frame{w: s.w, h: s.h}
	if err := s.load(ground); err != nil {
		return nil, err
	}
	g := s.groups["cutout"]
	edge := s.style("cutout", &root, "")
	whole := frame{w: s.w, h: s.h}
	m := moving{begin: s.hole(g, "", whole), beginTurn: edge.turn, endTurn: edge.turn}
	m.end = m.begin
	fields, _ := g["animate"].(map[string]any)
	switch to := named(fields); {
	case len(fields) > 0:
		m.end, m.endTurn = s.hole(to, "", m.begin), turn(to.word("rotate"), m.beginTurn)
		m.tween = s.tween(to, 1, "easeOutExpo")
	case s.goes(g):
		m.begin, m.end = s.hole(g, "initial-", m.begin), s.hole(g, "final-", m.end)
		m.tween = s.tween(g, 1, "easeOutExpo")
	default: // no movement is set: the hole opens from its middle
		m.begin = frame{x: m.end.x + m.end.w/2, y: m.end.y + m.end.h/2}
		m.tween = s.tween(g, 1, "easeOutExpo")
	}
	line, paint := s.holeStroke(g, &edge)
	n := &node{style: root.inherited(), ends: m.ends}
	n.style.hidden = edge.hidden || ground.style.hidden // a hidden hole or background hides the whole component
	n.paint = func(l *canvas.List, at canvas.Matrix, _ frame, seconds float64) {
		box, degrees, _ := m.at(seconds)
		p := s.cutoutShape(g, box, &edge)
		p = p.Transform(canvas.Turn(degrees, canvas.Point{X: box.x + box.w/2, Y: box.y + box.h/2}))
		var inner canvas.List
		ground.drawBox(&inner, canvas.Identity)
		l.Group(&inner, &p, at, ground.style.opacity)
		if line > 0 {
			l.Fill(p.Stroke(line), at, canvas.Paint{Color: paint}, 1)
		}
	}
	return n, nil
}

// goes reports whether the settings g of a hole make the hole move: whether a setting of its position or size has a name
// with the prefix initial- (start of the movement) or final- (its end).
func (s *building) goes(g group) bool {
	for _, key := range []string{"left", "top", "width", "height", "x", "y", "cx", "cy", "r", "rx", "ry"} {
		for _, prefix := range []string{"initial-", "final-"} {
			if _, ok := scalar(g[prefix+key]); ok {
				return true
			}
		}
	}
	return false
}

// hole reads the frame of a hole from left, top, width and height, from x and y in place of left and top, or from the centre (cx,
// cy) and radii (r, rx, ry) as in SVG. Percentages of r are of the box's shorter side.
func (s *building) hole(g group, prefix string, otherwise frame) frame {
	read := func(key string, whole, otherwise float64) float64 {
		value, _ := scalar(g[prefix+key])
		if l, ok := s.units.Length(value); ok {
			return min(max(l.Of(whole, otherwise), -maxSide), maxSide)
		}
		return otherwise
	}
	box := s.place(g, prefix, otherwise)
	box.x, box.y = read("x", s.w, box.x), read("y", s.h, box.y)
	radius := read("r", min(s.w, s.h), -1)
	rx, ry := read("rx", s.w, radius), read("ry", s.h, radius)
	cx, cy := read("cx", s.w, box.x+box.w/2), read("cy", s.h, box.y+box.h/2)
	if rx >= 0 {
		box.w = 2 * rx
	}
	if ry >= 0 {
		box.h = 2 * ry
	}
	box.x, box.y = cx-box.w/2, cy-box.h/2
	return box
}

// holeStroke reads the line around the hole: stroke and stroke-width, or a border.
func (s *building) holeStroke(g group, edge *style) (width float64, paint Color) {
	width, paint = edge.border[0].Of(s.w, 0), edge.borderColors[0]
	if c, ok := css.ParsePaint(g.word("stroke")); ok {
		paint, width = c, max(width, 1)
	}
	if l, ok := s.units.Length(g.word("stroke-width")); ok {
		width = min(max(l.Of(s.w, 0), 0), 200)
	}
	return width, paint
}

// cutoutShape returns the shape of the hole: an ellipse by default, a circle, a rectangle, or a polygon by its points.
func (s *building) cutoutShape(g group, box frame, edge *style) canvas.Path {
	switch shape := g.word("shape"); shape {
	case "", "ellipse":
		return canvas.Ellipse(box.x, box.y, box.w, box.h)
	case "circle":
		side := min(box.w, box.h)
		return canvas.Ellipse(box.x+(box.w-side)/2, box.y+(box.h-side)/2, side, side)
	case "polygon":
		p := canvas.Polygon(s.corners(g)...)
		return p.Transform(canvas.Matrix{A: box.w, D: box.h, E: box.x, F: box.y})
	default:
		return s.holeShape(shape, box, edge)
	}
}
