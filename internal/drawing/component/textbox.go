package component

import (
	"strings"

	"moviola/domain/css"
	"moviola/internal/drawing/canvas"
)

// textboxes is textbox/simple: boxes with one text each, which move by their setting animate. A box with neither text nor
// picture is not drawn.
func textboxes(s *building) (*node, error) {
	return s.boxes("textbox", "", func(name string) string { return s.textOf(name, "") })
}

// markup is shape/html: boxes with one text each, with support for simple tags. For whole pages there are html elements.
func markup(s *building) (*node, error) {
	return s.boxes("html", "font-size: 4vw", func(name string) string {
		if source, _ := scalar(s.groups[name]["html"]); source != "" {
			return source
		}
		return s.textOf(name, "")
	})
}

// boxes makes a node for each settings group that is called kind, or kind with a number, such as textbox1. defaults is the
// style that the settings change. textOf returns the text of a group, given the group's name. A group that is hidden, or
// has neither text nor picture, gets no node.
func (s *building) boxes(kind, defaults string, textOf func(name string) string) (*node, error) {
	root := s.root()
	all := &node{style: root.inherited()}
	for _, name := range s.numbered(kind) {
		g := s.groups[name]
		st := s.style(name, &root, "line-height: 1.2; "+defaults)
		if v := g.word("align-items"); v != "" && st.vertical == "" { // align-items positions the text as in a flexbox
			st.vertical = strings.TrimPrefix(v, "flex-")
		}
		m := s.moving(g, &st)
		st.opacity, st.turn = 1, 0
		box := words(st, textOf(name))
		if st.hidden || box.text.empty() && st.image == "" {
			continue
		}
		size := frame{w: max(m.begin.w, m.end.w), h: max(m.begin.h, m.end.h)}
		box.style.margin = sides{}
		box.style.width, box.style.height = css.Length{Px: size.w}, css.Length{Px: size.h}
		if err := s.fitBox(box, g, size); err != nil {
			return nil, err
		}
		if err := s.layout(box, 0, 0, size.w); err != nil {
			return nil, err
		}
		child := &node{style: root.inherited(), ends: m.ends}
		child.paint = func(l *canvas.List, at canvas.Matrix, _ frame, seconds float64) {
			now, degrees, opacity := m.at(seconds)
			part := *box
			part.box.w, part.box.h = now.w, now.h
			if box.picture != nil {
				part.pictureScale = canvas.Point{X: now.w / size.w, Y: now.h / size.h}
			}
			turned := canvas.Move(now.x, now.y).Then(canvas.Turn(degrees, canvas.Point{X: now.x + now.w/2, Y: now.y + now.h/2})).Then(at)
			var inner canvas.List
			part.drawBox(&inner, turned)
			if box.drawn.Image != nil {
				_, high := box.block.Size()
				x, y := box.textLeft()+float64(box.drawn.At.X), box.content.y+float64(box.drawn.At.Y)+box.below(high)
				inner.Paste(box.drawn.Image, canvas.Move(x, y).Then(turned), 1)
			}
			l.Group(&inner, nil, at, opacity)
		}
		all.children = append(all.children, child)
	}
	return all, nil
}

// below is the distance of a text of some height from the top of its box, by vertical-align.
func (n *node) below(high float64) float64 {
	switch room := max(n.content.h-high, 0); n.style.vertical {
	case "center", "middle":
		return canvas.Round(room / 2)
	case "bottom", "end":
		return canvas.Round(room)
	}
	return 0
}

// fitBox sets a text of automatic size to the largest size in which it fits into its box, between min-font-size and
// max-font-size.
func (s *building) fitBox(n *node, g group, box frame) error {
	if !n.style.autoSize || n.text.empty() {
		return nil
	}
	n.style.autoSize = false
	bound := func(name string, otherwise float64) float64 {
		if l, ok := s.units.Length(g.word(name)); ok && !l.Auto {
			return min(max(l.Of(box.h, otherwise), smallest), largest)
		}
		return otherwise
	}
	least := bound("min-font-size", smallest)
	most := max(bound("max-font-size", min(box.h, largest)), least)
	padding, border := resolve(n.style.padding, box.w), resolve(n.style.border, box.w)
	wide := box.w - padding[left] - padding[right] - border[left] - border[right]
	high := box.h - padding[top] - padding[bottom] - border[top] - border[bottom]
	const steps = 9 // bisection steps, which reach a five-hundredth of the range
	for range steps {
		n.style.size = (least + most) / 2
		block, err := s.lay(n, int(min(max(wide, 1), maxSide)))
		if err != nil {
			return err
		}
		if w, h := block.Size(); w > wide || h > high {
			most = n.style.size
		} else {
			least = n.style.size
		}
	}
	n.style.size = least
	return nil
}

// zoomText is advanced/000: texts come nearer one after the other, stay, and fly past the viewer. After the last one nothing is
// visible.
func zoomText(s *building) (*node, error) {
	const come, stay, pass = 0.8, 0.5, 0.6 // times in seconds: a text comes nearer, stays, and passes the viewer
	root := s.root()
	all := &node{style: root.inherited()}
	all.box = frame{w: s.w, h: s.h}
	st := s.style("animation", &root, "font-family: Roboto; font-size: 9vw; color: white; text-align: center; "+
		"vertical-align: center")
	far, near := fade(), fade()
	far.sx, far.sy, near.sx, near.sy = 0.2, 0.2, 3, 3
	for i, p := range s.paragraphs("animation", st) {
		p, err := s.in(p, "center", "center")
		if err != nil {
			return nil, err
		}
		begin := float64(i) * (come + stay + pass)
		p.motions = []motion{enter(begin, come, "easeOutSine", far), leave(begin+come+stay, pass, "easeInExpo", near)}
		all.children = append(all.children, p)
	}
	return all, nil
}
