package render

import (
	"fmt"
	"math"
	"strings"

	"moviola/internal/h264"
)

// pose is a sequence of equal frames of a window. The first one differs from the frame before it, or is a key frame.
type pose struct {
	span
	copies int64 // number of frames, from the first, that are encoded; the others are written as repeats
	key    bool
	change change // how much the first frame differs from the frame before it
	// out are the weights of the frames of a fade that follows this sequence; nil: none follows. The frames of the fade are
	// not encoded, but computed from the last frame of the sequence.
	out []h264.Weight
}

// favour is a range of encoded frames that get a better quality than the encoder would choose, in steps of its quantiser.
type favour struct {
	span
	steps float64
}

const (
	// lookahead is the number of following frames that x264 examines, with this preset, to find how much of a frame stays
	// visible.
	lookahead = 10
	// stepsPerDoubling is the number of quantiser steps by which x264 encodes content better that stays visible twice as
	// long. x264 calls this its macroblock tree.
	stepsPerDoubling = 2
	// motionStays is the share of a frame that is estimated to stay visible in the next frame, when a large picture moves or fades.
	motionStays = 0.25
	// keyStays is the share of a frame that is estimated to stay visible in the next frame, if the next frame is a key
	// frame in which a large picture moves or fades. The share is smaller than motionStays, because in some of these key
	// frames so much is new that x264 itself would have made them key frames.
	keyStays = 0.15
	// keySteps is the number of quantiser steps by which x264 encodes a key frame better than the frames after it. A key
	// frame that directly follows another encoded key frame does not get this bonus from x264, so favours adds it.
	keySteps = 2.5
	// cutSteps is the number of quantiser steps by which favours improves a large picture that appears so soon after a key
	// frame that the picture's own first frame is no key frame. Without this, x264 may encode the picture in bidirectional
	// frames, which have a lower quality.
	cutSteps = 1.5
	// leastSteps is the smallest correction that is worth a filter.
	leastSteps = 0.5
)

// favours returns the frames that get a better quality, above all those that stay visible longer than the encoder can
// know. The encoder looks ahead and improves frames that stay visible, but it does not see the repeats, which are not
// encoded.
func favours(all []pose) []favour {
	var out []favour
	frame := int64(0)
	for i, s := range all {
		steps := missed(all[i:])
		if s.key && i > 0 && all[i-1].key && all[i-1].copies == 1 {
			steps += keySteps
		}
		if !s.key && s.change == replaced {
			steps += cutSteps
		}
		if steps >= leastSteps && (s.key || s.to-s.from > 1) {
			last := frame + 1
			// s is a sequence of equal frames. If it begins with a key frame, only this frame gets the better quality.
			// Otherwise all its encoded frames get it, because the encoder may let later frames refer to any of them.
			if !s.key {
				last = frame + s.copies
			}
			out = append(out, favour{span{frame, last}, steps})
		}
		frame += s.copies
	}
	return out
}

// missed estimates by how many quantiser steps x264 encodes all[0], a sequence of equal frames, worse than it should.
// x264 encodes content better the longer the content stays visible, but it sees only encoded frames, and repeats are not
// encoded.
func missed(all []pose) float64 {
	var shown, encoded view
	staying := 1.0
	for i, s := range all {
		if i > 0 && s.change == replaced || encoded.pictures > lookahead {
			break
		}
		if i > 0 && s.change == redrawn {
			staying = min(staying, motionStays)
			if s.key {
				staying = keyStays
			}
		}
		shown.add(s.to-s.from, staying)
		encoded.add(s.copies, staying)
	}
	return stepsPerDoubling * (math.Log2(shown.stays) - math.Log2(encoded.stays))
}

// view is what x264 finds when it looks ahead from a frame. pictures is the number of frames that it examines, with that
// frame. stays is the sum, over these frames, of the share of the first frame that is still visible in them.
type view struct {
	pictures int64
	stays    float64
}

func (w *view) add(pictures int64, share float64) {
	pictures = min(pictures, lookahead+1-w.pictures)
	w.pictures += pictures
	w.stays += share * float64(pictures)
}

// favour adds a filter that marks frames as regions of interest, from which the encoder takes their quantiser steps. frames is
// the number of frames that the encoder gets.
func (g *graph) favour(all []favour, frames int64) {
	if len(all) == 0 {
		return
	}
	type piece struct {
		span
		filter string
	}
	var pieces []piece
	done := int64(0)
	for _, f := range all {
		if f.from > done {
			pieces = append(pieces, piece{span: span{done, f.from}})
		}
		better := fmt.Sprintf("addroi=x=0:y=0:w=iw:h=ih:qoffset=%.0f/%d", -100*f.steps, 100*quantisers)
		pieces = append(pieces, piece{f.span, better})
		done = f.to
	}
	if done < frames {
		pieces = append(pieces, piece{span: span{done, frames}})
	}
	split, joined := make([]string, len(pieces)), make([]string, len(pieces))
	for i := range pieces {
		split[i], joined[i] = g.label(), g.label()
	}
	g.chain(g.top, []string{fmt.Sprintf("split=%d", len(pieces))}, strings.Join(split, "]["))
	for i, p := range pieces {
		filters := []string{fmt.Sprintf("trim=start_frame=%d:end_frame=%d", p.from, p.to), number(0)}
		if p.filter != "" {
			filters = append(filters, p.filter)
		}
		g.chain(split[i], filters, joined[i])
	}
	g.top = g.label()
	g.chain(strings.Join(joined, "]["), []string{fmt.Sprintf("concat=n=%d", len(pieces))}, g.top)
}

// quantisers is the number of steps of x264's quantiser.
const quantisers = 51
