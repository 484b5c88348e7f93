package timeline

import (
	"hash/fnv"
	"math"

	"moviola/domain/document"
)

// Animation is how a text comes in. The text is divided into units, in reading order; unit i (from 0) begins Delay + Step·i seconds after
// the element's first frame and is complete Each seconds later. How a unit looks on its way is the style's matter.
type Animation struct {
	Style string // one of document.TextStyles that moves
	Unit  AnimationUnit
	// Units is how many there are, counted in the text as written. A drawing that finds more of them, by its own rules, lets the
	// further ones begin with the last.
	Units int
	Delay float64 // seconds
	Step  float64 // seconds
	Each  float64 // seconds
	// Random is the time within which the units begin, each after Delay and a share of Random that follows from Seed and its number; Step
	// counts nothing then.
	Random float64 // seconds
	Seed   uint32
	Least  float64 // seconds that the animation lasts at least
	Way    float64 // pixels that a unit moves, of a style whose way does not follow from the size of its font
	// Intro is how many frames of the element the animation lasts: from that frame on nothing moves. An element that ends before cuts it.
	Intro  int64
	Leaves bool // the text is there at first, and nothing of it in the end
}

// AnimationUnit is what moves by itself.
type AnimationUnit = document.TextUnit

// The units of animation.
const (
	BlockUnit  = document.BlockUnit
	LineUnit   = document.LineUnit
	WordUnit   = document.WordUnit
	PhraseUnit = document.PhraseUnit
	LetterUnit = document.LetterUnit
)

// glide is the way of the letters of style 006. Vendor-catalogue §2.1.
const glide = 40

// animate returns the animation of a text that is shown for life frames; nil: none. One of our own styles that would not be complete in that
// time runs faster, a documented one is cut.
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
		_, _ = sum.Write([]byte(text)) // never fails
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

// Begins is when unit i begins, in seconds. Further units than there are begin with the last.
func (a Animation) Begins(i int) float64 {
	i = max(min(i, a.Units-1), 0)
	if a.Random > 0 {
		return a.Delay + a.Random*chance(a.Seed, uint32(i))
	}
	return a.Delay + a.Step*float64(i)
}

// Ends is when the last of so many units has come, in seconds.
func (a Animation) Ends(units int) float64 {
	last := 0.0
	for i := range max(min(units, a.Units), 1) {
		last = max(last, a.Begins(i)+a.Each)
	}
	return max(last, a.Least)
}

// chance is a number of at least 0 and below 1 that looks random and is the same every time.
func chance(seed, i uint32) float64 {
	x := uint64(seed)<<32 | uint64(i)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return float64((x^x>>31)>>11) / (1 << 53)
}

// Share is how much of unit i's way is done at a time in seconds, 0 to 1.
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

// Done is the share of unit i's way, 0 to 1, at frame k of the element.
func (a Animation) Done(i int, k int64, rate Rate) float64 {
	return a.Share(i, float64(k)*float64(rate.Den)/float64(rate.Num))
}
