package text

import (
	"moviola/domain/timeline"
)

// Animated is something drawn that may move: a text, a component. It is used by one goroutine at a time.
type Animated interface {
	// Frame draws the state at a time of the element, in seconds from its start, cropped to the visible part. Equal times give
	// equal pictures. Times before 0 count as 0, times after Settled as Settled. The picture must not be changed, and stays valid
	// after the next call. If the drawing is impossible, the error is a *domain.Error.
	Frame(seconds float64) (Drawing, error)
	// Settled is the time in seconds after which the picture does not change any more; 0 if it never moves.
	Settled() float64
}

// Still is a drawing that does not move.
type Still struct{ Drawing Drawing }

var _ Animated = Still{}

// Frame returns the drawing, which must not be changed.
func (s Still) Frame(float64) (Drawing, error) { return s.Drawing, nil }

// Settled is 0.
func (Still) Settled() float64 { return 0 }

// Animate prepares a text in a box of w × h pixels, with its animation. It shapes the text and lays it out once; a text that is
// too large to draw is a *domain.Error.
func (e *Engine) Animate(t timeline.Text, w, h int) (Animated, error) {
	b, err := e.Lay(t, Options{}, w, h)
	if err != nil {
		return nil, err
	}
	return b.Animate(t.Animation)
}

// Animate returns the block with an animation. nil, or a style that does not exist, means no animation.
func (b *Block) Animate(a *timeline.Animation) (Animated, error) {
	if a == nil || styles[a.Style] == nil || len(b.clusters) == 0 {
		d, err := b.Draw()
		return Still{d}, err
	}
	return &entrance{block: b, motion: *a, style: styles[a.Style]}, nil
}

// entrance is a text with an animation.
type entrance struct {
	block  *Block
	motion timeline.Animation
	style  style
}

// Settled returns the time in seconds at which the animation is over: the last letter, word or line has reached its place
// or, in a style that leaves, has vanished.
func (e *entrance) Settled() float64 {
	last := 0
	for i := range e.block.clusters {
		last = max(last, e.unit(&e.block.clusters[i]))
	}
	return e.motion.Ends(last + 1)
}

// unit returns the number of the animated unit (letter, word, line, phrase or the whole block) that a cluster belongs to.
func (e *entrance) unit(c *cluster) int {
	unit := 0
	switch e.motion.Unit {
	case timeline.LineUnit:
		unit = c.line
	case timeline.WordUnit:
		unit = c.word
	case timeline.LetterUnit:
		unit = c.letter
	case timeline.PhraseUnit:
		unit = c.phrase
	case timeline.BlockUnit:
	}
	return min(unit, max(e.motion.Units-1, 0))
}

func (e *entrance) Frame(seconds float64) (Drawing, error) {
	if settled := e.Settled(); seconds >= settled && e.motion.Leaves {
		seconds = settled
	} else if seconds >= settled {
		return e.block.Draw()
	}
	return e.block.paint(e.style(e, max(seconds, 0)))
}
