package text

import (
	"math"
	"slices"
	"unicode"

	"github.com/go-text/typesetting/bidi"
	"github.com/go-text/typesetting/di"
	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/shaping"
	"golang.org/x/image/math/fixed"

	"moviola/domain/timeline"
)

// maxRunes is the largest number of runes of a text that are drawn; a screen of the smallest legible letters has fewer.
const maxRunes = 20_000

// line is a line of shaped text, its runs from left to right. Lengths are in pixels.
type line struct {
	runs            []shaping.Output
	start           int // index of the line's paragraph in the text
	width           float64
	ascent, descent float64 // distances of the line's upper and lower edge from the baseline, with half of the leading each
}

// page is a laid-out text: the lines of a textbox in a box whose top left corner is 0, 0.
type page struct {
	text  []rune
	lines []placedLine
	// The edges of the textbox with its padding, in pixels.
	left, top, right, bottom float64
}

// placedLine is a line and the left end of its baseline, in the box.
type placedLine struct {
	line
	x, baseline float64
}

// lines shapes a text and breaks it into lines of at most the given width.
func (w *worker) lines(text []rune, s *setting, width float64, lineHeight float64) ([]line, error) {
	var all []line
	for start := 0; start <= len(text); {
		end := start
		for end < len(text) && text[end] != '\n' {
			end++
		}
		s.start = start
		broken, err := w.paragraph(text[start:end], s, width)
		if err != nil {
			return nil, err
		}
		all = append(all, broken...)
		start = end + 1
	}
	for i := range all {
		all[i].measure(s, lineHeight)
	}
	return all, nil
}

// paragraph shapes and breaks a text without line breaks of its own.
func (w *worker) paragraph(text []rune, s *setting, width float64) ([]line, error) {
	if len(text) == 0 {
		return []line{{start: s.start}}, nil
	}
	direction, base := di.DirectionLTR, bidi.LeftToRight
	if RightToLeft(text) {
		direction, base = di.DirectionRTL, bidi.RightToLeft
	}
	inputs, err := w.itemise(text, direction, s)
	if err != nil {
		return nil, err
	}
	levels := w.levels(text, base)
	outputs := make([]shaping.Output, len(inputs))
	for i, input := range inputs {
		outputs[i] = w.shaper.Shape(input)
		fill(&outputs[i])
		if width := w.about[input.Face].width; width > 0 {
			narrow(&outputs[i], width)
		}
		if s.words != 0 {
			outputs[i].AddWordSpacing(text, s.words)
		}
		if s.spacing != 0 && spacedOut(input.Script) {
			outputs[i].AddLetterSpacing(s.spacing, i == 0, i == len(inputs)-1)
		}
	}
	limit := fixed.Int26_6(min(max(width, 1), 1<<20) * 64)
	wrapped, _ := w.wrapper.WrapParagraphF(shaping.WrapConfig{Direction: direction}, limit, text, shaping.NewSliceIterator(outputs))
	var lines []line
	for i, logical := range wrapped {
		trimSpace(logical, text)
		if s.justify && i < len(wrapped)-1 {
			stretch(logical, text, limit)
		}
		lines = append(lines, line{runs: visual(logical, levels), start: s.start})
	}
	return lines, nil
}

// fill gives a run without glyphs one invisible glyph for all its characters. The shaper drops characters that a font lacks and
// that are never drawn, such as a joiner on its own; shaping.LineWrapper panics on a run without glyphs.
func fill(run *shaping.Output) {
	if len(run.Glyphs) == 0 && run.Runes.Count > 0 {
		run.Glyphs = []shaping.Glyph{{
			GlyphID: font.EmptyGlyph, ClusterIndex: run.Runes.Offset, RuneCount: run.Runes.Count, GlyphCount: 1,
		}}
	}
}

// narrow multiplies the horizontal lengths of a run's glyphs by the factor width. The outlines are scaled when they are drawn.
func narrow(run *shaping.Output, width float64) {
	for i := range run.Glyphs {
		g := &run.Glyphs[i]
		for _, v := range []*fixed.Int26_6{&g.Advance, &g.XOffset, &g.XBearing, &g.Width} {
			*v = fixed.Int26_6(float64(*v) * width)
		}
	}
	run.RecomputeAdvance()
}

// stretch widens the blanks of a justified line to fill the limit.
func stretch(logical shaping.Line, text []rune, limit fixed.Int26_6) {
	var blanks []*shaping.Glyph
	room := limit
	for i := range logical {
		room -= logical[i].Advance
		for j := range logical[i].Glyphs {
			if g := &logical[i].Glyphs[j]; g.Advance > 0 && unicode.IsSpace(text[g.TextIndex()]) {
				blanks = append(blanks, g)
			}
		}
	}
	if room <= 0 || len(blanks) == 0 {
		return
	}
	for i, g := range blanks {
		g.Advance += room*fixed.Int26_6(i+1)/fixed.Int26_6(len(blanks)) - room*fixed.Int26_6(i)/fixed.Int26_6(len(blanks))
	}
	for i := range logical {
		logical[i].RecomputeAdvance()
	}
}

// trimSpace removes the width of the spaces at the end of a line in writing order: they hang over the line's edge, whatever the
// direction of their run. UAX #9, rule L1. (shaping.LineWrapper considers the last space in visual order only.)
func trimSpace(logical shaping.Line, text []rune) {
	if len(logical) == 0 {
		return
	}
	last := logical[len(logical)-1].Runes
	end := min(last.Offset+last.Count, len(text))
	for end > 0 && unicode.IsSpace(text[end-1]) {
		end--
	}
	for i := range logical {
		run := &logical[i]
		if run.Runes.Offset+run.Runes.Count <= end {
			continue
		}
		for j := range run.Glyphs {
			if g := &run.Glyphs[j]; g.TextIndex() >= end {
				g.Advance = 0
			}
		}
		run.RecomputeAdvance()
	}
}

// levels returns the embedding level of each character: odd levels are right-to-left.
func (w *worker) levels(text []rune, base bidi.Direction) []bidi.Level {
	levels := make([]bidi.Level, len(text))
	runs := w.bidi.Segment(text, base)
	for i := range runs.NumRuns() {
		run := runs.Run(i)
		for j := run.Start; j < run.End; j++ {
			levels[j] = run.Level
		}
	}
	return levels
}

// visual puts the runs of a line into visual order. (The order of shaping.LineWrapper supports two embedding levels only.)
func visual(logical shaping.Line, levels []bidi.Level) []shaping.Output {
	own := make([]bidi.Level, len(logical))
	for i, run := range logical {
		own[i] = levels[min(run.Runes.Offset, len(levels)-1)]
	}
	runs := make([]shaping.Output, len(logical))
	for i, from := range VisualOrder(own) {
		runs[i] = logical[from]
	}
	return runs
}

// VisualOrder returns the visual order, from left to right, of the parts of a line with the given embedding levels: from the
// highest level to the lowest odd one, every sequence of parts at that level or above is reversed. UAX #9, rule L2.
func VisualOrder(levels []bidi.Level) []int {
	order := make([]int, len(levels))
	highest, lowestOdd := bidi.Level(0), bidi.Level(math.MaxInt8)
	for i, level := range levels {
		order[i] = i
		highest = max(highest, level)
		if level%2 == 1 {
			lowestOdd = min(lowestOdd, level)
		}
	}
	for at := highest; at >= lowestOdd; at-- {
		for i := 0; i < len(order); i++ {
			start := i
			for i < len(order) && levels[order[i]] >= at {
				i++
			}
			slices.Reverse(order[start:i])
		}
	}
	return order
}

// measure computes the width of the line, and its ascent and descent. Line height 0 uses the metrics of the primary font
// and of the line's fonts; otherwise all lines have the given height, and the primary font is centred in it.
func (l *line) measure(s *setting, lineHeight float64) {
	extents, _ := s.primary.FontHExtents()
	scale := px(s.size) / float64(s.primary.Upem())
	l.ascent, l.descent = float64(extents.Ascender)*scale, -float64(extents.Descender)*scale
	gap := float64(extents.LineGap) * scale
	for _, run := range l.runs {
		l.width += px(run.Advance)
		if lineHeight == 0 {
			l.ascent = max(l.ascent, px(run.LineBounds.Ascent))
			l.descent = max(l.descent, -px(run.LineBounds.Descent))
		}
	}
	lead := gap
	if lineHeight > 0 {
		lead = lineHeight - l.ascent - l.descent
	}
	l.ascent += lead / 2
	l.descent += lead / 2
}

func px(v fixed.Int26_6) float64 { return float64(v) / 64 }

// lay lays a text out in a box of width × height pixels.
func (w *worker) lay(t timeline.Text, s *setting, width, height int) (page, error) {
	text := clean(t.Text)
	if len(text) > maxRunes {
		s.warn("The text is longer than %d characters and was cut", maxRunes)
		text = text[:maxRunes]
	}
	s.hanRegion = hanRegion(text)
	padding := t.Settings.Padding
	lines, err := w.lines(text, s, float64(width)-padding.Left-padding.Right, t.Settings.LineHeight)
	if err != nil {
		return page{}, err
	}
	var inner, high float64
	for _, l := range lines {
		inner = max(inner, l.width)
		high += l.ascent + l.descent
	}
	p := page{
		text: text,
		left: between(t.Settings.Horizontal, float64(width)-inner-padding.Left-padding.Right),
		top:  float64(height) - high - padding.Top - padding.Bottom,
	}
	switch t.Settings.Vertical {
	case timeline.AlignTop:
		p.top = 0
	case timeline.AlignMiddle:
		p.top /= 2
	case timeline.AlignBottom:
	}
	// Whole pixels keep the edges of the background sharp.
	p.left, p.top = math.Round(p.left), math.Round(p.top)
	p.right = p.left + math.Ceil(inner+padding.Left+padding.Right)
	p.bottom = p.top + math.Ceil(high+padding.Top+padding.Bottom)
	y := p.top + padding.Top
	for _, l := range lines {
		x := p.left + padding.Left + between(lineAlign(t.Settings.Align, l, text), inner-l.width)
		p.lines = append(p.lines, placedLine{line: l, x: x, baseline: math.Round(y + l.ascent)})
		y += l.ascent + l.descent
	}
	return p, nil
}

// between returns the part of the free space (room) that lies to the left of what is aligned.
func between(a timeline.Align, room float64) float64 {
	switch a {
	case timeline.AlignLeft, timeline.AlignJustify:
		return 0
	case timeline.AlignRight:
		return room
	case timeline.AlignCenter:
	}
	return room / 2
}

// lineAlign is the alignment of a line in its block: justified lines begin at the side where their paragraph begins.
func lineAlign(a timeline.Align, l line, text []rune) timeline.Align {
	if a != timeline.AlignJustify {
		return a
	}
	end := l.start
	for end < len(text) && text[end] != '\n' {
		end++
	}
	if RightToLeft(text[l.start:end]) {
		return timeline.AlignRight
	}
	return timeline.AlignLeft
}
