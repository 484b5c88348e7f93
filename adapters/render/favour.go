package render

import (
	"fmt"
	"math"
	"strings"
)

// pose is frames of a window that look the same: the first differs from what is before, or is a key frame.
type pose struct {
	span
	copies int64 // that are encoded
	key    bool
	change change // from what is before
}

// favour is pictures, of those that are encoded, that the encoder makes better than it would by itself, by steps of its
// quantiser.
type favour struct {
	span
	steps float64
}

const (
	// lookahead is how many pictures behind one x264 looks at, with this preset, to find how much of it stays.
	lookahead = 10
	// stepsPerDoubling is how much better x264 makes what is seen twice as long (its macroblock tree).
	stepsPerDoubling = 2
	// motionStays is about how much of a picture stays in the next one where something moves.
	motionStays = 0.25
	// keySteps is how much better it makes a key frame than the pictures behind it; one right behind another does not get it.
	keySteps = 2.5
	// leastSteps are not worth a filter.
	leastSteps = 0.5
)

// favours are the pictures that stay longer than the encoder sees. It looks ahead, and makes better what stays; the pictures that
// are not encoded it does not see.
func favours(all []pose) []favour {
	var out []favour
	frame := int64(0)
	for i, s := range all {
		steps := missed(all[i:])
		if s.key && i > 0 && all[i-1].key && all[i-1].copies == 1 {
			steps += keySteps
		}
		if steps >= leastSteps && (s.key || s.to-s.from > 1) {
			last := frame + 1
			if !s.key { // whichever of them the encoder makes a picture that others refer to
				last = frame + s.copies
			}
			out = append(out, favour{span{frame, last}, steps})
		}
		frame += s.copies
	}
	return out
}

// missed is by how much the encoder makes the first picture worse because it does not see the frames that are not encoded.
func missed(all []pose) float64 {
	var shown, encoded view
	staying := 1.0
	for i, s := range all {
		if i > 0 && s.change == replaced || encoded.pictures > lookahead {
			break
		}
		if i > 0 && s.change == redrawn {
			staying = motionStays
		}
		shown.look(s.to-s.from, staying)
		encoded.look(s.copies, staying)
	}
	return stepsPerDoubling * (math.Log2(shown.stays) - math.Log2(encoded.stays))
}

// view is what x264 sees from a picture on: how many pictures, and how much of the first they show together.
type view struct {
	pictures int64
	stays    float64
}

func (w *view) look(pictures int64, share float64) {
	pictures = min(pictures, lookahead+1-w.pictures)
	w.pictures += pictures
	w.stays += share * float64(pictures)
}

// favour gives pictures their steps, as the region that is of interest, on the way to the encoder, which gets so many frames.
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

// quantisers are the steps that x264's quantiser has.
const quantisers = 51
