package component

import (
	"slices"
	"strconv"
	"strings"

	"moviola/internal/drawing/canvas"
)

// numbered returns the names of the groups that are name with a number, such as rectangle1 and rectangle2, in order of the
// numbers. The group called name comes first.
func (s *building) numbered(name string) []string {
	var names []string
	number := func(group string) int {
		n, _ := strconv.Atoi(strings.TrimPrefix(strings.TrimPrefix(group, name), "-"))
		return n
	}
	for group := range s.groups {
		rest, ok := strings.CutPrefix(group, name)
		if _, err := strconv.Atoi(strings.TrimPrefix(rest, "-")); ok && (rest == "" || err == nil) {
			names = append(names, group)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return number(a) - number(b) })
	return names
}

// moving is a shape that moves from the state in its group to the state in the group's setting animate.
type moving struct {
	begin, end         frame
	beginTurn, endTurn float64
	beginSeen, endSeen float64
	tween
}

// moving reads left, top, width, height, rotate and opacity of a group and of its setting animate.
func (s *building) moving(g group, st *style) moving {
	m := moving{begin: s.place(g, "", frame{0, 0, s.w, s.h}), beginTurn: st.turn, beginSeen: st.opacity}
	fields, _ := g["animate"].(map[string]any)
	to := named(fields)
	m.end = s.place(to, "", m.begin)
	m.endTurn, m.endSeen = turn(to.word("rotate"), m.beginTurn), to.number(m.beginSeen, 0, 1, "opacity")
	if len(to) > 0 && to.word("animation") != "none" {
		m.tween = s.tween(to, 1, "easeOutExpo")
	}
	return m
}

// at is the box, rotation and opacity at a time.
func (m moving) at(seconds float64) (box frame, turn, opacity float64) {
	share := m.tween.at(seconds)
	mix := func(a, b float64) float64 { return a + (b-a)*share }
	return between(m.begin, m.end, share), mix(m.beginTurn, m.endTurn), min(max(mix(m.beginSeen, m.endSeen), 0), 1)
}

// shapes makes a node for each settings group that is called name, or name with a number, such as rectangle1. draw draws
// the node. defaults is the style that the settings change.
func (s *building) shapes(name, defaults string, draw func(l *canvas.List, n *node, at canvas.Matrix)) (*node, error) {
	root := s.root()
	all := &node{style: root.inherited()}
	for _, group := range s.numbered(name) {
		st := s.style(group, &root, defaults)
		m := s.moving(s.groups[group], &st)
		// The motion sets opacity and rotation, so the style must not apply them a second time.
		st.opacity, st.turn = 1, 0
		shape := &node{style: st, box: frame{w: max(m.begin.w, m.end.w), h: max(m.begin.h, m.end.h)}}
		if err := s.load(shape); err != nil {
			return nil, err
		}
		big := shape.box
		child := &node{style: st, ends: m.ends}
		child.style.image = ""
		child.paint = func(l *canvas.List, at canvas.Matrix, _ frame, seconds float64) {
			box, degrees, opacity := m.at(seconds)
			part := &node{style: st, box: box}
			if shape.picture != nil && box.w >= 1 && box.h >= 1 {
				part.picture, part.pictureScale = shape.picture, canvas.Point{X: box.w / big.w, Y: box.h / big.h}
			}
			middle := canvas.Point{X: box.x + box.w/2, Y: box.y + box.h/2}
			var inner canvas.List
			draw(&inner, part, canvas.Turn(degrees, middle).Then(at))
			l.Group(&inner, nil, at, opacity)
		}
		all.children = append(all.children, child)
	}
	return all, nil
}

// rectangles is shape/rectangle: boxes that may move, one for each of the settings groups rectangle1, rectangle2 …
func rectangles(s *building) (*node, error) {
	return s.shapes("rectangle", "background: #2ea4ff; border-style: none; border-color: white",
		func(l *canvas.List, n *node, at canvas.Matrix) {
			n.drawBox(l, at)
		})
}

// cutout is shape/cutout: a picture that is visible through a hole or, with our own groups cover and hole, a cover with a hole.
// The hole may move and grow.
func cutout(s *building) (*node, error) {
	if s.groups["cutout"] != nil || s.groups["background"] != nil {
		return pictureHole(s)
	}
	root := s.root()
	cover := s.style("cover", &root, "background: black")
	g := s.groups["hole"]
	hole := s.style("hole", &root, "border-radius: 0")
	begin := s.place(g, "", frame{s.w * 0.3, s.h * 0.3, s.w * 0.4, s.h * 0.4})
	m := s.moving(g, &hole)
	// Without the setting animate, the hole in the cover opens: it grows from its middle to its full size.
	if fields, _ := g["animate"].(map[string]any); len(fields) == 0 {
		m.begin = frame{begin.x + begin.w/2, begin.y + begin.h/2, 0, 0}
		m.tween = s.tween(g, 1.2, "easeOutExpo")
		m.end = begin
	} else {
		m.begin = begin
		m.end = s.place(named(fields), "", begin)
	}
	shape := g.word("shape")
	n := &node{style: root.inherited(), ends: m.ends}
	n.style.hidden = cover.hidden
	n.paint = func(l *canvas.List, at canvas.Matrix, _ frame, seconds float64) {
		box, degrees, _ := m.at(seconds)
		whole := canvas.Rectangle(0, 0, s.w, s.h)
		if hole.hidden {
			box = frame{}
		}
		p := s.holeShape(shape, box, &hole)
		turned := canvas.Turn(degrees, canvas.Point{X: box.x + box.w/2, Y: box.y + box.h/2})
		p = p.Transform(turned)
		whole.Append(p.Reverse())
		paint := canvas.Paint{Color: cover.background}
		if cover.gradient != nil {
			paint.Gradient = canvas.Of(cover.gradient, 0, 0, s.w, s.h)
		}
		l.Fill(whole, at, paint, cover.opacity)
		if line := hole.border[0].Of(s.w, 0); line > 0 {
			l.Fill(p.Stroke(line), at, canvas.Paint{Color: hole.borderColors[0]}, 1)
		}
	}
	return n, nil
}

func (s *building) holeShape(shape string, box frame, st *style) canvas.Path {
	switch shape {
	case "circle", "ellipse":
		return canvas.Ellipse(box.x, box.y, box.w, box.h)
	case "star", "heart":
		return symbolShape(shape, box)
	}
	n := &node{style: *st, box: box}
	return n.outline(box, 0)
}
