package component

import (
	"strings"

	"moviola/domain/css"
	"moviola/domain/timeline"
	"moviola/internal/drawing/canvas"
	"moviola/internal/drawing/text"
)

// textOf returns the texts of a group joined to one.
func (s *building) textOf(name, otherwise string) string {
	texts, ok := list(s.groups[name]["text"])
	if !ok {
		return otherwise
	}
	return strings.Join(texts, "<br>")
}

// arrow is the usual cursor with a dark edge.
func arrow(l *canvas.List, at canvas.Matrix, box frame, fill Color) {
	corners := []canvas.Point{{X: 0, Y: 0}, {X: 0, Y: 0.86}, {X: 0.27, Y: 0.66}, {X: 0.45, Y: 1}, {X: 0.66, Y: 0.92},
		{X: 0.48, Y: 0.59}, {X: 0.86, Y: 0.59}}
	p := canvas.Polygon(corners...)
	p = p.Transform(canvas.Matrix{A: box.w, D: box.h, E: box.x, F: box.y})
	edge := p.Stroke(max(box.w*0.09, 1))
	l.Glow(edge, canvas.Move(box.w*0.04, box.w*0.06).Then(at), box.w*0.12, Color{A: 110}, 1)
	l.Fill(edge, at, canvas.Paint{Color: Color{R: 30, G: 30, B: 30, A: 255}}, 1)
	l.Fill(p, at, canvas.Paint{Color: fill}, 1)
}

func symbolShape(name string, box frame) canvas.Path {
	if name == "heart" {
		return canvas.Heart(box.x, box.y, box.w, box.h)
	}
	if name == "circle" {
		return canvas.Ellipse(box.x, box.y, box.w, box.h)
	}
	return canvas.Star(box.x+box.w/2, box.y+box.h*0.54, box.w*0.52, box.w*0.22, 5)
}

// fallingWords is advanced/001: words that fall from near the viewer into their places, one after the other.
func fallingWords(s *building) (*node, error) {
	root := s.root()
	g := s.groups["animation"]
	n := words(s.style("animation", &root, "font-family: Roboto; font-size: 4vw; color: white; text-align: center; "+
		"vertical-align: center; padding: 0 2vw"), s.textOf("animation", ""))
	count := len(strings.Fields(n.text.text))
	n, err := s.in(n, "center", "center")
	if err != nil || n.block == nil {
		return n, err
	}
	slower := 3 / g.number(3, 1, 6, "speed")
	falling, err := n.block.Animate(&timeline.Animation{Style: text.Fall, Unit: timeline.WordUnit, Units: count,
		Step: 0.3 * slower, Each: 0.6 * slower})
	if err != nil {
		return nil, err
	}
	n.moves(falling)
	return n, nil
}

// moves gives a node's text an animation: frames before the end of the animation are drawn by the animation, later ones show the
// text at rest.
func (n *node) moves(animation text.Animated) {
	// Moving text is drawn anew for each frame; the text at rest is drawn already.
	still := n.drawn
	n.drawn, n.ends = text.Drawing{}, animation.Settled()
	n.paint = func(l *canvas.List, at canvas.Matrix, box frame, seconds float64) {
		d := still
		if seconds < n.ends {
			var err error
			if d, err = animation.Frame(seconds); err != nil {
				return
			}
		}
		l.Paste(d.Image, canvas.Move(n.textLeft()+float64(d.At.X), box.y+float64(d.At.Y)).Then(at), 1)
	}
}

const buttonLook = "font-family: Roboto; font-size: 3vw; color: white; padding: 1vw 2vw; border-radius: 1.5vw; text-align: " +
	"center; line-height: 1.25"

// pressable is a button at rest, in the middle of the box. A button without a text is not drawn.
func (s *building) pressable() (*node, error) {
	root := s.root()
	n := words(s.style("button", &root, buttonLook), s.textOf("button", ""))
	n.inline = true
	n.style.hidden = n.style.hidden || n.text.empty()
	return s.in(n, "center", "center")
}

// button is advanced/050: a button that springs up.
func button(s *building) (*node, error) {
	n, err := s.pressable()
	if err == nil {
		n.motions = s.groups["button"].tuned(enter(0, 1.1, "easeOutElastic", shrunk()))
	}
	return n, err
}

// buttonWithCursor is advanced/051: a cursor moves to the middle of a button, clicks on it and fades away.
func buttonWithCursor(s *building) (*node, error) {
	const goes, down, up, away = 1.5, 0.2, 0.1, 0.2 // times in seconds: the cursor moves, presses, releases and fades away
	b, err := s.pressable()
	if err != nil || b.style.hidden {
		return b, err
	}
	pressed := rest
	pressed.sx, pressed.sy = 0.9, 0.9
	b.motions = []motion{{delay: goes, seconds: down + up, from: pressed, away: func(done float64) float64 {
		return min(done*(down+up)/down, (1-done)*(down+up)/up)
	}}}
	root := s.root()
	st := s.style("cursor", &root, "width: 8vw; height: 8vw; color: white")
	if st.hidden {
		return b, nil
	}
	c := &node{style: st, box: frame{canvas.Round(b.box.x + b.box.w/2), canvas.Round(b.box.y + b.box.h/2), st.width.Of(s.w, 0),
		st.height.Of(s.h, 0)}}
	c.content = c.box
	begin := rest // start position of the cursor, at the lower right
	begin.dx, begin.dy = s.w*0.9-c.box.x, s.h*0.9-c.box.y
	c.motions = append(s.groups["cursor"].tuned(enter(0, goes, "easeOutCirc", begin)), leave(goes+down+up, away, "linear", fade()))
	c.paint = func(l *canvas.List, at canvas.Matrix, box frame, _ float64) {
		// The arrow's tip is at the top left corner of box. The arrow takes 0.7 of the width of box.
		arrow(l, at, frame{box.x, box.y, box.w * 0.7, box.h}, st.color)
	}
	return &node{style: root.inherited(), children: []*node{b, c}}, nil
}

// symbolSize is the size of the symbols of a rating in pixels, 1 to 2000.
func (s *building) symbolSize(g group) float64 {
	if l, ok := s.units.Length(g.word("size", "font-size")); ok && !l.Auto {
		return min(max(l.Of(s.w, 0), 1), 2000)
	}
	return 3 * s.units.VW
}

// rating is advanced/070: five symbols that appear one after the other, some of them highlighted.
func rating(s *building) (*node, error) {
	root := s.root()
	g := s.groups["rating"]
	row := &node{style: s.style("rating", &root, "color: gold"), row: true, inline: true}
	size := s.symbolSize(g)
	value := g.number(5, 0, 5, "value")
	off, _ := css.ParsePaint(g.word("off-color"))
	line, offLine := s.stroke(g, "stroke", row.style.color), s.stroke(g, "off-stroke", off)
	shadows, _ := s.units.Shadows(g.word("drop-shadow"))
	row.gap = canvas.Round(size * 0.18)
	for i := range 5 {
		symbol := &node{style: row.style.inherited()}
		symbol.style.width, symbol.style.height = css.Length{Px: size}, css.Length{Px: size}
		lit := min(max(value-float64(i), 0), 1)
		symbol.motions = g.tuned(enter(0.3*float64(i), 0.5, "linear", fade()))
		symbol.paint = func(l *canvas.List, at canvas.Matrix, box frame, _ float64) {
			shape := symbolShape(g.word("symbol"), box)
			for _, one := range shadows {
				l.Glow(shape, canvas.Move(one.X, one.Y).Then(at), one.Blur, one.Color, lit)
			}
			l.Fill(shape, at, canvas.Paint{Color: off}, 1)
			offLine.draw(l, shape, at)
			var inner canvas.List
			inner.Fill(shape, at, canvas.Paint{Color: row.style.color}, 1)
			line.draw(&inner, shape, at)
			clip := canvas.Rectangle(box.x-line.width, box.y-line.width, box.w*lit+line.width*(1+lit), box.h+2*line.width)
			if lit > 0 {
				l.Group(&inner, &clip, at, 1)
			}
		}
		row.children = append(row.children, symbol)
	}
	return s.in(row, "center", "center")
}

// line is the outline of a figure; width 0: none.
type line struct {
	width float64
	color Color
}

// stroke reads a line such as "2px black"; a colour alone means a width of one pixel.
func (s *building) stroke(g group, name string, otherwise Color) line {
	read, ok := s.units.Line(g.word(name))
	if !ok {
		return line{}
	}
	one := line{color: otherwise}
	if read.Color != nil {
		one.width, one.color = 1, *read.Color
	}
	if read.HasWidth {
		one.width = min(max(read.Width.Of(s.w, 0), 0), 200)
	}
	return one
}

func (o line) draw(l *canvas.List, p canvas.Path, at canvas.Matrix) {
	if o.width > 0 {
		l.Fill(p.Stroke(o.width), at, canvas.Paint{Color: o.color}, 1)
	}
}
