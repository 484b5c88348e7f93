package component

import "moviola/internal/drawing/canvas"

// elasticBox is basic/100: a box that springs from one position and size to another. Reference vendor-catalogue.md §5.5: both
// default to the whole component.
func elasticBox(s *building) (*node, error) {
	root := s.root()
	g := s.groups["box"]
	n := &node{style: s.style("box", &root, "background: cornflowerblue; box-shadow: 2px 0 2px 0 #555")}
	whole := frame{0, 0, s.w, s.h}
	return s.panel(n, s.place(g, "initial-", whole), s.place(g, "final-", whole), s.tween(g, 1, "easeOutElastic"))
}

// panel is a box that moves from one rectangle to another.
func (s *building) panel(n *node, begin, end frame, move tween) (*node, error) {
	root := s.root()
	if n.style.hidden {
		return &node{style: root.inherited()}, nil
	}
	n.box = frame{w: max(begin.w, end.w), h: max(begin.h, end.h)}
	if err := s.load(n); err != nil {
		return nil, err
	}
	big := n.box
	return &node{style: root.inherited(), ends: move.ends, paint: func(l *canvas.List, at canvas.Matrix, _ frame, seconds float64) {
		box := &node{style: n.style, picture: n.picture, box: between(begin, end, move.at(seconds))}
		if n.picture != nil {
			box.pictureScale = canvas.Point{X: box.box.w / big.w, Y: box.box.h / big.h}
		}
		box.drawBox(l, at)
	}}, nil
}
