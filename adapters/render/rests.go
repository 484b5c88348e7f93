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
	zones  []string // what the encoder gives to pictures that stay
}

// span is frames of a window from one on to before another.
type span struct{ from, to int64 }

const (
	// groupFrames is how many pictures of a rest are encoded so that one of them ends a group: x264 puts at most three bidirectional ones
	// between two others.
	groupFrames = 4
	// lookahead is as many pictures as x264 looks at to see what stays, with this preset.
	lookahead = 10
	// worthHolding is how many frames of a window must rest at least.
	worthHolding = 4
)

// weights are the arguments of windows with rests: weights must not follow from the distances of display, which rests change. It costs one to
// three bytes of a thousand.
func (r *run) weights() []string {
	if r.held() {
		return []string{"-weightb", "0"}
	}
	return nil
}

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
	for from := int64(0); from < frames; {
		to := from + 1
		for to < frames && !c[to] && to%every != 0 {
			to++
		}
		copies := to - from
		if to == frames || to%every == 0 || calm {
			copies = 1
		}
		copies = min(copies, groupFrames)
		out.add(from, to, copies, every)
		from = to
	}
	if frames-out.frames < worthHolding {
		return everything(frames)
	}
	if calm {
		out.favourKeys(frames, every)
	}
	return out
}

// add encodes so many copies of what is seen in a span.
func (r *rests) add(from, to, copies, every int64) {
	if from > 0 && from%every == 0 {
		r.keys = append(r.keys, r.frames)
	}
	if last := len(r.pick) - 1; last >= 0 && r.pick[last].to == from {
		r.pick[last].to = from + copies
	} else {
		r.pick = append(r.pick, span{from, from + copies})
	}
	if more := to - from - copies; more > 0 {
		r.holds = append(r.holds, h264.Hold{First: int(r.frames), Last: int(r.frames + copies - 1), More: int(more)})
		if !r.calm {
			r.favour(r.frames, r.frames+copies-1, copies, to-from)
		}
	}
	r.frames += copies
}

// favour lets the encoder give pictures, from one to another, what it would have given them had it seen more than it sees of the pictures that
// look like them: it looks ahead, and makes what stays better than what does not. The figures are measured: with them a file is about as long as
// one of which all is encoded, and its pictures about as good.
func (r *rests) favour(from, to, seen, stays int64) {
	more := float64(min(stays, lookahead+1)) / float64(min(seen, lookahead+1))
	var factor float64
	switch {
	case seen == 1: // two of six steps of its quantiser for each doubling, and a little for what it would improve afterwards
		factor = math.Pow(more, 0.36)
	case r.calm: // it sees what little changes
		factor = 1.2 * math.Pow(more, 0.1)
	default: // it sees the group
		factor = math.Pow(more, 0.15)
	}
	if factor > 1 {
		r.zones = append(r.zones, fmt.Sprintf("%d,%d,b=%.2f", from, to, factor))
	}
}

// favourKeys does so for the key frames of a calm window of so many frames.
func (r *rests) favourKeys(frames, every int64) {
	starts := append(append([]int64{0}, r.keys...), r.frames)
	for i, at := range starts[:len(starts)-1] {
		r.favour(at, at, starts[i+1]-at, min(every, frames-int64(i)*every))
	}
}

// isolated says that whatever changes rests at once: nothing moves, so that bidirectional pictures are of no use.
func isolated(c changed) bool {
	for n := 1; n < len(c); n++ {
		if c[n-1] && c[n] {
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
	terms := make([]string, len(r.pick))
	for i, s := range r.pick {
		terms[i] = fmt.Sprintf("between(n,%d,%d)", s.from, s.to-1)
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
	if r.calm {
		params = append(params, "b-bias=-90")
	}
	if len(r.zones) > 0 {
		params = append(params, "zones="+strings.Join(r.zones, "/"))
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

// keyframes is the longest distance of key frames, in frames.
func keyframes(rate timeline.Rate) int64 {
	return max(1, int64(math.Round(float64(rate.Num)/float64(rate.Den)*keyframeSeconds)))
}
