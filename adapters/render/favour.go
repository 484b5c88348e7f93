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
	change change        // how much the first frame differs from the frame before it
	out    []h264.Weight // weights of the frames of a fade after this sequence, which are written as weighted copies of it
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
	// stepsPerDoubling is how many quantiser steps better x264 encodes content that stays visible twice as long (its macroblock
	// tree).
	stepsPerDoubling = 2
	// motionStays is the share of a frame that is estimated to stay visible in the next frame, when a large picture moves or fades.
	motionStays = 0.25
	// keyStays is the share of a frame that is estimated to stay visible in the next frame, when a large picture begins to move or
	// to fade with a key frame. In some of these cases so much is new that x264 would set the key frame by itself.
	keyStays = 0.15
	// keySteps is how many quantiser steps better x264 encodes a key frame than the frames after it; a key frame directly after
	// another one gets no bonus.
	keySteps = 2.5
	// cutSteps is how many quantiser steps better a large picture is encoded that appears so soon after a key frame that its own
	// first frame is no key frame. Otherwise x264 may encode the picture in bidirectional frames, which have a lower quality.
	cutSteps = 1.5
	// leastSteps is the smallest correction that is worth a filter.
	leastSteps = 0.5
)

// favours returns the frames that stay visible longer than the encoder can know. The encoder looks ahead and improves frames that
// stay visible, but it does not see the repeats, which are not encoded.
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
			// If the pose has no key frame, the encoder chooses to which of the pose's encoded frames later frames refer. So all
			// encoded frames of the pose get the better quality.
			if !s.key {
				last = frame + s.copies
			}
			out = append(out, favour{span{frame, last}, steps})
		}
		frame += s.copies
	}
	return out
}

// missed returns how many quantiser steps worse x264 encodes the first pose because it looks ahead at encoded frames only, and
// repeats are not encoded.
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
