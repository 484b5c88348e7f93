package render

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"moviola/domain/timeline"
	"moviola/internal/h264"
)

// rests says which frames of a window are composed and encoded, and which are written as pictures that repeat the one before.
type rests struct {
	frames int64 // that are encoded; as many as the window has when nothing rests
	pick   []span
	keys   []int64 // of them, those that must be key frames
	holds  []h264.Hold
	single bool     // nothing but the picked frame is wanted
	calm   bool     // the encoder is asked for no bidirectional pictures
	favour []favour // in their order
}

// span is frames of a window from one on to before another.
type span struct{ from, to int64 }

const (
	// groupFrames is how many pictures of a rest are encoded so that one of them ends a group: x264 puts at most three bidirectional ones
	// between two others.
	groupFrames = 4
	// worthHolding is how many frames of a window must rest at least: what the encoder sees by itself, it judges better.
	worthHolding = lookahead
)

// held says that the movie's windows are written with pictures that repeat the one before.
func (r *run) held() bool { return r.engine.cfg.HeldPictures && r.plan.Held && !r.engine.plain.Load() }

// waysOf are the ways in which a window is encoded: the next one is taken when the encoder has not written what the one before needs.
func (r *run) waysOf(ctx context.Context, w timeline.Window) ([]rests, error) {
	all := everything(w.Frames)
	if !r.held() {
		return []rests{all}, nil
	}
	c, err := r.changesOf(ctx, w)
	if err != nil {
		return nil, err
	}
	every := keyframes(r.plan.FPS)
	var ways []rests
	if isolated(c) {
		ways = append(ways, restsOf(c, every, true))
	}
	ways = append(ways, restsOf(c, every, false))
	ways = slices.DeleteFunc(ways, func(r rests) bool { return len(r.holds) == 0 })
	return append(ways, all), nil
}

// only composes one frame of a window.
func only(frame int64) rests { return rests{frames: 1, pick: []span{{frame, frame + 1}}, single: true} }

// everything encodes every frame.
func everything(frames int64) rests { return rests{frames: frames, pick: []span{{0, frames}}} }

// restsOf plans the rests of a window whose key frames are every so many frames. With calm, one picture of a rest is encoded also where something
// follows: the encoder is asked to end each group with it.
func restsOf(c changed, every int64, calm bool) rests {
	frames := int64(len(c))
	out := rests{calm: calm}
	var all []pose
	key := int64(0)
	for from := int64(0); from < frames; {
		s := pose{span: span{from: from}, change: c[from]}
		if s.key = from == 0 || from == key+every || c[from] == replaced; s.key {
			key = from
		}
		to := from + 1
		for to < frames && c[to] == same && to != key+every {
			to++
		}
		s.to, s.copies = to, min(to-from, groupFrames)
		ends := to == frames || to == key+every || c[to] == replaced
		if calm || ends && (s.key || s.change != altered) { // what is altered is made better when the encoder sees that it stays
			s.copies = 1
		}
		all = append(all, s)
		out.add(s)
		from = to
	}
	if frames-out.frames < worthHolding {
		return everything(frames)
	}
	out.favour = favours(all)
	return out
}

// add encodes what is seen in one.
func (r *rests) add(s pose) {
	if s.key && s.from > 0 {
		r.keys = append(r.keys, r.frames)
	}
	if last := len(r.pick) - 1; last >= 0 && r.pick[last].to == s.from {
		r.pick[last].to = s.from + s.copies
	} else {
		r.pick = append(r.pick, span{s.from, s.from + s.copies})
	}
	if more := s.to - s.from - s.copies; more > 0 {
		r.holds = append(r.holds, h264.Hold{First: int(r.frames), Last: int(r.frames + s.copies - 1), More: int(more)})
	}
	r.frames += s.copies
}

// isolated says that whatever changes rests at once: nothing moves, so that bidirectional pictures are of no use.
func isolated(c changed) bool {
	for n := 1; n < len(c); n++ {
		if c[n-1] != same && c[n] != same {
			return false
		}
	}
	return true
}

// selected is the filter that lets the encoded frames through; empty: all.
func (r rests) selected() string {
	if len(r.holds) == 0 && !r.single {
		return ""
	}
	return selecting(r.pick, 0)
}

// selecting is the filter that lets the frames of spans through, where the first is a later one of the window.
func selecting(spans []span, first int64) string {
	terms := make([]string, len(spans))
	for i, s := range spans {
		terms[i] = fmt.Sprintf("between(n,%d,%d)", s.from-first, s.to-1-first)
	}
	return "select='" + strings.Join(terms, "+") + "'"
}

// encoder are the arguments for the encoder, beside those of all windows.
func (r rests) encoder() []string {
	var args, params []string
	if len(r.keys) > 0 {
		terms := make([]string, len(r.keys))
		for i, n := range r.keys {
			terms[i] = fmt.Sprintf("eq(n,%d)", n)
		}
		args = append(args, "-force_key_frames", "expr:"+strings.Join(terms, "+"))
	}
	if len(r.holds) > 0 { // weights must not follow from the distances of display, which rests change
		args = append(args, "-weightb", "0")
	}
	if r.calm {
		params = append(params, "b-bias=-90")
	}
	if len(params) > 0 {
		args = append(args, "-x264-params", strings.Join(params, ":"))
	}
	return args
}

// shown is how many frames of the window are shown when so many have been encoded.
func (r rests) shown(encoded int64) int64 {
	for _, h := range r.holds {
		if int64(h.Last) < encoded {
			encoded += int64(h.More)
		}
	}
	return encoded
}

// encoded is which of the frames that are encoded shows what a frame of the window shows.
func (r rests) encoded(frame int64) int64 {
	n := int64(0)
	for _, s := range r.pick {
		if frame < s.from {
			break
		}
		n += min(frame+1, s.to) - s.from
	}
	return n - 1
}

// keyframes is the longest distance of key frames, in frames.
func keyframes(rate timeline.Rate) int64 {
	return max(1, int64(math.Round(float64(rate.Num)/float64(rate.Den)*keyframeSeconds)))
}
