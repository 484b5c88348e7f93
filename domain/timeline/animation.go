package timeline

import (
	"hash/fnv"
	"math"

	"moviola/domain/document"
)

// Animation says how a text appears or, with Leaves, disappears. The text is divided into units, in reading order. Unless
// Random is set, unit i (from 0) begins Delay + Step·i seconds after the element's first frame and is complete Each seconds
// later. The style decides how a moving unit looks.
type Animation struct {
	Style string // a style of document.TextStyles that has a movement
	Unit  AnimationUnit
	// Units is the number of units in the text as written. If the drawing finds more units, the further units begin at the same time
	// as the last unit that is counted here.
	Units int
	Delay float64 // seconds from the element's first frame to the start of unit 0
	Step  float64 // seconds from the start of one unit to that of the next
	Each  float64 // seconds that one unit takes
	// Random, if not 0, is the time span in which the units begin in random order: each after Delay and a fraction of Random that
	// follows from Seed and the number of the unit. Step is not used then.
	Random float64 // time span in which the units begin, in seconds; 0: not in random order
	Seed   uint32
	Least  float64 // minimum duration of the animation, in seconds
	Way    float64 // distance in pixels that a unit moves, for styles in which the distance does not depend on the font size
	// Intro is the length of the animation in frames of the element. Nothing moves after the animation. It ends with the
	// element at the latest: see animate.
	Intro  int64
	Leaves bool // the text is complete at first and disappears, instead of appearing
}

// AnimationUnit is the part of a text that moves as one.
type AnimationUnit = document.TextUnit

// The units of animation.
const (
	BlockUnit  = document.BlockUnit
	LineUnit   = document.LineUnit
	WordUnit   = document.WordUnit
	PhraseUnit = document.PhraseUnit
	LetterUnit = document.LetterUnit
)

// glide is the distance in pixels that letters of style 006 move. Vendor-catalogue §2.1.
const glide = 40

// animate returns the animation of a text that is shown for life frames; nil: the text does not move. When the animation
// needs more time than life, it is sped up if its style is one of our own, and cut if its style is a documented one.
func animate(style, text string, life int64, rate Rate) *Animation {
	motion := document.TextMotions[style]
	if !motion.Moves() {
		return nil
	}
	units := motion.Unit.Count(text)
	a := &Animation{
		Style: style, Unit: motion.Unit, Units: units, Delay: motion.Delay, Step: motion.Step, Each: motion.Each, Random: motion.Random,
		Least: motion.Least, Leaves: motion.Leaves,
	}
	if a.Random > 0 {
		sum := fnv.New32a()
		_, _ = sum.Write([]byte(text)) // a write to a hash never fails
		a.Seed = sum.Sum32()
	}
	if style == "006" {
		a.Way = glide
	}
	whole, room := motion.Seconds(units), rate.Seconds(life).Float()
	if whole > room && motion.Intro == 0 {
		a.Step, a.Each, whole = a.Step*room/whole, a.Each*room/whole, room
	}
	a.Intro = min(int64(math.Ceil(whole*float64(rate.Num)/float64(rate.Den)-1e-6)), life)
	return a
}

// Begins returns the time at which unit i begins, in seconds. A unit beyond the field Units begins at the same time as the last
// unit within it.
func (a Animation) Begins(i int) float64 {
	i = max(min(i, a.Units-1), 0)
	if a.Random > 0 {
		return a.Delay + a.Random*chance(a.Seed, uint32(i))
	}
	return a.Delay + a.Step*float64(i)
}

// Ends returns the time at which the last of a number of units is complete, in seconds.
func (a Animation) Ends(units int) float64 {
	last := 0.0
	for i := range max(min(units, a.Units), 1) {
		last = max(last, a.Begins(i)+a.Each)
	}
	return max(last, a.Least)
}

// chance returns a pseudo-random number in [0, 1). Equal arguments give equal numbers.
func chance(seed, i uint32) float64 {
	x := uint64(seed)<<32 | uint64(i)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return float64((x^x>>31)>>11) / (1 << 53)
}

// Share returns the completed fraction, 0 to 1, of unit i's movement at a time in seconds.
func (a Animation) Share(i int, seconds float64) float64 {
	at := seconds - a.Begins(i)
	switch {
	case at >= a.Each:
		return 1
	case at <= 0:
		return 0
	}
	return at / a.Each
}

// Done returns the completed fraction, 0 to 1, of unit i's movement at frame k of the element.
func (a Animation) Done(i int, k int64, rate Rate) float64 {
	return a.Share(i, float64(k)*float64(rate.Den)/float64(rate.Num))
}
