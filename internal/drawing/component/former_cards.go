package component

import "moviola/domain/css"

// ourCard is moviola/card: a headline and paragraphs on a card, which rise one after the other.
func ourCard(s *building) (*node, error) {
	card := s.card("padding: 2vw; text-align: left")
	card.children = s.cardTexts(&card.style, func(i int) motion {
		return enter(0.15+0.15*float64(i), 0.7, "easeOutCubic", from(0, 3*s.units.VH))
	})
	card.style.hidden = card.style.hidden || len(card.children) == 0
	return s.in(card, "center", "center")
}

// ourBarCard is moviola/bar-card: a card with a bar at its left, from behind which the texts appear.
func ourBarCard(s *building) (*node, error) {
	card := s.card("padding: 2vw; text-align: left")
	card.row, card.gap = true, 2*s.units.VW
	bar := &node{style: s.style("bar", &card.style, "width: 0.8vw; background: #e63946; border-radius: 0.4vw"), stretch: true}
	bar.motions = s.groups["bar"].tuned(enter(0, 0.6, "easeOutExpo", wiped(bottom)))
	column := &node{style: card.style.inherited()}
	column.children = s.cardTexts(&card.style, func(i int) motion {
		return enter(0.3+0.15*float64(i), 0.8, "easeOutExpo", from(-6*s.units.VW, 0))
	})
	card.children = []*node{bar, column}
	card.style.hidden = card.style.hidden || len(column.children) == 0
	return s.in(card, "center", "center")
}

// card is the box of the group card; it fades in.
func (s *building) card(defaults string) *node {
	root := s.root()
	card := &node{style: s.style("card", &root, defaults)}
	if card.style.background.A > 0 || card.style.gradient != nil || card.style.image != "" {
		card.motions = s.groups["card"].tuned(enter(0, 0.5, "easeOutCubic", fade()))
	}
	return card
}

// cardTexts returns the texts of the groups headline and body, as nodes that inherit from the style card. The parameter in
// returns the animation of a text, given the text's index; the settings of the group adjust the animation.
func (s *building) cardTexts(card *style, in func(i int) motion) []*node {
	headline := s.style("headline", card, "font-size: 6vw; font-weight: 700; line-height: 1.15; margin-bottom: .35em")
	body := s.style("body", card, "font-size: 3.2vw; line-height: 1.35; margin-bottom: .5em")
	all := s.paragraphs("headline", headline)
	n := len(all)
	all = append(all, s.paragraphs("body", body)...)
	for i, p := range all {
		g := s.groups["headline"]
		if i >= n {
			g = s.groups["body"]
		}
		p.motions = g.tuned(in(i))
	}
	if len(all) > 0 {
		all[len(all)-1].style.margin[bottom] = css.Length{} // the last text needs no margin below: the card's padding is enough
	}
	return all
}

// ourNews is moviola/news: a lower third in the style of news. A headline in black on white is above a lead (a second text)
// in white on black. To the left of both is a bar.
func ourNews(s *building) (*node, error) {
	root := s.root()
	card := &node{style: s.style("card", &root, "padding: 0 5vw 6vh 5vw; text-align: left"), row: true}
	bar := &node{style: s.style("bar", &card.style, "width: 0.8vw; background: #cc0000"), stretch: true}
	barFill(s, bar)
	bar.motions = s.groups["bar"].tuned(enter(0, 0.5, "easeOutExpo", wiped(top)))
	column := &node{style: card.style.inherited()}
	headline := s.style("headline", &card.style,
		"font-family: Inter; font-weight: 400; font-size: 4vw; font-size: auto; color: black; background: white; padding: "+
			".4vw 1.5vw; padding-left: 1.5vw; line-height: 1.25")
	lead := s.style("lead", &card.style,
		"font-family: Inter; font-weight: 400; font-size: 2.2vw; font-size: auto; color: white; background: black; padding: "+
			".5vw 1.5vw; padding-left: 1.5vw; line-height: 1.3")
	for _, p := range s.paragraphs("headline", headline) {
		p.motions = s.groups["headline"].tuned(enter(0.25, 0.7, "easeOutExpo", wiped(right)))
		column.children = append(column.children, p)
	}
	for _, p := range s.paragraphs("lead", lead) {
		p.motions = s.groups["lead"].tuned(enter(0.6, 0.6, "easeOutExpo", wiped(bottom)))
		column.children = append(column.children, p)
	}
	card.children = []*node{bar, column}
	card.style.hidden = card.style.hidden || len(column.children) == 0
	return s.in(card, "bottom", "left")
}

// ourAvatar is moviola/avatar: a picture and, beside the picture, a headline with a bar below the headline.
func ourAvatar(s *building) (*node, error) {
	root := s.root()
	card := &node{
		style: s.style("card", &root, "padding: 0 4vw 7vh 4vw; text-align: left"), row: true, gap: 1.8 * s.units.VW,
	}
	side := s.style("image", &card.style, "width: 10vw; border-radius: 50%; border: 0.4vw solid white")
	if l, ok := s.units.Length(s.groups["image"].word("size", "width")); ok && !l.Auto {
		side.width = l
	}
	if side.height.Auto {
		side.height = css.Length{Px: side.width.Of(s.w, 0)}
	}
	if src, ok := scalar(s.groups["image"]["src"]); ok && src != "" {
		side.image = src
	}
	if side.image != "" {
		avatar := &node{style: side}
		avatar.motions = s.groups["image"].tuned(enter(0, 0.8, "easeOutBack", shrunk()))
		card.children = append(card.children, avatar)
	}
	column := &node{style: card.style.inherited(), inline: true}
	headline := s.style("headline", &card.style, "font-size: 3.4vw; font-weight: 700; text-shadow: 0 0.15vw 0.5vw "+
		"rgba(0,0,0,.55); line-height: 1.2")
	for i, p := range s.paragraphs("headline", headline) {
		p.inline = true
		p.motions = s.groups["headline"].tuned(enter(0.35+0.12*float64(i), 0.7, "easeOutExpo", from(-4*s.units.VW, 0)))
		column.children = append(column.children, p)
	}
	bar := &node{style: s.style("bar", &card.style, "height: 0.6vw; margin-top: 0.6vw; background: red")}
	barFill(s, bar)
	bar.motions = s.groups["bar"].tuned(enter(0.3, 0.8, "easeOutExpo", wiped(right)))
	if len(column.children) > 0 {
		column.children = append(column.children, bar)
		card.children = append(card.children, column)
	}
	card.style.hidden = card.style.hidden || len(card.children) == 0
	return s.in(card, "bottom", "left")
}

// ourLine is moviola/line: one line on white, and above it the name of a section.
func ourLine(s *building) (*node, error) {
	root := s.root()
	card := &node{style: s.style("card", &root, "padding: 4vw; text-align: left"), inline: true}
	section := s.style("section", &card.style, "font-size: 1.7vw; font-weight: 700; background: #cc0000; color: white; "+
		"padding: .35vw 1.2vw; letter-spacing: .05em; line-height: 1.25")
	headline := s.style("headline", &card.style, "font-size: 2.5vw; font-weight: 400; background: white; color: black; "+
		"padding: .6vw 1.2vw; line-height: 1.25")
	for _, p := range s.paragraphs("section", section) {
		p.inline = true
		p.motions = s.groups["section"].tuned(enter(0, 0.5, "easeOutExpo", wiped(top)))
		card.children = append(card.children, p)
	}
	for i, p := range s.paragraphs("headline", headline) {
		p.inline = true
		p.motions = s.groups["headline"].tuned(enter(0.25+0.15*float64(i), 0.8, "easeOutExpo", wiped(right)))
		card.children = append(card.children, p)
	}
	card.style.hidden = card.style.hidden || len(card.children) == 0
	side := card.style.horizontal
	if side != "" { // the settings align the card to a side: the lines are aligned alike
		card.style.align = side
	}
	return s.in(card, "bottom", "left")
}
