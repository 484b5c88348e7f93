package component

import "moviola/domain/css"

// The default styles of the texts of cards. Reference vendor-catalogue.md §5.1. The reference gives neither a colour nor
// the gap between texts: the colour white and the gap are our own choices.
const (
	headlineLook = "font-family: Inter; font-size: 5vw; font-weight: 400; line-height: 1.2"
	bodyLook     = "font-family: Inter; font-size: 3.5vw; font-weight: 400; line-height: 1.3; margin-top: .3em"
)

// simpleCard is basic/000: a headline and paragraphs on a card that fades in; the texts slide up one after the other.
func simpleCard(s *building) (*node, error) {
	root := s.root()
	card := &node{style: s.style("card", &root, "vertical-align: top; horizontal-align: center; text-align: left; margin: "+
		"1vw; padding: 20px"), clips: true}
	card.motions = s.groups["card"].tuned(enter(0, 0.5, "linear", fade()))
	card.children = s.texts(&card.style, func(i int, size float64) motion {
		return enter(0.5+0.4*float64(i), 0.5, "easeOutCubic", from(0, size))
	})
	card.style.hidden = card.style.hidden || len(card.children) == 0
	if err := s.fit(card); err != nil {
		return nil, err
	}
	return s.in(card, "top", "center")
}

// barCard is basic/001: a bar grows, and texts slide in from above it, one after the other.
func barCard(s *building) (*node, error) {
	const grows = 0.5 // time in which the bar grows, in seconds; our own choice
	root := s.root()
	card := &node{style: s.style("card", &root, "vertical-align: top; text-align: left"), row: true, clips: true}
	bar := &node{style: s.style("bar", &card.style, "background: red; width: 3vw; margin-right: 3vw"), stretch: true}
	barFill(s, bar)
	bar.motions = s.groups["bar"].tuned(enter(0, grows, "easeOutCubic", wiped(bottom)))
	column := &node{style: card.style.inherited()}
	column.children = s.texts(&card.style, func(i int, size float64) motion {
		return enter(grows+0.4*float64(i), 0.5, "easeOutElastic", from(0, -size))
	})
	card.children = []*node{bar, column}
	card.style.hidden = card.style.hidden || len(column.children) == 0
	if err := s.fit(card); err != nil {
		return nil, err
	}
	return s.in(card, "top", "left")
}

// texts returns the texts of the groups headline and body, as nodes that inherit from the style card. The parameter in
// returns the animation of a text, given the text's index and its font size in pixels; the settings of the group adjust the
// animation.
func (s *building) texts(card *style, in func(i int, size float64) motion) []*node {
	var all []*node
	for _, part := range []struct{ name, css string }{{"headline", headlineLook}, {"body", bodyLook}} {
		for _, p := range s.paragraphs(part.name, s.style(part.name, card, part.css)) {
			p.motions = s.groups[part.name].tuned(in(len(all), p.style.size))
			all = append(all, p)
		}
	}
	if len(all) > 0 {
		all[0].style.margin[top] = css.Length{}
	}
	return all
}

// fit sets the width of a box to the width that the texts of the box need, unless the style of the box gives a width.
func (s *building) fit(n *node) error {
	if !n.style.width.Auto || n.style.hidden {
		return nil
	}
	n.narrow(true)
	if err := s.layout(n, 0, 0, s.w); err != nil {
		return err
	}
	n.narrow(false)
	n.style.width = css.Length{Px: n.box.w + 1} // one pixel more avoids line breaks by rounding
	return nil
}

// narrow makes a node and its texts as wide as their content if on is true, otherwise as wide as the available space.
func (n *node) narrow(on bool) {
	n.inline = on
	for _, child := range n.children {
		child.narrow(on)
	}
}

// profile is basic/120: the picture of a person, their name, their role, and some words.
func profile(s *building) (*node, error) {
	root := s.root()
	card := &node{style: s.style("card", &root, "width: 80vw; vertical-align: center; text-align: center")}
	side := s.style("image", &card.style, "width: 100%; background-size: cover; margin: 8vw auto; border-radius: 50%; "+
		"border: 4vw solid black")
	if l, ok := s.units.Length(s.groups["image"].word("size")); ok && !l.Auto {
		side.width = l
	}
	if src, ok := scalar(s.groups["image"]["src"]); ok && src != "" {
		side.image = src
	}
	at := 0.0
	if side.image != "" {
		if side.height.Auto {
			padding := resolve(card.style.padding, s.w)
			side.height = css.Length{Px: side.width.Of(card.style.width.Of(s.w, s.w)-padding[left]-padding[right], 0)}
		}
		small := fade()
		small.sx, small.sy = 0.5, 0.5
		picture := &node{style: side, motions: s.groups["image"].tuned(enter(0, 1, "easeOutElastic", small))}
		card.children, at = append(card.children, picture), 1
	}
	for _, part := range []struct {
		name, css string
		rises     float64 // distance by which the text rises, in font sizes
	}{
		{"name", "font-size: 10vw; font-weight: 400; line-height: 1.2", 1},
		{"title", "font-size: 5vw; line-height: 1.3", 1},
		{"description", "font-size: 6vw; margin: 9vw 0; line-height: 1.3", 0},
	} {
		for _, p := range s.paragraphs(part.name, s.style(part.name, &card.style, part.css)) {
			if part.rises == 0 && len(card.children) > 0 {
				at = card.children[len(card.children)-1].settles()
			}
			p.motions = s.groups[part.name].tuned(enter(at, 1, "easeOutCubic", from(0, part.rises*p.style.size)))
			card.children, at = append(card.children, p), at+0.3
		}
	}
	card.style.hidden = card.style.hidden || len(card.children) == 0
	return s.in(card, "center", "center")
}
