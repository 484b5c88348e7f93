package text

import "moviola/internal/drawing/canvas"

// Fall is a style for components only: words fall from near the viewer into their places.
const Fall = "fall"

func init() { styles[Fall] = fall }

// nearest is the scale at which a falling word begins. Reference vendor-catalogue.md §5.3.
const nearest = 14

func fall(e *entrance, seconds float64) blockState {
	return e.each(seconds, func(c *cluster, done float64) pose {
		share := outCirc(done)
		size := 1 + (nearest-1)*(1-share)
		return pose{m: canvas.Scale(size, size, e.middle(c)), alpha: min(share, 1)}
	})
}

// middle is the centre of the word that contains a cluster.
func (e *entrance) middle(c *cluster) canvas.Point {
	left, right, size := c.x0, c.x1, c.size
	for i := range e.block.clusters {
		if one := &e.block.clusters[i]; one.word == c.word && one.line == c.line {
			left, right, size = min(left, one.x0), max(right, one.x1), max(size, one.size)
		}
	}
	return canvas.Point{X: (left + right) / 2, Y: c.center.Y - 0.35*size}
}
