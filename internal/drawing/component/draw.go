package component

import (
	"image"

	"moviola/internal/drawing/canvas"
	"moviola/internal/drawing/text"
)

// scene is a component after layout.
type scene struct {
	root     *node
	size     image.Rectangle
	warnings []string
	settled  float64
}

// maxWork is the largest cost of a frame, in filled pixels.
const maxWork = 256 << 20

var _ text.Animated = (*scene)(nil)

// Settled is the time at which the last part stops moving.
func (s *scene) Settled() float64 { return s.settled }

func (s *scene) Frame(seconds float64) (text.Drawing, error) {
	var l canvas.List
	s.root.draw(&l, canvas.Identity, min(max(seconds, 0), s.settled))
	if l.Cost(s.size) > maxWork {
		return text.Drawing{}, errTooLarge()
	}
	out := l.Draw(s.size)
	drawing := text.Drawing{Image: out, At: out.Rect.Min, Warnings: s.warnings}
	out.Rect = out.Rect.Sub(out.Rect.Min)
	return drawing, nil
}

// settles is the time after which a node does not change.
func (n *node) settles() float64 {
	last := n.ends
	for _, m := range n.motions {
		last = max(last, m.ends())
	}
	for _, child := range n.children {
		last = max(last, child.settles())
	}
	return last
}

// draw adds a node to a list, with a transformation.
func (n *node) draw(l *canvas.List, outer canvas.Matrix, seconds float64) {
	if n.style.hidden {
		return
	}
	p := rest
	for _, m := range n.motions {
		p = p.and(m.at(seconds))
	}
	p.alpha *= n.style.opacity
	p.turn += n.style.turn
	if p.alpha <= 0 || p.sx == 0 || p.sy == 0 {
		return
	}
	at := n.matrix(p).Then(outer)
	if p.alpha >= 1 && p.cut == [4]float64{} {
		n.drawAll(l, at, seconds)
		return
	}
	var inner canvas.List
	n.drawAll(&inner, at, seconds)
	if p.cut == [4]float64{} {
		l.Group(&inner, nil, at, p.alpha)
		return
	}
	b := n.box
	clip := canvas.Rectangle(b.x+b.w*p.cut[left], b.y+b.h*p.cut[top], b.w*max(1-p.cut[left]-p.cut[right], 0),
		b.h*max(1-p.cut[top]-p.cut[bottom], 0))
	l.Group(&inner, &clip, at, p.alpha)
}

// matrix returns the transformation of a node in a pose, around the node's centre.
func (n *node) matrix(p pose) canvas.Matrix {
	middle := canvas.Point{X: n.box.x + n.box.w/2, Y: n.box.y + n.box.h/2}
	m := canvas.Identity
	if p.sx != 1 || p.sy != 1 {
		m = canvas.Scale(p.sx, p.sy, middle)
	}
	if p.turn != 0 {
		m = m.Then(canvas.Turn(p.turn, middle))
	}
	if p.dx != 0 || p.dy != 0 {
		m = m.Then(canvas.Move(p.dx, p.dy))
	}
	return m
}

func (n *node) drawAll(l *canvas.List, at canvas.Matrix, seconds float64) {
	n.drawBox(l, at)
	if n.clips && !n.style.overflows {
		var inner canvas.List
		n.drawContent(&inner, at, seconds)
		outline := n.outline(n.box, 0)
		l.Group(&inner, &outline, at, 1)
		return
	}
	n.drawContent(l, at, seconds)
}

func (n *node) drawContent(l *canvas.List, at canvas.Matrix, seconds float64) {
	if n.drawn.Image != nil {
		l.Paste(n.drawn.Image, canvas.Move(n.textLeft()+float64(n.drawn.At.X), n.content.y+float64(n.drawn.At.Y)).Then(at), 1)
	}
	if n.paint != nil {
		n.paint(l, at, n.content, seconds)
	}
	for _, child := range n.children {
		child.draw(l, at, seconds)
	}
}

// textLeft is the left end of a node's text block, by the node's text-align.
func (n *node) textLeft() float64 {
	if n.block == nil {
		return n.content.x
	}
	w, _ := n.block.Size()
	room := max(n.content.w-w, 0)
	switch n.style.align {
	case "center", "middle":
		return n.content.x + canvas.Round(room/2)
	case "right", "end":
		return n.content.x + canvas.Round(room)
	}
	return n.content.x
}

// drawBox draws shadow, background, image and border.
func (n *node) drawBox(l *canvas.List, at canvas.Matrix) {
	s := &n.style
	b := n.box
	if b.w <= 0 || b.h <= 0 {
		return
	}
	outline := n.outline(b, 0)
	for i := len(s.boxShadows) - 1; i >= 0; i-- {
		if one := s.boxShadows[i]; !one.Inset {
			box := b
			if by := one.Spread; by < 0 {
				box = frame{b.x - by, b.y - by, b.w + 2*by, b.h + 2*by}
			}
			if box.w <= 0 || box.h <= 0 { // as in Chromium, nothing is left of the shadow
				continue
			}
			l.Glow(n.outline(box, one.Spread), canvas.Move(one.X, one.Y).Then(at), one.Blur, one.Color, 1)
		}
	}
	paint := canvas.Paint{Color: s.background}
	if s.gradient != nil {
		paint.Gradient = canvas.Of(s.gradient, b.x, b.y, b.w, b.h)
	}
	l.Fill(outline, at, paint, 1)
	if n.picture != nil {
		m := canvas.Move(b.x, b.y)
		if p := n.pictureScale; p != (canvas.Point{}) && p != (canvas.Point{X: 1, Y: 1}) {
			m = canvas.Matrix{A: p.X, D: p.Y, E: b.x, F: b.y}
		}
		l.Paste(n.picture, m.Then(at), 1)
	}
	n.drawBorder(l, at, outline)
}

// drawBorder draws the border: equal sides in one piece, otherwise each side separately.
func (n *node) drawBorder(l *canvas.List, at canvas.Matrix, outline canvas.Path) {
	s, b := &n.style, n.box
	line := resolve(s.border, b.w)
	for i := range line {
		line[i] = max(line[i], 0)
	}
	if line == [4]float64{} {
		return
	}
	inside := frame{b.x + line[left], b.y + line[top], max(b.w-line[left]-line[right], 0), max(b.h-line[top]-line[bottom], 0)}
	if c := s.borderColors; c[0] == c[1] && c[1] == c[2] && c[2] == c[3] {
		hole := n.outline(inside, -(line[0]+line[1]+line[2]+line[3])/4)
		ring := canvas.Path{}
		ring.Append(outline)
		ring.Append(hole.Reverse())
		l.Fill(ring, at, canvas.Paint{Color: c[0]}, 1)
		return
	}
	ix, iy := inside.x+inside.w, inside.y+inside.h
	corners := [4][4]canvas.Point{
		{{X: b.x, Y: b.y}, {X: b.x + b.w, Y: b.y}, {X: ix, Y: inside.y}, {X: inside.x, Y: inside.y}},
		{{X: b.x + b.w, Y: b.y}, {X: b.x + b.w, Y: b.y + b.h}, {X: ix, Y: iy}, {X: ix, Y: inside.y}},
		{{X: b.x + b.w, Y: b.y + b.h}, {X: b.x, Y: b.y + b.h}, {X: inside.x, Y: iy}, {X: ix, Y: iy}},
		{{X: b.x, Y: b.y + b.h}, {X: b.x, Y: b.y}, {X: inside.x, Y: inside.y}, {X: inside.x, Y: iy}},
	}
	for i, c := range corners {
		if line[i] > 0 {
			l.Fill(canvas.Polygon(c[:]...), at, canvas.Paint{Color: s.borderColors[i]}, 1)
		}
	}
}

// outline is a box with the node's round corners, enlarged by a number of pixels on each side together with the radii that
// are not 0. A negative number reduces the radii only, because the caller has reduced the box.
func (n *node) outline(b frame, by float64) canvas.Path {
	var radii [4]float64
	for i, l := range n.style.radius {
		if r := l.Of(min(n.box.w, n.box.h), 0); r > 0 {
			radii[i] = max(r+by, 0)
		}
	}
	if by > 0 {
		b = frame{b.x - by, b.y - by, b.w + 2*by, b.h + 2*by}
	}
	return canvas.Rounded(b.x, b.y, b.w, b.h, radii)
}
