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

// rests holds which frames of a window are composed and encoded, and which are written as repeats of the frame before.
type rests struct {
	frames int64 // number of encoded frames; if no frame is repeated, all frames of the window
	pick   []span
	keys   []int64 // indices, among the encoded frames, of those after the first that must be key frames
	holds  []h264.Hold
	single bool     // only one frame of the window is needed, the one in pick
	calm   bool     // the encoder is asked to use no bidirectional frames
	favour []favour // ranges of better quality, in the order of frames
}

// span is a range of frames of a window: the field from is its first frame, the field to the frame after its last one.
type span struct{ from, to int64 }

const (
	// groupFrames is the largest number of frames that are encoded at the start of a sequence of equal frames. x264 puts
	// at most three bidirectional frames between two other frames, so one of four successive frames is not bidirectional.
	// Repeats can usually be inserted after this frame.
	groupFrames = 4
	// worthHolding is the smallest number of frames in a window for which it is worth writing them without encoding, as
	// repeats of the frame before or as frames of fades. If fewer frames could be written so, all frames of the window
	// are encoded: x264 encodes short sequences of equal frames well.
	worthHolding = lookahead
)

// held reports whether equal frames of the movie may be held, that is written as repeats. They are not held in streams of
// hardware encoders, because package h264 supports only streams of x264.
func (r *run) held() bool {
	return r.engine.cfg.HeldPictures && r.plan.Held && !r.encoder.Hardware() && !r.plain
}

// waysOf returns the ways to encode a window, the best one first. If the stream that one way produces cannot be lengthened, the
// next way is tried.
func (r *run) waysOf(ctx context.Context, t *ticket) ([]rests, error) {
	w := t.window
	all := everything(w.Frames)
	if !r.held() || t.matte {
		return []rests{all}, nil
	}
	c, err := r.changesOf(ctx, w)
	if err != nil {
		return nil, err
	}
	every := keyframes(r.plan.FPS)
	var ways []rests
	dissolves, err := r.dissolvesOf(ctx, w)
	if err != nil {
		return nil, err
	}
	if c != nil && len(dissolves) > 0 {
		weighed := c.weighed(dissolves)
		ways = append(ways, restsAnd(weighed, every, isolated(weighed), dissolves))
	}
	if isolated(c) {
		ways = append(ways, restsOf(c, every, true))
	}
	ways = append(ways, restsOf(c, every, false))
	ways = slices.DeleteFunc(ways, func(r rests) bool { return len(r.holds) == 0 })
	return append(ways, all), nil
}

// only returns the choice (of type rests) to compose and encode a single frame of the window. frame is its number.
func only(frame int64) rests { return rests{frames: 1, pick: []span{{frame, frame + 1}}, single: true} }

// everything returns the choice (of type rests) to encode every frame of the window, and to write none as a repeat of the
// frame before. frames is the number of frames of the window.
func everything(frames int64) rests { return rests{frames: frames, pick: []span{{0, frames}}} }

// restsOf chooses which frames of a window are encoded, and which are written as repeats of the frame before. c says how
// much each frame changes. every is the largest distance between key frames, in frames. calm asks the encoder to use no
// bidirectional frames, so that of a sequence of equal frames only one has to be encoded.
func restsOf(c changed, every int64, calm bool) rests { return restsAnd(c, every, calm, nil) }

// restsAnd chooses which frames of a window are encoded, which are written as repeats of the frame before, and which are
// frames of the given fades. The frames of fades are not encoded either: they are computed from the picture before the
// fade. If these are fewer than worthHolding frames together, all frames are encoded. c says how much each frame changes,
// and counts the frames of these fades as unchanged. every and calm are the same as for restsOf.
func restsAnd(c changed, every int64, calm bool, fades []dissolve) rests {
	frames := int64(len(c))
	out := rests{calm: calm}
	var all []pose
	keys := keysOf(c, every, fades)
	for from := int64(0); from < frames; {
		s := pose{span: span{from: from}, change: c[from], key: keys[from]}
		to := c.heldUntil(s.from, keys, fades)
		s.to, from = to, to
		if d := beginning(fades, to); d != nil {
			s.out, from = d.weights, d.to
		}
		s.copies = min(s.to-s.from, groupFrames)
		ends := keys[from]
		// s is a sequence of equal frames. One encoded frame of s is enough if the encoder uses no bidirectional frames
		// (calm). It is also enough if a key frame follows s, with one exception. If s is no key frame and differs little
		// from the frame before it (altered), several encoded frames show the encoder that the content of s stays visible,
		// and s is encoded better.
		if calm || ends && (s.key || s.change != altered) {
			s.copies = 1
		}
		all = append(all, s)
		out.add(s)
	}
	if frames-out.frames < worthHolding {
		return everything(frames)
	}
	out.favour = favours(all)
	return out
}

// heldUntil returns the next frame that differs from the given one, must be a key frame, or begins a fade.
func (c changed) heldUntil(from int64, keys []bool, fades []dissolve) int64 {
	to := from + 1
	for !keys[to] && c[to] == same && beginning(fades, to) == nil {
		to++
	}
	return to
}

// add adds the frames of s, a sequence of equal frames, to r. The first s.copies frames are encoded, the others are written
// as repeats.
func (r *rests) add(s pose) {
	if s.key && s.from > 0 {
		r.keys = append(r.keys, r.frames)
	}
	if last := len(r.pick) - 1; last >= 0 && r.pick[last].to == s.from {
		r.pick[last].to = s.from + s.copies
	} else {
		r.pick = append(r.pick, span{s.from, s.from + s.copies})
	}
	if more := s.to - s.from - s.copies; more > 0 || s.out != nil {
		r.holds = append(r.holds, h264.Hold{
			First: int(r.frames), Last: int(r.frames + s.copies - 1), More: int(more), Out: s.out,
		})
	}
	r.frames += s.copies
}

// isolated reports whether no two successive frames of c both change. Then nothing moves, so bidirectional frames are of no
// use.
func isolated(c changed) bool {
	for n := 1; n < len(c); n++ {
		if c[n-1] != same && c[n] != same {
			return false
		}
	}
	return true
}

// selected returns the filter that passes only the encoded frames; empty: all frames are encoded.
func (r rests) selected() string {
	if len(r.holds) == 0 && !r.single {
		return ""
	}
	return selecting(r.pick, 0)
}

// selecting returns the filter that passes the frames of spans. Spans count from the window's first frame, but the filter counts
// from the first frame that it receives: the frame of the window with number first.
func selecting(spans []span, first int64) string {
	terms := make([]string, len(spans))
	for i, s := range spans {
		terms[i] = fmt.Sprintf("between(n,%d,%d)", s.from-first, s.to-1-first)
	}
	return "select='" + strings.Join(terms, "+") + "'"
}

// encoder returns the encoder arguments that differ between windows. With spare, x264 keeps fewer frames in memory, which matters
// for large frames. It then encodes at most two frames at a time and looks ahead in the encoding thread. A separate thread for
// looking ahead would keep four more frames in memory, with the same result.
func (r rests) encoder(spare bool) []string {
	var args, params []string
	if len(r.keys) > 0 {
		terms := make([]string, len(r.keys))
		for i, n := range r.keys {
			terms[i] = fmt.Sprintf("eq(n,%d)", n)
		}
		args = append(args, "-force_key_frames", "expr:"+strings.Join(terms, "+"))
	}
	if len(r.holds) > 0 { // weighted prediction is switched off: it would depend on display times, which held frames change
		args = append(args, "-weightb", "0")
	}
	if r.frames <= fewFrames {
		args = append(args, "-threads", "1") // further threads would each need memory for pictures, and save little time
	} else if spare {
		args = append(args, "-threads", "2")
		params = append(params, "sync-lookahead=0")
	}
	if r.calm {
		params = append(params, "b-bias=-90")
	}
	if len(params) > 0 {
		args = append(args, "-x264-params", strings.Join(params, ":"))
	}
	return args
}

// shown returns how many frames of the window are shown once a number of frames has been encoded.
func (r rests) shown(encoded int64) int64 {
	all := encoded
	for _, h := range r.holds {
		if int64(h.Last) < encoded {
			all += int64(h.More + len(h.Out))
		}
	}
	return all
}

// encoded returns the index, among the encoded frames, of the one that is shown at a frame of the window.
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

// keyframes is the largest distance between key frames, in frames.
func keyframes(rate timeline.Rate) int64 {
	return max(1, int64(math.Round(float64(rate.Num)/float64(rate.Den)*keyframeSeconds)))
}
