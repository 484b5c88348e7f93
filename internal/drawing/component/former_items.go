package component

import (
	"strings"
	"unicode/utf8"

	"moviola/domain/css"
	"moviola/domain/timeline"
	"moviola/internal/drawing/canvas"
	"moviola/internal/drawing/text"
)

// ourProfile is moviola/profile: the picture of a person, their name, their role, and some words.
func ourProfile(s *building) (*node, error) {
	root := s.root()
	card := &node{style: s.style("card", &root, "padding: 4vw; text-align: center")}
	if g := s.groups["card"]; card.style.background.A > 0 || card.style.gradient != nil {
		card.motions = g.tuned(enter(0, 0.5, "easeOutCubic", fade()))
	}
	side := s.style("image", &card.style, "width: 75%; border-radius: 50%; border: 1vw solid white; margin: 0 0 4vw 0")
	if l, ok := s.units.Length(s.groups["image"].word("size")); ok && !l.Auto {
		side.width = l
	}
	if src, ok := scalar(s.groups["image"]["src"]); ok && src != "" {
		side.image = src
	}
	if side.image != "" {
		if side.height.Auto {
			padding := resolve(card.style.padding, s.w)
			side.height = css.Length{Px: side.width.Of(s.w-padding[left]-padding[right], 0)}
		}
		picture := &node{style: side}
		picture.motions = s.groups["image"].tuned(enter(0, 0.9, "easeOutBack", shrunk()))
		card.children = append(card.children, picture)
	}
	for i, part := range []struct{ name, css string }{
		{"name", "font-size: 10vw; font-weight: 700; line-height: 1.2"},
		{"title", "font-size: 7vw; line-height: 1.3; opacity: 0.8"},
		{"description", "font-size: 6vw; line-height: 1.4; margin-top: 3vw"},
	} {
		st := s.style(part.name, &card.style, part.css)
		for _, p := range s.paragraphs(part.name, st) {
			p.motions = s.groups[part.name].tuned(enter(0.35+0.15*float64(i), 0.7, "easeOutCubic", from(0, 4*s.units.VW)))
			card.children = append(card.children, p)
		}
	}
	card.style.hidden = card.style.hidden || len(card.children) == 0
	return s.in(card, "center", "center")
}

// ourPanel is moviola/panel: a box that springs from one place and size to another.
func ourPanel(s *building) (*node, error) {
	root := s.root()
	g := s.groups["box"]
	n := &node{style: s.style("box", &root, "background: #f4a261; box-shadow: 0 0 2vw rgba(0,0,0,.4)")}
	begin := s.place(g, "initial-", frame{0, 0, 0, s.h})
	end := s.place(g, "final-", frame{0, 0, s.w, s.h})
	// The box moves from begin (settings with the prefix initial-) to end (prefix final-). A setting that is given for
	// only one of the two counts for both. The width is the exception: without initial-width it begins at 0.
	for _, key := range []string{"left", "top", "height"} {
		_, first := g["initial-"+key]
		_, last := g["final-"+key]
		if first && !last {
			copySide(&end, begin, key)
		} else if last && !first {
			copySide(&begin, end, key)
		}
	}
	return s.panel(n, begin, end, s.tween(g, 1.5, "easeOutElastic"))
}

func copySide(to *frame, from frame, key string) {
	switch key {
	case "left":
		to.x = from.x
	case "top":
		to.y = from.y
	case "height":
		to.h = from.h
	}
}

// fallingLetters is moviola/falling-letters: letters that fall into their places one after the other.
func fallingLetters(s *building) (*node, error) {
	root := s.root()
	g := s.groups["animation"]
	n := words(s.style("animation", &root, "font-family: Roboto; font-size: 8vw; color: white; text-align: center; "+
		"vertical-align: center; padding: 0 2vw"), s.textOf("animation", ""))
	moving := n.text
	n, err := s.in(n, "center", "center")
	if err != nil || n.block == nil {
		return n, err
	}
	slower := 3 / g.number(3, 1, 6, "speed")
	letters := utf8.RuneCountInString(strings.Join(strings.Fields(moving.text), ""))
	falling, err := n.block.Animate(&timeline.Animation{Style: text.Zoom, Unit: timeline.LetterUnit, Units: letters,
		Step: 0.06 * slower, Each: 0.8 * slower})
	if err != nil {
		return nil, err
	}
	n.moves(falling)
	return n, nil
}

// ourButton is moviola/button: a button that springs up.
func ourButton(s *building) (*node, error) { return s.ourButton() }

func (s *building) ourButton() (*node, error) {
	root := s.root()
	st := s.style("button", &root,
		"font-size: 4vw; font-weight: 700; color: white; background: #2ea4ff; padding: .45em 1.4em; border-radius: .35em; "+
			"text-align: center; line-height: 1.25")
	n := words(st, s.textOf("button", ""))
	n.inline = true
	n.motions = s.groups["button"].tuned(enter(0, 1.1, "easeOutElastic", shrunk()))
	n.style.hidden = n.style.hidden || n.text.empty() // a button without a text is not drawn
	return s.in(n, "center", "center")
}

// ourClick is moviola/click: a cursor that clicks on a button.
func ourClick(s *building) (*node, error) {
	b, err := s.ourButton()
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

// ourRating is moviola/rating: symbols, some of them highlighted.
func ourRating(s *building) (*node, error) {
	root := s.root()
	g := s.groups["rating"]
	row := &node{style: s.style("rating", &root, "color: gold"), row: true, inline: true}
	size := s.symbolSize(g)
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
