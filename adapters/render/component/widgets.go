package component

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"moviola/adapters/render/canvas"
	"moviola/adapters/render/text"
	"moviola/domain/css"
	"moviola/domain/timeline"
)

// textOf is the text of a group as one.
func (s *stage) textOf(name, otherwise string) string {
	texts, ok := list(s.groups[name]["text"])
	if !ok {
		return otherwise
	}
	return strings.Join(texts, "<br>")
}

// fallingText is advanced/001: letters that fall into their places one after the other.
func fallingText(s *stage) (*node, error) {
	root := s.root()
	g := s.groups["animation"]
	n := words(s.style("animation", &root, "font-family: Roboto; font-size: 8vw; color: white; text-align: center; vertical-align: center; padding: 0 2vw"), s.textOf("animation", ""))
	moving := n.text
	n, err := s.in(n, "center", "center")
	if err != nil || n.block == nil {
		return n, err
	}
	slower := 3 / g.number(3, 1, 6, "speed")
	letters := utf8.RuneCountInString(strings.Join(strings.Fields(moving.text), ""))
	falling, err := n.block.Animate(&timeline.Animation{Style: text.Zoom, Unit: timeline.LetterUnit, Units: letters, Step: 0.06 * slower, Each: 0.8 * slower})
	if err != nil {
		return nil, err
	}
	// What moves is drawn at each frame, and what is at rest has been.
	still := n.drawn
	n.drawn, n.ends = text.Drawing{}, falling.Settled()
	n.paint = func(l *canvas.List, at canvas.Matrix, box frame, seconds float64) {
		d := still
		if seconds < n.ends {
			var err error
			if d, err = falling.Frame(seconds); err != nil {
				return
			}
		}
		l.Paste(d.Image, canvas.Move(n.textLeft()+float64(d.At.X), box.y+float64(d.At.Y)).Then(at), 1)
	}
	return n, nil
}

// button is advanced/050: a button that springs up.
func button(s *stage) (*node, error) { return s.button() }

func (s *stage) button() (*node, error) {
	root := s.root()
	st := s.style("button", &root,
		"font-size: 4vw; font-weight: 700; color: white; background: #2ea4ff; padding: .45em 1.4em; border-radius: .35em; text-align: center; line-height: 1.25")
	n := words(st, s.textOf("button", ""))
	n.inline = true
	n.motions = s.groups["button"].tuned(enter(0, 1.1, "easeOutElastic", shrunk()))
	n.style.hidden = n.style.hidden || n.text.empty() // nothing is to be pressed
	return s.in(n, "center", "center")
}

// buttonWithCursor is advanced/051: a button that is pressed by a cursor.
func buttonWithCursor(s *stage) (*node, error) {
	b, err := s.button()
	if err != nil || b.style.hidden {
		return b, err
	}
	pressed := rest
	pressed.sx, pressed.sy = 0.93, 0.93
	b.motions = append(b.motions, press(1.9, 0.3, pressed))

	root := s.root()
	st := s.style("cursor", &root, "width: 6vw; color: white")
	w := st.width.Of(s.w, 0)
	h := w * 1.4
	if !st.height.Auto {
		h = st.height.Of(s.h, h)
	}
	c := &node{style: st, box: frame{canvas.Round(b.box.x + b.box.w*0.62), canvas.Round(b.box.y + b.box.h*0.55), w, h}}
	c.content = c.box
	away := fade()
	away.dx, away.dy = s.w-c.box.x, s.h-c.box.y
	click := rest
	click.sx, click.sy = 0.85, 0.85
	c.motions = append(s.groups["cursor"].tuned(enter(0.8, 1.1, "easeOutCubic", away)), press(1.9, 0.3, click))
	c.paint = func(l *canvas.List, at canvas.Matrix, box frame, _ float64) { arrow(l, at, box, st.color) }
	if st.hidden {
		return b, nil
	}
	return &node{style: root.inherited(), children: []*node{b, c}}, nil
}

// arrow is the usual cursor with a dark edge.
func arrow(l *canvas.List, at canvas.Matrix, box frame, fill Color) {
	corners := []canvas.Point{{X: 0, Y: 0}, {X: 0, Y: 0.86}, {X: 0.27, Y: 0.66}, {X: 0.45, Y: 1}, {X: 0.66, Y: 0.92}, {X: 0.48, Y: 0.59}, {X: 0.86, Y: 0.59}}
	p := canvas.Polygon(corners...)
	p = p.Transform(canvas.Matrix{A: box.w, D: box.h, E: box.x, F: box.y})
	edge := p.Stroke(max(box.w*0.09, 1))
	l.Glow(edge, canvas.Move(box.w*0.04, box.w*0.06).Then(at), box.w*0.12, Color{A: 110}, 1)
	l.Fill(edge, at, canvas.Paint{Color: Color{R: 30, G: 30, B: 30, A: 255}}, 1)
	l.Fill(p, at, canvas.Paint{Color: fill}, 1)
}

// counter is advanced/060: a number that runs to another one.
func counter(s *stage) (*node, error) {
	root := s.root()
	g := s.groups["counter"]
	st := s.style("counter", &root, "font-family: Roboto; font-size: 10vw; font-weight: 700; color: white; text-align: center; vertical-align: center; line-height: 1.2")
	begin, end := g.number(0, -1e12, 1e12, "from"), g.number(1000, -1e12, 1e12, "to")
	decimals := int(g.number(0, 0, 3, "decimals"))
	pattern := s.textOf("counter", "__num__")
	run := s.tween(g, 5, "easeOutCubic")
	run.ends = min(run.ends, run.delay+10)
	show := func(value float64) rich {
		number := strconv.FormatFloat(value, 'f', decimals, 64)
		if strings.Trim(number, "-0.") == "" {
			number = strings.TrimPrefix(number, "-")
		}
		return readRich(transform(strings.ReplaceAll(pattern, "__num__", number), st.transform), st.weight, st.italic)
	}
	last := show(end)
	n := &node{style: st, text: &last, tabular: true}
	n, err := s.in(n, "center", "center")
	if err != nil || n.block == nil {
		return n, err
	}
	still := n.drawn
	n.drawn, n.ends = text.Drawing{}, run.ends
	n.paint = func(l *canvas.List, at canvas.Matrix, box frame, seconds float64) {
		part := &node{style: n.style, content: box, block: n.block, drawn: still}
		if seconds < n.ends {
			now := show(begin + (end-begin)*run.at(seconds))
			part.text, part.tabular = &now, true
			var err error
			if part.block, err = s.lay(part, int(max(box.w, 1))); err != nil {
				return
			}
			if part.drawn, err = part.block.Draw(); err != nil {
				return
			}
		}
		l.Paste(part.drawn.Image, canvas.Move(part.textLeft()+float64(part.drawn.At.X), box.y+float64(part.drawn.At.Y)).Then(at), 1)
	}
	return n, nil
}

// rating is advanced/070: symbols of which some are lit.
func rating(s *stage) (*node, error) {
	root := s.root()
	g := s.groups["rating"]
	row := &node{style: s.style("rating", &root, "color: gold"), row: true, inline: true}
	size := 3 * s.units.VW
	if l, ok := s.units.Length(g.word("size", "font-size")); ok && !l.Auto {
		size = min(max(l.Of(s.w, 0), 1), 2000)
	}
	value := g.number(5, 0, 5, "value")
	off, _ := css.ParsePaint(g.word("off-color"))
	row.gap = canvas.Round(size * 0.18)
	for i := range 5 {
		symbol := &node{style: row.style.inherited()}
		symbol.style.width, symbol.style.height = css.Length{Px: size}, css.Length{Px: size}
		lit := min(max(value-float64(i), 0), 1)
		symbol.motions = g.tuned(enter(0.12*float64(i), 0.7, "easeOutBack", shrunk()))
		symbol.paint = func(l *canvas.List, at canvas.Matrix, box frame, _ float64) {
			shape := symbolShape(g.word("symbol"), box)
			l.Fill(shape, at, canvas.Paint{Color: off}, 1)
			var inner canvas.List
			inner.Fill(shape, at, canvas.Paint{Color: row.style.color}, 1)
			clip := canvas.Rectangle(box.x, box.y, box.w*lit, box.h)
			if lit > 0 {
				l.Group(&inner, &clip, at, 1)
			}
		}
		row.children = append(row.children, symbol)
	}
	return s.in(row, "center", "center")
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

// progressBar is advanced/100: a bar that fills up, with a label.
func progressBar(s *stage) (*node, error) {
	root := s.root()
	card := &node{style: s.style("card", &root, "padding: 4vw; text-align: left")}
	label := s.style("label", &card.style, "font-size: 3vw; font-weight: 700; margin-bottom: 1vw")
	for _, p := range s.paragraphs("label", label) {
		p.motions = s.groups["label"].tuned(enter(0, 0.6, "easeOutCubic", from(0, 2*s.units.VH)))
		card.children = append(card.children, p)
	}
	track := &node{style: s.style("track", &card.style, "height: 2.4vw; background: rgba(255,255,255,.25); border-radius: 1.2vw")}
	track.motions = s.groups["track"].tuned(enter(0, 0.5, "easeOutCubic", fade()))
	g := s.groups["bar"]
	st := s.style("bar", &card.style, "background: linear-gradient(90deg, #2ea4ff, #7b5cff); border-radius: 1.2vw")
	barNode := &node{style: st}
	value := g.number(75, 0, 100, "value") / 100
	run := s.tween(g, 1.6, "easeOutExpo")
	track.ends = run.ends
	track.paint = func(l *canvas.List, at canvas.Matrix, _ frame, seconds float64) {
		b := track.box
		b.w *= value * run.at(seconds)
		part := &node{style: barNode.style, box: b}
		part.drawBox(l, at)
	}
	card.children = append(card.children, track)
	return s.in(card, "center", "center")
}

// progressRing is advanced/110: a ring that fills up around a number.
func progressRing(s *stage) (*node, error) {
	root := s.root()
	g := s.groups["ring"]
	size := min(s.w, s.h) * 0.6
	if l, ok := s.units.Length(g.word("size", "width")); ok && !l.Auto {
		size = min(max(l.Of(s.w, 0), 2), maxSide)
	}
	ring := &node{style: s.style("ring", &root, "color: #2ea4ff")}
	ring.style.width, ring.style.height = css.Length{Px: size}, css.Length{Px: size}
	thick := size * 0.12
	if l, ok := s.units.Length(g.word("thickness")); ok && !l.Auto {
		thick = min(max(l.Of(size, 0), 1), size/2)
	}
	behind := Color{R: 255, G: 255, B: 255, A: 64}
	if c, ok := css.ParsePaint(g.word("off-color", "track-color")); ok {
		behind = c
	}
	value := g.number(75, 0, 100, "value")
	run := s.tween(g, 1.6, "easeOutCubic")
	ring.ends = run.ends
	label := s.style("label", &root, "font-size: 8vw; font-weight: 700; text-align: center; line-height: 1.2")
	pattern := s.textOf("label", "__num__%")
	ring, err := s.in(ring, "center", "center")
	if err != nil {
		return nil, err
	}
	ring.paint = func(l *canvas.List, at canvas.Matrix, box frame, seconds float64) {
		share := run.at(seconds)
		l.Fill(arc(box, thick, 1), at, canvas.Paint{Color: behind}, 1)
		l.Fill(arc(box, thick, value/100*min(max(share, 0), 1)), at, canvas.Paint{Color: ring.style.color}, 1)
		now := readRich(strings.ReplaceAll(pattern, "__num__", strconv.Itoa(int(math.Round(value*share)))), label.weight, label.italic)
		if now.empty() || label.hidden {
			return
		}
		part := &node{style: label, text: &now, tabular: true, content: box}
		block, err := s.lay(part, int(max(box.w, 1)))
		if err != nil {
			return
		}
		part.block = block
		d, err := block.Draw()
		if err != nil {
			return
		}
		_, h := block.Size()
		y := canvas.Round(box.y + (box.h-h)/2)
		l.Paste(d.Image, canvas.Move(part.textLeft()+float64(d.At.X), y+float64(d.At.Y)).Then(at), 1)
	}
	return ring, nil
}

// arc is a part of a ring with round ends, from the top clockwise.
func arc(box frame, thick, share float64) canvas.Path {
	cx, cy, r := box.x+box.w/2, box.y+box.h/2, (box.w-thick)/2
	if share <= 0 {
		return canvas.Path{}
	}
	if share >= 1 {
		p := canvas.Ellipse(cx-r-thick/2, cy-r-thick/2, 2*r+thick, 2*r+thick)
		inner := canvas.Ellipse(cx-r+thick/2, cy-r+thick/2, 2*r-thick, 2*r-thick)
		p.Append(inner.Reverse())
		return p
	}
	steps := max(int(share*180), 2)
	at := func(radius float64, i int) canvas.Point {
		sin, cos := math.Sincos(2 * math.Pi * share * float64(i) / float64(steps))
		return canvas.Point{X: cx + radius*sin, Y: cy - radius*cos}
	}
	var corners []canvas.Point
	for i := 0; i <= steps; i++ {
		corners = append(corners, at(r+thick/2, i))
	}
	for i := steps; i >= 0; i-- {
		corners = append(corners, at(r-thick/2, i))
	}
	p := canvas.Polygon(corners...)
	for _, end := range []canvas.Point{at(r, 0), at(r, steps)} {
		p.Append(canvas.Ellipse(end.X-thick/2, end.Y-thick/2, thick, thick))
	}
	return p
}

// markup is shape/html: the text of its setting html with inline tags, on a box. Whole pages are what html elements are for.
func markup(s *stage) (*node, error) {
	root := s.root()
	st := s.style("html", &root, "font-size: 4vw; padding: 2vw")
	source, _ := scalar(s.groups["html"]["html"])
	if source == "" {
		source = s.textOf("html", "")
	}
	n := words(st, source)
	n.motions = s.groups["html"].tuned(enter(0, 0.5, "easeOutCubic", fade()))
	return s.in(n, "center", "center")
}
