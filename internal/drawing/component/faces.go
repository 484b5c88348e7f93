package component

import (
	"moviola/internal/drawing/canvas"
)

// faceNames are the names of the settings groups for the faces of a box, in the order of the variable faces.
var faceNames = [6]string{"front", "right", "back", "left", "top", "bottom"}

// state is the position and rotation of a box in space.
type state struct {
	turn   spin
	zoom   float64
	dx, dy float64 // offset of the box's centre from the component's centre
}

// facedBox is shape/3dbox with its groups size, origin, destination, and one for each face. The projection is parallel. Reference
// vendor-catalogue.md §5.5; the reference does not give the default states of the box, which are our own choice.
func (s *building) facedBox() (*node, error) {
	root := s.root()
	length := func(name string, otherwise float64) float64 {
		if l, ok := s.units.Length(s.groups["size"].word(name)); ok && !l.Auto {
			return min(max(l.Of(s.w, otherwise), 1), maxSide)
		}
		return otherwise
	}
	w, h, d := length("width", 400), length("height", 300), length("depth", 50)
	sides := [6]frame{{w: w, h: h}, {w: d, h: h}, {w: w, h: h}, {w: d, h: h}, {w: w, h: d}, {w: w, h: d}}
	var looks [6]*node
	for i, name := range faceNames {
		n := &node{style: s.style(name, &root, "background: #2ea4ff; background-size: cover"), box: sides[i]}
		if err := s.load(n); err != nil {
			return nil, err
		}
		looks[i] = n
	}
	begin := s.state("origin", state{turn: spin{x: -15, y: -120}, zoom: 1})
	end := s.state("destination", state{turn: spin{x: -15, y: 30}, zoom: 1})
	move := s.tween(s.groups["destination"], 2, "easeInOutCubic")
	half := vector{w / 2, h / 2, d / 2}
	return &node{style: root.inherited(), ends: move.ends, paint: func(l *canvas.List, at canvas.Matrix, _ frame, seconds float64) {
		now := begin.towards(end, move.at(seconds))
		var corners [8]vector
		for i, c := range cube {
			corners[i] = vector{c.x * half.x * now.zoom, c.y * half.y * now.zoom, c.z * half.z * now.zoom}.turned(now.turn)
		}
		for i, face := range faces {
			a, b, c := corners[face[0]], corners[face[1]], corners[face[3]]
			if (b.x-a.x)*(c.y-a.y)-(b.y-a.y)*(c.x-a.x) <= 0 {
				continue // the face points away from the viewer and is not visible
			}
			n := looks[i]
			if n.style.hidden {
				continue
			}
			m := canvas.Matrix{
				A: (b.x - a.x) / n.box.w, B: (b.y - a.y) / n.box.w, C: (c.x - a.x) / n.box.h, D: (c.y - a.y) / n.box.h,
				E: s.w/2 + now.dx + a.x, F: s.h/2 + now.dy + a.y,
			}
			var inner canvas.List
			n.drawBox(&inner, m.Then(at))
			l.Group(&inner, nil, canvas.Identity, n.style.opacity)
		}
	}}, nil
}

// state reads rotateX, rotateY, rotateZ, zoom, and left and top of the centre.
func (s *building) state(name string, otherwise state) state {
	g := s.groups[name]
	out := otherwise
	out.turn = readSpin(g, otherwise.turn)
	out.zoom = g.number(otherwise.zoom, 0, 20, "zoom")
	if l, ok := s.units.Length(g.word("left")); ok && !l.Auto {
		out.dx = l.Of(s.w, 0) - s.w/2
	}
	if l, ok := s.units.Length(g.word("top")); ok && !l.Auto {
		out.dy = l.Of(s.h, 0) - s.h/2
	}
	return out
}

func (a state) towards(b state, share float64) state {
	mix := func(a, b float64) float64 { return a + (b-a)*share }
	return state{
		turn: spin{mix(a.turn.x, b.turn.x), mix(a.turn.y, b.turn.y), mix(a.turn.z, b.turn.z)},
		zoom: max(mix(a.zoom, b.zoom), 0), dx: mix(a.dx, b.dx), dy: mix(a.dy, b.dy),
	}
}
