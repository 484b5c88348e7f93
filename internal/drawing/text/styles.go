package text

import (
	"image"
	"math"

	"moviola/internal/drawing/canvas"
)

// style computes the state of an animated text at a time, in seconds. docs/text-styles.md shows the styles.
type style func(e *entrance, seconds float64) blockState

var styles = map[string]style{
	"002": fadeIn, "003": appear, "004": bounce, "005": bob, "006": reveal, "007": domino,
	"008": ceilAndFloor, "009": appear, "010": vanish, "012": squash, "013": pile,

	"moviola/fade": fadeIn, "moviola/settle": wordByWord, "moviola/spring": pop, "moviola/jump": jump, "moviola/rise": rise,
	"moviola/focus": focus, "moviola/slide": slide, "moviola/grow": grow, "moviola/type": typed,
	Zoom: zoom,
}

// Zoom is a style for components only.
const Zoom = "zoom"

var (
	outCubic = canvas.MustEase("easeOutCubic")
	outExpo  = canvas.MustEase("easeOutExpo")
	outQuart = canvas.MustEase("easeOutQuart")
	outBack  = canvas.MustEase("easeOutBack")
	// outElastic is the common elastic easing with period 0.3, as the program's own styles have always used it.
	outElastic = func(t float64) float64 {
		if t <= 0 || t >= 1 {
			return math.Round(t)
		}
		return 1 + math.Pow(2, -10*t)*math.Sin((10*t-0.75)*2*math.Pi/3)
	}
)

// each returns the state of the block at a time, in seconds. While a cluster moves, its pose is of(c, done): c is the
// cluster, and done is the completed fraction of its movement. A cluster whose movement has not begun is invisible. One
// whose movement is complete is at rest. The textbox appears with the first animated unit, such as a letter or word.
func (e *entrance) each(seconds float64, of func(c *cluster, done float64) pose) blockState {
	box := atRest
	box.alpha = outCubic(min(e.motion.Share(0, seconds)*2, 1))
	return blockState{opacity: 1, box: box, pose: func(c *cluster) pose {
		switch done := e.motion.Share(e.unit(c), seconds); {
		case done <= 0:
			return pose{}
		case done >= 1:
			return atRest
		default:
			return of(c, done)
		}
	}}
}

// moved returns a pose that is shifted by dx and dy pixels and has the opacity alpha.
func moved(dx, dy, alpha float64) pose { return pose{m: canvas.Move(dx, dy), alpha: alpha} }

// fadeIn fades the whole text in.
func fadeIn(e *entrance, seconds float64) blockState {
	return blockState{opacity: e.motion.Share(0, seconds), box: atRest}
}

// wordByWord fades each word in while it rises a little to its place.
func wordByWord(e *entrance, seconds float64) blockState {
	return e.each(seconds, func(c *cluster, done float64) pose {
		return moved(0, 0.25*c.size*(1-outCubic(done)), outCubic(done))
	})
}

// pop makes each letter spring from size 0 to its full size.
func pop(e *entrance, seconds float64) blockState {
	return e.each(seconds, func(c *cluster, done float64) pose {
		size := outElastic(done)
		middle := canvas.Point{X: c.center.X, Y: c.center.Y - 0.35*c.size}
		return pose{m: canvas.Scale(size, size, middle), alpha: min(done*12, 1)}
	})
}

// jump makes each letter spring up from below its line, clipped at the line's lower edge.
func jump(e *entrance, seconds float64) blockState {
	return e.each(seconds, func(c *cluster, done float64) pose {
		p := moved(0, 1.3*c.size*(1-outElastic(done)), 1)
		floor := e.floor(c)
		p.clip = &floor
		return p
	})
}

// rise makes each word glide up from below the lower edge of its line, where it is clipped.
func rise(e *entrance, seconds float64) blockState {
	return e.each(seconds, func(c *cluster, done float64) pose {
		p := moved(0, 1.15*c.size*(1-outExpo(done)), 1)
		floor := e.floor(c)
		p.clip = &floor
		return p
	})
}

// floor returns the area in which the cluster c is drawn while it rises: everything from the top of the drawing down to
// the lower edge of the cluster's line, or to a little below its baseline if that is lower.
func (e *entrance) floor(c *cluster) image.Rectangle {
	all := e.block.region
	below := max(e.block.lines[c.line].Max.Y, int(math.Ceil(c.center.Y+0.28*c.size)))
	return image.Rect(all.Min.X, all.Min.Y, all.Max.X, below)
}

// focus makes each letter come out of a blur, from a little further right.
func focus(e *entrance, seconds float64) blockState {
	return e.each(seconds, func(c *cluster, done float64) pose {
		p := moved(0.18*c.size*(1-outCubic(done)), 0, min(done*1.6, 1))
		// The blur radius is rounded down to whole pixels. Its steps are hardly visible while it is large; it ends at 0,
		// because the last trace of a blur would be visible.
		p.blur = math.Floor(min(0.3*c.size, 60) * (1 - outCubic(done)) * (1 - done))
		return p
	})
}

// slide makes each line move in from the left.
func slide(e *entrance, seconds float64) blockState {
	return e.each(seconds, func(c *cluster, done float64) pose {
		way := min(float64(e.block.lines[c.line].Max.X-e.block.region.Min.X), 0.6*(e.block.right-e.block.left)+2*c.size)
		return moved(-way*(1-outQuart(done)), 0, min(done*2.5, 1))
	})
}

// grow scales the whole text up, a little beyond its size, and back.
func grow(e *entrance, seconds float64) blockState {
	done := e.motion.Share(0, seconds)
	size := 0.5 + 0.5*outBack(done)
	middle := canvas.Point{X: (e.block.left + e.block.right) / 2, Y: (e.block.top + e.block.bottom) / 2}
	p := pose{m: canvas.Scale(size, size, middle), alpha: 1}
	return blockState{opacity: outCubic(min(done*2, 1)), box: p, pose: func(*cluster) pose { return p }}
}

// zoom makes each letter fall from near the viewer into its place.
func zoom(e *entrance, seconds float64) blockState {
	return e.each(seconds, func(c *cluster, done float64) pose {
		size := 1 + 2.5*(1-outExpo(done))
		middle := canvas.Point{X: c.center.X, Y: c.center.Y - 0.35*c.size}
		return pose{m: canvas.Scale(size, size, middle), alpha: min(done*2.5, 1)}
	})
}

// typed shows the letters one by one, with a cursor after the last one.
func typed(e *entrance, seconds float64) blockState {
	l := e.each(seconds, func(*cluster, float64) pose { return atRest })
	last := &e.block.clusters[0]
	x := last.x0
	for i := range e.block.clusters {
		if c := &e.block.clusters[i]; e.motion.Share(e.unit(c), seconds) > 0 {
			last = c
			x = c.x1
			if i > 0 && e.block.clusters[i-1].line == c.line && e.block.clusters[i-1].x0 > c.x0 { // the text is written from right to left
				x = c.x0
			}
		}
	}
	wide := max(canvas.Round(0.06*last.size), 1)
	bar := canvas.Rectangle(canvas.Round(x+0.05*last.size), canvas.Round(last.center.Y-0.8*last.size), wide, canvas.Round(last.size))
	l.above = &canvas.List{}
	l.above.Fill(bar, canvas.Identity, canvas.Paint{Color: e.block.style.Color}, 1)
	return l
}
