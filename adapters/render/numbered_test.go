//go:build !race

package render_test

import (
	"fmt"
	"math"
	"os/exec"
	"slices"
	"testing"
)

// numberedSize is the size of a clip whose frames show their numbers: 12 squares, one for each bit.
const numberedWidth, numberedHeight = 192, 64

// numbered makes a clip whose frames show their numbers, from 0, before the filters given drop some of them.
func (b *bench) numbered(name, rate string, seconds float64, filters string, args ...string) {
	b.t.Helper()
	from := fmt.Sprintf("nullsrc=s=%dx%d:r=%s:d=%g,geq=lum='16+219*mod(floor(N/pow(2,floor(X/16))),2)':cb=128:cr=128,format=yuv420p%s",
		numberedWidth, numberedHeight, rate, seconds, filters)
	b.generate(name, append([]string{"-f", "lavfi", "-i", from}, args...)...)
}

// numbersOf reads the numbers that the frames of a movie show.
func numbersOf(t *testing.T, path string) []int {
	t.Helper()
	raw, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-i", path, "-map", "0:v", "-vf", "scale=12:1:flags=area,format=gray",
		"-f", "rawvideo", "-").Output()
	if err != nil {
		t.Fatalf("decode: %v", err)
	}
	var all []int
	for bits := range slices.Chunk(raw, 12) {
		n := 0
		for i, v := range bits {
			if v > 128 {
				n |= 1 << i
			}
		}
		all = append(all, n)
	}
	return all
}

// even is the number of the last frame of a clip that begins by a time, of those that the clip has.
func even(count int, rate float64) func(at float64) int {
	return func(at float64) int { return min(int(at*rate), count-1) }
}

// gaps is the same of a clip that shows one frame from each sixth second to four seconds after it.
func gaps(at float64) int {
	n := int(at * 30)
	if in := n % 180; in >= 30 && in <= 150 {
		return n + 29 - in
	}
	return n
}

// TestEngine_Render_numbered: each frame shows the frame of its source that belongs there, wherever the source is opened: behind the
// end of its pictures, in the middle of a picture that stays long, and in files that are not indexed.
func TestEngine_Render_numbered(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.media.kept = true
	x264 := []string{"-c:v", "libx264", "-preset", "veryfast", "-crf", "12", "-g", "250"}
	with := func(args ...string) []string { return append(slices.Clone(x264), args...) }
	sound := []string{"-f", "lavfi", "-i", "sine=f=440:d=26", "-c:a", "aac"}
	b.numbered("short.mp4", "25", 3, "", append(slices.Clone(sound), x264...)...)
	b.numbered("short.mkv", "25", 3, "", append(slices.Clone(sound), x264...)...)
	b.numbered("whole.mp4", "24000/1001", 26, "", x264...)
	b.numbered("whole.ts", "30000/1001", 26, "", x264...)
	b.numbered("gaps.mp4", "30", 20, `,select='not(between(mod(n\,180)\,30\,150))'`, with("-fps_mode", "vfr")...)
	b.numbered("gaps.mkv", "30", 20, `,select='not(between(mod(n\,180)\,30\,150))'`, with("-fps_mode", "vfr")...)
	for name, tt := range map[string]struct {
		src    string
		shown  func(at float64) int // number of the frame of the source at a time
		seek   float64
		length float64
		fps    float64
	}{
		"pictures end early":                  {"short.mp4", even(75, 25), 0, 26, 25},
		"opened behind the pictures":          {"short.mp4", even(75, 25), 5, 2, 25},
		"opened behind the pictures (mkv)":    {"short.mkv", even(75, 25), 5, 2, 30},
		"film":                                {"whole.mp4", even(623, 24000.0/1001), 3.3, 18, 25},
		"film at 29.97":                       {"whole.mp4", even(623, 24000.0/1001), 1.1, 18, 29.97},
		"film at 50":                          {"whole.mp4", even(623, 24000.0/1001), 0.7, 4, 50},
		"transport stream":                    {"whole.ts", even(779, 30000.0/1001), 0, 20, 25},
		"transport stream, sought":            {"whole.ts", even(779, 30000.0/1001), 12.4, 4, 23.976},
		"transport stream, past its end":      {"whole.ts", even(779, 30000.0/1001), 20, 26, 25},
		"a picture that stays long":           {"gaps.mp4", gaps, 3, 3, 30},
		"a picture that stays long, at a cut": {"gaps.mkv", gaps, 3.2, 16, 30},
	} {
		out, err := b.Render(t.Context(), b.job(object{"width": numberedWidth, "height": numberedHeight, "fps": tt.fps, "scenes": []object{
			{"duration": tt.length, "elements": []object{{"type": "video", "src": tt.src, "seek": tt.seek, "duration": tt.length}}},
		}}))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		t.Cleanup(out.Close)
		requireNumbers(t, name, numbersOf(t, out.Movie), func(k int) int { return tt.shown(tt.seek + (float64(k)+0.48)/tt.fps) })
	}
}

// TestEngine_Render_numberedLoops: a repeated video keeps its time, although it has no whole number of frames of the movie, and stands
// still after its last repetition. Windows of ten seconds show several repetitions of the short clip, and parts of the long one.
func TestEngine_Render_numberedLoops(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.media.kept = true
	const short, long, rate = 41, 213, 40.0
	for name, frames := range map[string]float64{"short.mp4": short, "long.mp4": long} {
		b.numbered(name, "40", frames/rate, "", "-c:v", "libx264", "-preset", "veryfast", "-crf", "12")
	}
	for name, tt := range map[string]struct {
		src     string
		frames  int
		loop    int // -1: without end
		seconds float64
		margin  int // height of the canvas below the video
	}{
		"short":                         {"short.mp4", short, -1, 42, 0},
		"long":                          {"long.mp4", long, -1, 42, 0},
		"short, held":                   {"short.mp4", short, 13, 42, 0},
		"long, held":                    {"long.mp4", long, 2, 15.5, 0},
		"a single time":                 {"short.mp4", short, 1, 3, 0},
		"held, on a larger canvas":      {"short.mp4", short, 2, 4, 2},
		"two parts, on a larger canvas": {"long.mp4", long, 2, 15.5, 2},
	} {
		out := b.mustRender(object{"width": numberedWidth, "height": numberedHeight + tt.margin, "fps": 25, "scenes": []object{
			{"duration": tt.seconds, "elements": []object{{"type": "video", "src": tt.src, "loop": tt.loop, "duration": tt.seconds,
				"x": 0, "y": 0, "width": numberedWidth, "height": numberedHeight}}},
		}})
		once := float64(tt.frames) / rate * 25
		requireNumbers(t, name, numbersOf(t, out.Movie), func(k int) int {
			n := int(float64(k) / once)
			if tt.loop > 0 && n >= tt.loop {
				return tt.frames - 1
			}
			return even(tt.frames, rate)((float64(k) - math.Ceil(float64(n)*once) + 0.48) / 25)
		})
	}
}

// requireNumbers compares the numbers that frames show with those of the frames of their source, to one frame.
func requireNumbers(t *testing.T, name string, got []int, want func(k int) int) {
	t.Helper()
	wrong := 0
	for k, n := range got {
		if shown := want(k); n < shown-1 || n > shown+1 {
			if wrong++; wrong <= 3 {
				t.Errorf("%s: frame %d shows %d, want %d", name, k, n, shown)
			}
		}
	}
	if wrong > 0 || len(got) == 0 {
		t.Errorf("%s: %d of %d frames are wrong", name, wrong, len(got))
	}
}
