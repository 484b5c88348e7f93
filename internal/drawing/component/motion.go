package component

import (
	"math"

	"moviola/internal/drawing/canvas"
)

// pose is the deviation of a box from its place at rest: shift, scale, opacity, ...
type pose struct {
	dx, dy float64
	sx, sy float64
	turn   float64 // clockwise rotation in degrees
	alpha  float64
	cut    [4]float64 // fractions of the box that are cut off at its top, right, bottom and left
}

var rest = pose{sx: 1, sy: 1, alpha: 1}

// motion moves a box between its place at rest and the pose in the field from, which is a deviation from that place. At
// each time, the box deviates from rest by a share of that pose, usually between 0 and 1.
type motion struct {
	delay, seconds float64
	// away maps done, the elapsed fraction of the motion, to how far the box is from rest: 0 is at rest, 1 is the whole
	// pose in the field from.
	away  func(done float64) float64
	from  pose
	stays bool // after the end, the box keeps the pose that it has then
}

// enter is a motion from a pose to the place, size and opacity that the box has without a motion (rest).
func enter(delay, seconds float64, easing string, from pose) motion {
	e := canvas.MustEase(easing)
	return motion{delay: delay, seconds: seconds, from: from, away: func(done float64) float64 { return 1 - e(done) }}
}

// press is a motion from rest to the pose to, reached half-way, and back to rest, as when a button is pressed.
func press(delay, seconds float64, to pose) motion {
	return motion{delay: delay, seconds: seconds, from: to, away: func(done float64) float64 { return math.Sin(math.Pi * done) }}
}

// leave is a motion from rest to a pose, which the box keeps afterwards.
func leave(delay, seconds float64, easing string, to pose) motion {
	return motion{delay: delay, seconds: seconds, from: to, away: canvas.MustEase(easing), stays: true}
}

// The start poses of the usual entrances.
func fade() pose               { p := rest; p.alpha = 0; return p }
func from(dx, dy float64) pose { p := fade(); p.dx, p.dy = dx, dy; return p }
func wiped(side int) pose      { p := rest; p.cut[side] = 1; return p }
func shrunk() pose             { p := fade(); p.sx, p.sy = 0, 0; return p }

const (
	top = iota
	right
	bottom
	left
)

// ends is the end time of a motion.
func (m motion) ends() float64 { return m.delay + m.seconds }

// at is the pose at a time.
func (m motion) at(seconds float64) pose {
	if seconds >= m.ends() && !m.stays {
		return rest
	}
	done := 0.0
	if seconds >= m.ends() {
		done = 1
	} else if seconds > m.delay {
		done = (seconds - m.delay) / m.seconds
	}
	share := m.away(done)
	mix := func(rest, from float64) float64 { return rest + (from-rest)*share }
	p := pose{
		dx: mix(0, m.from.dx), dy: mix(0, m.from.dy), sx: mix(1, m.from.sx), sy: mix(1, m.from.sy),
		turn: mix(0, m.from.turn), alpha: min(max(mix(1, m.from.alpha), 0), 1),
	}
	for i := range p.cut {
		p.cut[i] = min(max(mix(0, m.from.cut[i]), 0), 1)
	}
	return p
}

// and, a method of poses, returns the pose of a box to which both p and q apply: shifts and rotations add up, scales and
// opacities are multiplied, and the larger cut of each side counts.
func (p pose) and(q pose) pose {
	p.dx, p.dy, p.sx, p.sy, p.turn, p.alpha = p.dx+q.dx, p.dy+q.dy, p.sx*q.sx, p.sy*q.sy, p.turn+q.turn, p.alpha*q.alpha
	for i := range p.cut {
		p.cut[i] = max(p.cut[i], q.cut[i])
	}
	return p
}

// maxSeconds is the maximum duration of an animation, in seconds.
const maxSeconds = 60

// tuned adjusts motions by the settings animation, duration, delay (both in milliseconds) and easing of a group.
func (g group) tuned(motions ...motion) []motion {
	if w := g.word("animation"); w == "none" || w == "false" {
		return nil
	}
	for i := range motions {
		m := &motions[i]
		m.seconds = g.number(m.seconds*1000, 0, maxSeconds*1000, "duration") / 1000
		m.delay = g.number(m.delay*1000, 0, maxSeconds*1000, "delay") / 1000
		if e, ok := canvas.Ease(g.word("easing")); ok {
			m.away = func(done float64) float64 { return 1 - e(done) }
		}
	}
	return motions
}
