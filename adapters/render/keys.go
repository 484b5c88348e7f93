package render

// keysOf returns, for each frame of a window and for the frame after its last one, whether a key frame must be there. The
// key frames are the first frame, frames that are replaced and do not follow another key frame too soon, frames after the
// given fades, and as few others as keep every distance between two key frames at most as large as the parameter every. The
// others are where they cost least.
//
// x264 sets its key frames in a similar way: it has one where the picture changes much, and counts the distance to the next from
// there. After a key frame it has none for a tenth of the largest distance.
func keysOf(c changed, every int64, fades []dissolve) []bool {
	frames := int64(len(c))
	keys := make([]bool, frames+1)
	keys[0] = true
	for last, n := int64(0), int64(1); n <= frames; n++ {
		if n == frames || endsFade(fades, n) || c[n] == replaced && n-last >= every/keyless {
			c.keysBetween(keys, last, n, every, fades)
			keys[n], last = true, n
		}
	}
	return keys
}

// keyless is a divisor: for 1/keyless of the largest distance between key frames, x264 sets no second key frame after one.
const keyless = 10

// The costs of a key frame that is needed only because the last one is far. The longer its content stays visible, the better it
// is encoded, and the more it costs.
const (
	costOfFrame = 10      // for each frame in which the key frame stays visible
	costOfExtra = 5       // added if the frame equals the one before, so that it is encoded for the key frame only
	costOfNew   = 20      // added, at most, in the middle of motion, where the frame can be predicted from the one before
	costOfNear  = 50      // added when another key frame follows so soon that x264 would do without
	costOfAny   = 10000   // added for each key frame: fewer are better
	costOfNone  = 1 << 40 // no key frame can be there; more than all others of a movie together
)

// keysBetween sets the key frames that are needed between the key frames from and to.
func (c changed) keysBetween(keys []bool, from, to, every int64, fades []dissolve) {
	if to-from <= every {
		return
	}
	// costs holds for each frame the least cost of all key frames from it on, if it is a key frame itself. nexts holds the next of
	// these key frames.
	costs, nexts := make([]int64, to-from+1), make([]int64, to-from+1)
	for n := to - 1; n >= from; n-- {
		best, next := int64(costOfNone), to
		for k := min(n+every, to); k > n; k-- { // if several cost the same, the farthest is used
			if costs[k-from] < best {
				best, next = costs[k-from], k
			}
		}
		costs[n-from], nexts[n-from] = best+c.keyCost(n, every, fades), next
		if to-n < every/keyless {
			costs[n-from] += costOfNear
		}
	}
	for n := nexts[0]; n < to; n = nexts[n-from] {
		keys[n] = true
	}
}

// keyCost returns the cost of a key frame at frame n, where no key frame must be.
func (c changed) keyCost(n, every int64, fades []dissolve) int64 {
	for _, d := range fades {
		if n >= d.from && n < d.to {
			return costOfNone
		}
	}
	cost := int64(costOfAny)
	switch {
	case c[n] == same:
		cost += costOfExtra
	case c[n] == redrawn:
		rest, long := int64(0), max(1, every/4)
		for rest < long && n-rest > 0 && c[n-rest-1] == same {
			rest++
		}
		cost += costOfNew - costOfNew*rest/long
	}
	staying := 1.0
	seen := view{}
	seen.add(1, 1)
	for k := n + 1; k < int64(len(c)) && seen.pictures <= lookahead && c[k] != replaced; k++ {
		if c[k] == redrawn {
			staying = motionStays
		}
		seen.add(1, staying)
	}
	return cost + int64(costOfFrame*seen.stays)
}

// endsFade reports whether a frame is the first one after a fade.
func endsFade(all []dissolve, n int64) bool {
	for _, d := range all {
		if d.to == n {
			return true
		}
	}
	return false
}
