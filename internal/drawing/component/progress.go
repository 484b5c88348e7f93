package component

import (
	"math"
	"strconv"
	"strings"

	"moviola/domain/css"
	"moviola/internal/drawing/canvas"
)

// progressBar is moviola/progress-bar: a bar that fills up, with a label.
func progressBar(s *building) (*node, error) {
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
	card.children = append(card.children, track)
	if st.hidden {
		return s.in(card, "center", "center")
	}
	track.ends = run.ends
	track.paint = func(l *canvas.List, at canvas.Matrix, _ frame, seconds float64) {
		b := track.box
		b.w *= value * run.at(seconds)
		part := &node{style: barNode.style, box: b}
		part.drawBox(l, at)
	}
	return s.in(card, "center", "center")
}

// progressRing is moviola/progress-ring: a ring that fills up around a number.
func progressRing(s *building) (*node, error) {
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
		now := readRich(strings.ReplaceAll(pattern, "__num__", strconv.Itoa(int(math.Round(value*share)))), &label)
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

// arc is a part of a ring with round ends, clockwise from the top.
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
