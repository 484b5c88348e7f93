package captions

import (
	"math"

	"github.com/go-text/typesetting/bidi"

	"moviola/domain/caption"
	"moviola/internal/drawing/text"
)

// levelled is a word, or a part of a word, that has a single direction. Levels are those of UAX #9: odd levels are right-to-left.
type levelled struct {
	caption.Piece
	level, before bidi.Level // levels of the word, and of the blank before it
}

func plainly(word string) levelled { return levelled{Piece: caption.Piece{Text: word}} }

// Invisible characters with the direction of a letter.
const leftMark, rightMark = "\u200e", "\u200f"

// marked returns the text of a word. It adds invisible direction marks around the text when, without them, the text alone would
// look different than in its line.
func (l levelled) marked() string {
	switch rightward := l.level%2 == 1; {
	case rightward == text.RightToLeft([]rune(l.Text)):
		return l.Text
	case rightward:
		return rightMark + l.Text + rightMark
	}
	return leftMark + l.Text + leftMark
}

// levels splits the words of a row where their direction changes. A row without right-to-left letters stays as it is.
func levels(pieces []caption.Piece) []levelled {
	var whole []rune
	starts := make([]int, len(pieces))
	for i, p := range pieces {
		if i > 0 && !p.Glued {
			whole = append(whole, ' ')
		}
		starts[i] = len(whole)
		whole = append(whole, []rune(p.Text)...)
	}
	of := make([]bidi.Level, len(whole)+1)
	base := bidi.LeftToRight
	if text.RightToLeft(whole) {
		base = bidi.RightToLeft
	}
	var paragraph bidi.Paragraph
	if len(whole) > 0 {
		runs := paragraph.Segment(whole, base)
		for i := range runs.NumRuns() {
			run := runs.Run(i)
			for j := run.Start; j < run.End; j++ {
				of[j] = run.Level
			}
		}
	}
	var all []levelled
	for i, p := range pieces {
		letters := []rune(p.Text)
		for from := 0; from < len(letters) || from == 0; {
			at := starts[i] + from
			to := from + 1
			for to < len(letters) && of[starts[i]+to] == of[at] {
				to++
			}
			part := levelled{Piece: p, level: of[at], before: of[max(at-1, 0)]}
			part.Text = string(letters[from:min(to, len(letters))])
			part.Glued = p.Glued || from > 0
			all = append(all, part)
			from = to
		}
	}
	return all
}

// arrange puts the words of a line into visual order.
func (r *row) arrange() {
	type item struct {
		word  int // index of the word in r.words; -1: a blank
		width float64
	}
	var items []item
	var order []bidi.Level
	for i, w := range r.words {
		if w.gap > 0 {
			items, order = append(items, item{-1, w.gap}), append(order, w.piece.before)
		}
		items, order = append(items, item{i, w.w}), append(order, w.piece.level)
	}
	x := 0.0
	for _, i := range text.VisualOrder(order) {
		if n := items[i].word; n >= 0 {
			r.words[n].x = x
		}
		x += items[i].width
	}
}

const (
	// boxedGap is the smallest gap next to a word with a box, as a multiple of the box's padding.
	boxedGap = 1.5
	// boxedShare is the largest fraction of a gap that a box may cover.
	boxedShare = 1 / boxedGap
)

// room returns how far the box of a word extends beyond the word to the left and right: at most pad. It does not reach a
// neighbour without a box.
func (r *row) room(i int, pad float64) (left, right float64) {
	w := r.words[i]
	left, right = pad, pad
	for k, other := range r.words {
		switch {
		case k == i:
		case other.piece.Boxed: // the neighbour is another part of the same word
		case other.x < w.x:
			left = math.Min(left, math.Max(0, boxedShare*(w.x-other.x-other.w)))
		default:
			right = math.Min(right, math.Max(0, boxedShare*(other.x-w.x-w.w)))
		}
	}
	return left, right
}
