package render

import (
	"math"
	"testing"

	"moviola/adapters/render/artwork"
	"moviola/commands"
	"moviola/domain/timeline"
)

// TestRepetitions: files give their length in microseconds or milliseconds. A clip of whole frames does not get one more by that.
func TestRepetitions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		loop    float64
		fps     int64
		frames  int64 // length of the first repetition
		hundred int64 // length of a hundred repetitions
	}{
		{6.666667, 30, 200, 20_000},
		{6.667, 30, 200, 20_000},
		{0.033, 30, 1, 100},
		{3.366667, 60, 202, 20_200},
		{2.02, 25, 51, 5050}, // 50.5 frames
		{2.001, 25, 51, 5003},
	} {
		r := repetitionsOf(timeline.Layer{Loop: tt.loop}, timeline.Rate{Num: tt.fps, Den: 1})
		if r.begins(1) != tt.frames || r.begins(100) != tt.hundred || r.at(tt.frames-1) != 0 || r.at(tt.frames) != 1 {
			t.Errorf("%g s at %d: %d frames, 100 times %d, want %d and %d", tt.loop, tt.fps, r.begins(1), r.begins(100), tt.frames, tt.hundred)
		}
	}
}

// TestPlays: what a frame of a repeated video shows does not depend on where its windows are cut, and is never a frame from its time.
func TestPlays(t *testing.T) {
	t.Parallel()
	rates := []timeline.Rate{{Num: 25, Den: 1}, {Num: 2997, Den: 100}, {Num: 24000, Den: 1001}}
	for _, rate := range rates {
		for _, loop := range []float64{0.01, 0.04, 0.5, 1.001, 1.035, 5.325, 7} {
			for _, most := range []int{0, 1, 3, 40} {
				l := timeline.Layer{Seek: 0.3, Loop: loop, Plays: most, To: 700, Life: 700}
				whole := startsOf(l, rate)
				for _, cut := range []int64{1, 37, 250, 699} {
					before, after := l, l
					before.To, after.Phase, after.To = cut, cut, l.Life-cut
					parts := append(startsOf(before, rate), startsOf(after, rate)...)
					for k := range whole {
						if len(parts) != len(whole) || math.Abs(parts[k]-whole[k]) > 1e-6 {
							t.Fatalf("%v, %g s, %d times, cut at %d: frame %d of %d shows %g s, %g s without the cut", rate, loop, most, cut, k,
								len(parts), parts[k], whole[k])
						}
					}
				}
				for k, at := range whole {
					seconds := float64(k) * float64(rate.Den) / float64(rate.Num)
					if most > 0 && seconds >= float64(most)*loop {
						if at < l.Seek+loop-1e-6 && k >= int(math.Ceil(float64(most)*loop*float64(rate.Num)/float64(rate.Den))) {
							t.Fatalf("%v, %g s, %d times: frame %d shows %g s after the last time", rate, loop, most, k, at)
						}
						continue
					}
					late := l.Seek + math.Mod(seconds, loop) - at
					// a length that is a whole number of frames but for its rounding is taken for that
					early := 1e-6 + math.Floor(seconds/loop)*math.Abs(loop-repetitionsOf(l, rate).frames*float64(rate.Den)/float64(rate.Num))
					if frame := float64(rate.Den) / float64(rate.Num); late < -early || late > frame && late < loop-frame {
						t.Fatalf("%v, %g s, %d times: frame %d shows a picture that is %g s late", rate, loop, most, k, late)
					}
				}
			}
		}
	}
}

// startsOf is the time in the source of each frame of a layer, at most that of its end.
func startsOf(l timeline.Layer, rate timeline.Rate) []float64 {
	var all []float64
	for _, p := range plays(l, rate) {
		for k := range p.frames {
			all = append(all, min(p.at+float64(k)*float64(rate.Den)/float64(rate.Num), l.Seek+l.Loop))
		}
	}
	return all
}

// A short clip is opened once for all its repetitions in a window, and once more if its last frame is held.
func TestGraph_looped(t *testing.T) {
	t.Parallel()
	video := &commands.VideoStream{Width: 64, Height: 64, FrameRate: 25, AspectNum: 1, AspectDen: 1, PixelFormat: "yuv420p"}
	src := artwork.Source{Asset: commands.Asset{Format: "mov", Media: &commands.Media{Duration: 0.08, Video: video}}}
	for most, inputs := range map[int]int{0: 1, 10: 2, 200: 1} {
		g := &graph{w: 64, h: 64, rate: timeline.Rate{Num: 25, Den: 1}}
		l := timeline.Layer{Box: timeline.Box{W: 64, H: 64}, Loop: 0.08, Plays: most, To: 250, Life: 250}
		if _, ok := g.looped(l, src, g.place(l)); !ok || len(g.inputs) != inputs {
			t.Errorf("%d times: %t, %d inputs, want %d", most, ok, len(g.inputs), inputs)
		}
	}
}
