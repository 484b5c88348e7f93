package timeline

import (
	"math"

	"moviola/domain/document"
)

// Animation is how a text comes in. The text is divided into units, in reading order; unit i (from 0) begins Step·i seconds after
// the element's first frame and is complete Each seconds later. How a unit looks on its way is the style's matter.
type Animation struct {
	Style string // "002" to "010"
	Unit  AnimationUnit
	// Units is how many there are, counted in the text as written. A drawing that finds more of them, by its own rules, lets the
	// further ones begin with the last.
	Units int
	Step  float64 // seconds
	Each  float64 // seconds
	// Intro is how many frames of the element the animation lasts: from that frame on nothing moves.
	Intro int64
}

// AnimationUnit is what moves by itself.
type AnimationUnit = document.TextUnit

// The units of animation.
const (
	BlockUnit  = document.BlockUnit
	LineUnit   = document.LineUnit
	WordUnit   = document.WordUnit
	LetterUnit = document.LetterUnit
)

// animate returns the animation of a text that is shown for life frames; nil: none. One that would not be complete in that time
// runs faster.
func animate(style, text string, life int64, rate Rate) *Animation {
	motion, ok := document.TextMotions[style]
	if !ok {
		return nil
	}
	units := motion.Unit.Count(text)
	a := &Animation{Style: style, Unit: motion.Unit, Units: units, Step: motion.Step, Each: motion.Each}
	whole, room := motion.Seconds(units), rate.Seconds(life).Float()
	if whole > room {
		a.Step, a.Each, whole = a.Step*room/whole, a.Each*room/whole, room
	}
	a.Intro = min(int64(math.Ceil(whole*float64(rate.Num)/float64(rate.Den)-1e-6)), life)
	return a
}

// Done is the share of unit i's way, 0 to 1, at frame k of the element.
func (a Animation) Done(i int, k int64, rate Rate) float64 {
	at := float64(k)*float64(rate.Den)/float64(rate.Num) - a.Step*float64(min(i, a.Units-1))
	switch {
	case at < 0:
		return 0
	case at >= a.Each:
		return 1
	}
	return at / a.Each
}
