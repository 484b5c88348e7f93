package component

import (
	"unicode/utf8"

	"moviola/domain/css"
	"moviola/internal/drawing/canvas"
)

// stripLook is the style of the strips of news. Reference vendor-catalogue.md §5.2.
const stripLook = "font-family: Inter; font-weight: 400; font-size: auto; padding: .4vw; padding-left: 1.5vw; line-height: 1.25; "

// strips returns the texts of a group on boxes: a box is wiped open from left to right, then its text slides up in it. The first
// box opens at the time at, in seconds.
func (s *building) strips(name string, parent *style, defaults string, at float64) []*node {
	const open, rises, apart = 0.8, 0.3, 0.2 // times in seconds; the value of apart is our own choice
	var all []*node
	for i, p := range s.paragraphs(name, s.style(name, parent, defaults)) {
		begin := at + apart*float64(i)
		inner := &node{style: p.style.inherited(), text: p.text}
		inner.style.autoSize, inner.style.underline, inner.style.through = p.style.autoSize, p.style.underline, p.style.through
		inner.motions = s.groups[name].tuned(enter(begin+open, rises, "easeOutCubic", from(0, 0.6*p.style.size)))
		strip := &node{style: p.style, children: []*node{inner}, clips: true}
		strip.motions = []motion{enter(begin, open, "easeOutExpo", wiped(right))}
		if len(inner.motions) == 0 { // the setting animation is none: the strip does not move either
			strip.motions = nil
		}
		all = append(all, strip)
	}
	return all
}

// newsLine is basic/050: a lower third in the style of news. A headline in black on white is above a lead (a second text)
// in white on black. To the left of both is a bar.
func newsLine(s *building) (*node, error) {
	const grows = 0.2 // time in which the bar grows, in seconds
	root := s.root()
	card := &node{style: s.style("card", &root, "vertical-align: bottom; text-align: left; padding: 0 4vw 7vh 4vw"), row: true}
	bar := &node{style: s.style("bar", &card.style, "width: 1vw; background: red"), stretch: true}
	barFill(s, bar)
	bar.motions = s.groups["bar"].tuned(enter(0, grows, "easeOutCubic", wiped(top)))
	column := &node{style: card.style.inherited()}
	column.children = s.strips("headline", &card.style, "font-size: 4vw; color: black; background: white; text-shadow: 1px "+
		"1px 2px #777; "+stripLook, grows)
	lead := s.strips("lead", &card.style, "font-size: 2.2vw; color: white; background: black; "+stripLook,
		grows+0.2*float64(len(column.children)))
	column.children = append(column.children, lead...)
	card.children = []*node{bar, column}
	card.style.hidden = card.style.hidden || len(column.children) == 0
	return s.in(card, "bottom", "left")
}

// barFill fills a bar with the setting "color" of the group "bar". For other nodes that setting is the colour of their text.
func barFill(s *building, bar *node) {
	if c, ok := css.ParsePaint(s.groups["bar"].word("color")); ok {
		bar.style.background, bar.style.gradient = c, nil
	}
}

// avatarLine is basic/051: a round picture with a rotating ring around it, and a headline beside it.
func avatarLine(s *building) (*node, error) {
	root := s.root()
	card := &node{
		style: s.style("card", &root, "vertical-align: bottom; text-align: left; padding: 0 4vw 7vh 4vw"), row: true,
		gap: 1.2 * s.units.VW,
	}
	at := 0.0
	if avatar := s.avatar(&card.style); avatar != nil {
		card.children, at = append(card.children, avatar), 1
	}
	column := &node{style: card.style.inherited()}
	column.children = s.strips("headline", &card.style,
		"font-size: 3.4vw; color: black; background: white; text-shadow: 1px 1px 2px #777; "+stripLook+"font-weight: 700", at)
	for _, strip := range column.children {
		strip.narrow(true)
	}
	if len(column.children) > 0 {
		card.children = append(card.children, column)
	}
	card.style.hidden = card.style.hidden || len(card.children) == 0
	return s.in(card, "bottom", "left")
}

// avatar is the picture of basic/051 with its ring, which is a twentieth of the picture wide; nil without a picture.
func (s *building) avatar(card *style) *node {
	side := s.style("image", card, "width: 10vw; border-radius: 50%")
	if l, ok := s.units.Length(s.groups["image"].word("size", "width")); ok && !l.Auto {
		side.width = l
	}
	if side.height.Auto {
		side.height = css.Length{Px: side.width.Of(s.w, 0)}
	}
	if src, ok := scalar(s.groups["image"]["src"]); ok && src != "" {
		side.image = src
	}
	if side.image == "" {
		return nil
	}
	picture := &node{style: side, motions: s.groups["image"].tuned(enter(0, 1, "linear", fade()))}
	bar := s.style("bar", card, "color: red")
	if c := bar.background; c.A > 0 {
		bar.color = c
	}
	turn := enter(0, 2.5, "easeOutElastic", rest)
	ring := &node{style: bar, ends: turn.ends()}
	ring.style.width, ring.style.height = side.width, side.height
	picture.children = []*node{ring}
	ring.paint = func(l *canvas.List, at canvas.Matrix, _ frame, seconds float64) {
		b := picture.box
		thick := max(b.w/20, 2)
		share := 1.0
		if seconds < turn.ends() {
			share = min(max(1-turn.away(seconds/turn.seconds), 0), 1)
		}
		l.Fill(arc(frame{b.x - thick/2, b.y - thick/2, b.w + thick, b.h + thick}, thick, share), at, canvas.Paint{Color: bar.color}, 1)
	}
	if bar.hidden {
		picture.children = nil
	}
	return picture
}

// oneLine is basic/052: the name of a section, and a line that slides out from behind it.
func oneLine(s *building) (*node, error) {
	root := s.root()
	card := &node{style: s.style("card", &root,
		"vertical-align: bottom; horizontal-align: left; padding: 4vw; text-align: left"), inline: true}
	const look = "font-family: Inter; font-size: 2.5vw; font-weight: 400; padding: 1vw; line-height: 1.25; "
	row := &node{style: card.style.inherited(), row: true, inline: true}
	for _, p := range s.paragraphs("section", s.style("section", &card.style, look+"background: red; color: white")) {
		p.inline, p.stretch = true, true
		row.children = append(row.children, p)
	}
	lines := &node{style: card.style.inherited(), inline: true}
	lines.children = s.paragraphs("headline", s.style("headline", &card.style, look+"background: white; color: black"))
	for _, p := range lines.children {
		p.inline = true
	}
	if len(lines.children) > 0 {
		row.children = append(row.children, lines)
	}
	card.children = []*node{row}
	card.style.hidden = card.style.hidden || len(row.children) == 0
	if _, err := s.in(card, "bottom", "left"); err != nil {
		return nil, err
	}
	for _, p := range lines.children {
		behind := wiped(left)
		behind.dx = -p.box.w
		p.motions = s.groups["headline"].tuned(enter(0, 0.5+0.02*float64(utf8.RuneCountInString(p.text.text)), "easeOutCubic", behind))
	}
	return card, nil
}
