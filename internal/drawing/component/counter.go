package component

import (
	"strconv"
	"strings"

	"moviola/internal/drawing/canvas"
	"moviola/internal/drawing/text"
)

// counter is advanced/060: a number that counts up or down to another one.
func counter(s *building) (*node, error) { return s.counter("font-weight: 400", "easeInOutExpo") }

// ourCounter is moviola/counter: the counter of advanced/060 with bold digits and a fast start.
func ourCounter(s *building) (*node, error) { return s.counter("font-weight: 700", "easeOutCubic") }

func (s *building) counter(defaults, easing string) (*node, error) {
	root := s.root()
	g := s.groups["counter"]
	st := s.style("counter", &root, "font-family: Roboto; font-size: 10vw; color: white; text-align: center; vertical-align: "+
		"center; line-height: 1.2; "+defaults)
	begin, end := g.number(0, -1e12, 1e12, "from"), g.number(1000, -1e12, 1e12, "to")
	decimals := int(g.number(0, 0, 3, "decimals"))
	pattern := s.textOf("counter", "__num__")
	run := s.tween(g, 5, easing)
	run.ends = min(run.ends, run.delay+10)
	show := func(value float64) rich {
		number := strconv.FormatFloat(value, 'f', decimals, 64)
		if strings.Trim(number, "-0.") == "" {
			number = strings.TrimPrefix(number, "-")
		}
		return readRich(strings.ReplaceAll(pattern, "__num__", number), &st)
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
