package render

// keysOf returns, for each frame of a window and for the frame after its last one, whether a key frame must be there. The
// key frames are the first frame, the one after the last, frames that are replaced and do not follow another of these key
// frames too soon, frames after the given fades, and as few others as keep every distance between two key frames at most
// as large as the parameter every. The others are where they cost least.
//
// x264 sets its key frames in a similar way: it has one where the picture changes much, and counts the distance to the
// next from there. After a key frame it has none for a tenth of the largest distance.
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

// keyless is a divisor. For a tenth (1/keyless) of the largest distance between key frames, x264 sets no further key frame
// after a key frame.
const keyless = 10

// The summands of the cost of a key frame, without a unit. They are used for key frames that are needed only because the
// distance between two others is too large: the frames with the lowest sum of costs become key frames. A key frame whose
// content stays visible for long costs more, because x264 encodes it better.
const (
	costOfFrame = 10 // cost for each frame in which the content of the key frame is visible
	// costOfExtra is added to the cost of a key frame that equals the frame before it. If it were no key frame, it would
	// not be encoded, but written as a repeat.
	costOfExtra = 5
	// costOfNew is the largest number that is added to the cost of a key frame in the middle of motion. If it were no key
	// frame, it could be predicted from the frame before it.
	costOfNew = 20
	// costOfNear is added to the cost of a key frame if the next key frame follows so soon that x264 would not have set
	// both.
	costOfNear = 50
	// costOfAny is added to the cost of every key frame, so that as few key frames as possible are set.
	costOfAny = 10000
	// costOfNone is the cost of a frame that cannot be a key frame. It is larger than the costs of all key frames of a
	// movie together.
	costOfNone = 1 << 40
)

// keysBetween sets the key frames that are needed between the key frames from and to.
func (c changed) keysBetween(keys []bool, from, to, every int64, fades []dissolve) {
	if to-from <= every {
		return
	}
	// If frame n were a key frame, costs[n-from] would be the lowest possible sum of the costs of n and all key frames
	// between n and to, and nexts[n-from] would be the key frame after n.
	costs, nexts := make([]int64, to-from+1), make([]int64, to-from+1)
	for n := to - 1; n >= from; n-- {
		best, next := int64(costOfNone), to
		for k := min(n+every, to); k > n; k-- { // of several frames with the lowest cost, the one farthest from n is used
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

// keyCost returns the cost, without costOfNear, of making frame n a key frame although its picture does not require one.
// every is the largest distance between key frames, in frames.
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
