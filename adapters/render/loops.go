package render

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"moviola/adapters/render/artwork"
	"moviola/domain/timeline"
)

// play is a part of a window that shows a part of a source.
type play struct {
	at     float64 // start position in the source, in seconds
	frames int64   // length in frames of the movie
}

// repetitions divides the frames of an element into the repetitions of a source. Their lengths differ by one frame if the source
// has no whole number of frames of the movie. Each repetition begins at the same place of the source.
type repetitions struct {
	frames float64 // length of a repetition in frames of the movie
	plays  int64   // maximum number of repetitions; 0: no maximum
}

// rounded is how far a length in seconds that a file states can be from the true one: Matroska counts in milliseconds.
const rounded = 0.0005

func repetitionsOf(l timeline.Layer, rate timeline.Rate) repetitions {
	fps := float64(rate.Num) / float64(rate.Den)
	frames := l.Loop * fps
	if whole := math.Round(frames); whole >= 1 && math.Abs(frames-whole) <= rounded*fps+hair {
		frames = whole
	}
	return repetitions{frames: frames, plays: int64(l.Plays)}
}

// hair is a fraction of a frame that differences by rounding do not reach.
const hair = 1e-6

// begins is the first frame of repetition n, counted from 0.
func (r repetitions) begins(n int64) int64 { return int64(math.Ceil(float64(n)*r.frames - hair)) }

// at is the repetition that shows a frame, or a later one if there are fewer.
func (r repetitions) at(frame int64) int64 {
	return int64(math.Floor((float64(frame) + hair) / r.frames))
}

// longest is the largest number of frames of a repetition.
func (r repetitions) longest() int64 { return max(1, r.begins(1)) }

// ends is the frame after the last repetition.
func (r repetitions) ends() int64 {
	if r.plays == 0 {
		return math.MaxInt64
	}
	return r.begins(r.plays)
}

// plays returns the parts of a video that a window shows. A video that does not repeat has one part. A video that repeats
// has one part for each repetition in the window. If l.Plays limits the number of repetitions, and the window goes on
// after the last one, one more part follows: it begins at the end of the video, so that the last frame stands still.
func plays(l timeline.Layer, rate timeline.Rate) []play {
	fps := float64(rate.Num) / float64(rate.Den)
	first, last := l.Phase, l.Phase+l.To-l.From // the frames of the element that the window shows
	if l.Loop <= 0 {
		return []play{{at: l.Seek + float64(first)/fps, frames: last - first}}
	}
	r := repetitionsOf(l, rate)
	var all []play
	for n := r.at(first); first < min(last, r.ends()); n++ {
		if next := min(r.begins(n+1), last, r.ends()); next > first {
			all = append(all, play{at: l.Seek + float64(first-r.begins(n))/fps, frames: next - first})
			first = next
		}
	}
	if first < last {
		all = append(all, play{at: l.Seek + l.Loop, frames: last - first})
	}
	return all
}

// played opens the source for every repetition in the window.
func (g *graph) played(l timeline.Layer, src artwork.Source, p place) string {
	stretches := plays(l, g.rate)
	parts := make([]string, len(stretches))
	for i, stretch := range stretches {
		parts[i] = g.stretch(stretch, src, l, p)
	}
	return g.concat(parts)
}

// concat returns the label of the frames of several streams, one after the other.
func (g *graph) concat(parts []string) string {
	if len(parts) == 1 {
		return parts[0]
	}
	joined := g.label()
	one := "concat=n=" + strconv.Itoa(len(parts)) + ":v=1:a=0" // it counts time in microseconds
	g.chain(strings.Join(parts, "]["), append([]string{one}, g.renumbered()...), joined)
	return joined
}

// loopBytes bounds the memory for a short repeated clip.
const loopBytes = 200 << 20

// looped keeps the frames of a short clip that repeats several times in the window, so that it is opened once and not for each
// repetition.
func (g *graph) looped(l timeline.Layer, src artwork.Source, p place) (label string, ok bool) {
	if l.Loop <= 0 {
		return "", false
	}
	r := repetitionsOf(l, g.rate)
	first, last := l.Phase, l.Phase+l.To-l.From
	end := min(last, r.ends())
	n, size := r.at(first), r.longest()
	if end <= r.begins(n+1) || size*int64(p.visible.Dx())*int64(p.visible.Dy())*5/2 > loopBytes {
		return "", false
	}
	from := g.stretch(play{at: l.Seek, frames: size}, src, l, p)
	to := g.label()
	// Every repetition is as long as the longest one; the filter select leaves out the frames that it has too many.
	begins := fmt.Sprintf("ceil((floor(n/%d)+%%d)*%s-%g)", size, strconv.FormatFloat(r.frames, 'f', -1, 64), hair)
	g.chain(from, []string{
		fmt.Sprintf("loop=loop=-1:size=%d:start=0", size),
		fmt.Sprintf("select='lt(mod(n,%d),%s-%s)'", size, fmt.Sprintf(begins, n+1), fmt.Sprintf(begins, n)),
		number(0),
		fmt.Sprintf("trim=start_frame=%d:end_frame=%d", first-r.begins(n), end-r.begins(n)),
		number(0),
	}, to)
	if end == last {
		return to, true
	}
	return g.concat([]string{to, g.stretch(play{at: l.Seek + l.Loop, frames: last - end}, src, l, p)}), true
}
