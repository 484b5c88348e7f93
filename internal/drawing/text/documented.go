package text

import (
	"math"

	"moviola/internal/drawing/canvas"
)

// This file has the styles 002 to 013. Vendor-catalogue §2.1 gives their moving parts, distances and easings.

// Easings of the animation library anime.js, which the styles 002 to 013 use. libraryElastic and libraryBack differ from the
// common easings of the same names. Vendor-catalogue §7.
var (
	libraryElastic = canvas.MustEase("easeInElastic")
	libraryBack    = func(t float64) float64 { return t * t * (3*t - 2) } // easeInBack of anime.js 3
	outCirc        = canvas.MustEase("easeOutCirc")
)

// out reverses an ease-in easing to an ease-out one; inOut combines both.
func out(in canvas.Easing, t float64) float64 { return 1 - in(1-t) }

func inOut(in canvas.Easing, t float64) float64 {
	if t < 0.5 {
		return in(2*t) / 2
	}
	return 1 - in(2-2*t)/2
}

// appear (styles 003 and 009) fades each animated unit in: a letter, word or line.
func appear(e *entrance, seconds float64) blockState {
	return e.each(seconds, func(_ *cluster, done float64) pose { return moved(0, 0, done) })
}

// vanish (style 010) fades each letter out. The textbox disappears with the last letter.
func vanish(e *entrance, seconds float64) blockState {
	left := 0.0
	poses := make([]pose, e.motion.Units)
	for i := range poses {
		poses[i] = moved(0, 0, 1-e.motion.Share(i, seconds))
		left = max(left, poses[i].alpha)
	}
	box := atRest
	box.alpha = left
	return blockState{opacity: 1, box: box, pose: func(c *cluster) pose { return poses[e.unit(c)] }}
}

// bounce (style 004) makes each letter pop up and fade in within a very short time.
func bounce(e *entrance, seconds float64) blockState {
	return e.each(seconds, func(c *cluster, done float64) pose {
		size := inOut(libraryElastic, done)
		return pose{m: canvas.Scale(size, size, c.middle()), alpha: min(max(size, 0), 1)}
	})
}

// bob (style 005) makes each letter spring up from 1.3 em below, clipped at the lower edge of its line.
func bob(e *entrance, seconds float64) blockState {
	return e.each(seconds, func(c *cluster, done float64) pose {
		p := moved(0, 1.3*c.size*(1-out(libraryElastic, done)), 1)
		floor := e.floor(c)
		p.clip = &floor
		return p
	})
}

// reveal (style 006) makes each letter glide in from the right while it fades in.
func reveal(e *entrance, seconds float64) blockState {
	return e.each(seconds, func(_ *cluster, done float64) pose {
		here := outExpo(done)
		return moved(e.motion.Way*(1-here), 0, here)
	})
}

// domino (style 007) rotates each letter about its vertical axis until it faces the viewer. There is no perspective.
func domino(e *entrance, seconds float64) blockState {
	return e.each(seconds, func(c *cluster, done float64) pose {
		return pose{m: canvas.Scale(math.Cos(math.Pi/2*(1-outCirc(done))), 1, c.middle()), alpha: 1}
	})
}

// ceilAndFloor (style 008) makes letters grow between two lines, which grow from their middles.
func ceilAndFloor(e *entrance, seconds float64) blockState {
	l := e.each(seconds, func(c *cluster, done float64) pose {
		here := outExpo(done)
		size := 0.3 + 0.7*here
		return pose{m: canvas.Scale(size, size, c.middle()), alpha: here}
	})
	l.rules = outExpo(min(seconds/e.motion.Least, 1))
	return l
}

// squash (style 012) makes each letter grow upwards from a wide flat shape on the baseline while it fades in.
func squash(e *entrance, seconds float64) blockState {
	return e.each(seconds, func(c *cluster, done float64) pose {
		here := outQuart(done)
		return pose{m: canvas.Scale(1.7-0.7*here, 0.22+0.78*here, c.center), alpha: here}
	})
}

// pile (style 013) makes the phrases of the text fall to their places from above, one after the other. Each phrase falls
// together with its pill, the rounded box behind it. Phrases that share a pill fall at the same time.
func pile(e *entrance, seconds float64) blockState {
	l := e.block.resting()
	l.pill = func(i int) pose {
		p := e.block.tilted(i)
		share := e.motion.Share(i, seconds)
		if share <= 0 {
			return pose{}
		}
		p.m = p.m.Then(canvas.Move(0, -e.block.fall(i)*(1-out(libraryBack, share))))
		return p
	}
	return l
}

// middle is the centre of a cluster.
func (c *cluster) middle() canvas.Point {
	return canvas.Point{X: c.center.X, Y: c.center.Y - 0.35*c.size}
}
