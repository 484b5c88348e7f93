//go:build !race

package render_test

import (
	"bufio"
	"fmt"
	"image/color"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// requireEvenFrames checks that every frame follows the one before at the same distance.
func requireEvenFrames(t *testing.T, path string, want int) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=pts",
		"-of", "csv=p=0", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int64]bool{}
	var last int64
	lines := bufio.NewScanner(strings.NewReader(string(out)))
	for lines.Scan() {
		pts, err := strconv.ParseInt(strings.Trim(lines.Text(), ","), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seen[pts], last = true, max(last, pts)
	}
	step := last / int64(want-1)
	for i := range int64(want) {
		if !seen[i*step] {
			t.Fatalf("no frame at tick %d; step %d, last %d, %d frames", i*step, step, last, len(seen))
		}
	}
	if len(seen) != want {
		t.Errorf("%d frames, want %d", len(seen), want)
	}
}

// counter makes a video of 25 fps whose frame n has the grey of n.
func (b *bench) counter(name string, frames int) {
	b.generate(name, "-f", "lavfi", "-i", fmt.Sprintf("color=black:s=64x64:r=25:d=%g,format=yuv420p,geq=lum='16+2*N':cb=128:cr=128", float64(frames)/25),
		"-c:v", "libx264", "-crf", "1", "-g", "30", "-colorspace", "bt709", "-color_range", "tv")
}

// shown says which frame of a counter a movie shows at its frame n.
func shown(t *testing.T, path string, n int) int {
	t.Helper()
	grey := mean(frame(t, path, n), 30, 30, 8)[0]
	luma := (grey*219 + 127) / 255
	return (luma + 1) / 2
}

func TestEngine_Render_showsTheRightFrames(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.counter("count.mp4", 100)
	tests := []struct {
		name    string
		element object
		length  float64 // seconds of the scene
		want    map[int]int
	}{
		{"from the start", object{}, 4, map[int]int{0: 0, 1: 1, 50: 50, 99: 99}},
		{"late", object{"start": 1}, 4, map[int]int{25: 0, 26: 1, 99: 74}},
		{"seek", object{"seek": 2.2}, 1.8, map[int]int{0: 55, 1: 56, 40: 95}},
		{"last frame stays", object{"duration": 6}, 6, map[int]int{98: 98, 99: 99, 101: 99, 149: 99}},
		// Long scenes are cut into parts: every part goes on where the one before ended.
		{"endless, in parts", object{"loop": -1, "duration": 20}, 20, map[int]int{99: 99, 100: 0, 249: 49, 250: 50, 251: 51, 420: 20, 499: 99}},
		{"twice, then the last frame", object{"loop": 2, "duration": 20}, 20, map[int]int{150: 50, 199: 99, 202: 99, 300: 99, 499: 99}},
		{"seek and repeat", object{"seek": 3, "loop": -1, "duration": 5}, 5, map[int]int{0: 75, 24: 99, 25: 75, 60: 85, 124: 99}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			element := object{"type": "video", "src": "count.mp4", "x": 0, "y": 0, "width": 64, "height": 64}
			for k, v := range tt.element {
				element[k] = v
			}
			out := b.mustRender(object{"width": 64, "height": 64, "fps": 25, "quality": "high", "scenes": []object{
				{"duration": tt.length, "elements": []object{element}},
			}})
			for n, want := range tt.want {
				if got := shown(t, out.Movie, n); got != want {
					t.Errorf("frame %d shows frame %d of the source, want %d", n, got, want)
				}
			}
			requireEvenFrames(t, out.Movie, int(out.Plan.Frames))
		})
	}
}

func TestEngine_Render_fades(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.paint("white.png", 100, 100, color.NRGBA{255, 255, 255, 255})
	b.generate("white.mp4", "-f", "lavfi", "-i", "color=white:s=100x100:r=25:d=5", "-c:v", "libx264", "-colorspace", "bt709")
	for _, kind := range []string{"image", "video"} {
		src := map[string]string{"image": "white.png", "video": "white.mp4"}[kind]
		out := b.mustRender(object{"width": 200, "height": 200, "fps": 25, "scenes": []object{{"duration": 4, "elements": []object{
			{"type": kind, "src": src, "x": 51, "y": 51, "width": 99, "height": 99, "start": 1, "duration": 2, "fade-in": 1, "fade-out": 0.4},
		}}}})
		for n, want := range map[int]int{24: 0, 25: 0, 37: 122, 51: 255, 64: 255, 70: 128, 75: 0, 90: 0} {
			got := mean(frame(t, out.Movie, n), 100, 100, 8)
			if d := got[1] - want; d < -14 || d > 14 {
				t.Errorf("%s: frame %d is %v, want %d", kind, n, got, want)
			}
		}
		requireColor(t, kind+" at its edge", frame(t, out.Movie, 55), 145, 145, [3]int{255, 255, 255}, 3)
		requireColor(t, "beside the "+kind, frame(t, out.Movie, 55), 156, 156, [3]int{0, 0, 0}, 3)
	}
}

func TestEngine_Render_transparentVideo(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.generate("half.webm", "-f", "lavfi", "-i", "color=red@0.5:s=100x100:r=25:d=1,format=yuva420p", "-c:v", "libvpx-vp9", "-pix_fmt", "yuva420p")
	out := b.mustRender(object{"width": 100, "height": 100, "scenes": []object{{"background-color": "#0000FF", "duration": 1, "elements": []object{
		{"type": "video", "src": "half.webm", "x": 0, "y": 0, "width": 100, "height": 100},
	}}}})
	requireColor(t, "half red over blue", frame(t, out.Movie, 5), 50, 50, [3]int{127, 0, 128}, 6)
	b.generate("hdr.mkv", "-f", "lavfi", "-i", "color=white@0.5:s=100x100:r=25:d=1,format=yuva444p10le", "-c:v", "ffv1",
		"-color_trc", "smpte2084", "-colorspace", "bt2020nc", "-color_primaries", "bt2020", "-color_range", "tv")
	out = b.mustRender(object{"width": 100, "height": 100, "scenes": []object{{"background-color": "#0000FF", "duration": 1, "elements": []object{
		{"type": "video", "src": "hdr.mkv", "x": 0, "y": 0, "width": 100, "height": 100},
	}}}})
	requireColor(t, "half white of high dynamic range over blue", frame(t, out.Movie, 5), 50, 50, [3]int{134, 130, 255}, 10)
}

// Sources of many kinds are shown as a player shows them: turned, in other containers, of other depth.
func TestEngine_Render_kindsOfVideo(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	// Red above blue.
	halves := []string{"-f", "lavfi", "-i", "color=red:s=64x64:r=25:d=2,drawbox=y=32:h=32:color=blue:t=fill,format=yuv420p"}
	b.generate("plain.mp4", append(halves, "-c:v", "libx264", "-colorspace", "bt470bg")...)
	b.generate("turned.mp4", "-i", filepath.Join(b.media.dir, "plain.mp4"), "-c", "copy", "-metadata:s:v", "rotate=180")
	b.generate("vp8.webm", append(halves, "-c:v", "libvpx")...)
	b.generate("live.webm", append(halves, "-c:v", "libvpx-vp9", "-live", "1")...)
	b.generate("stream.ts", append(halves, "-c:v", "mpeg2video", "-q:v", "1")...)
	b.generate("prores.mov", append(halves, "-c:v", "prores_ks", "-profile:v", "3")...)
	b.generate("hdr.mkv", "-f", "lavfi", "-i", "color=white:s=64x64:r=25:d=2,format=yuv420p10le", "-c:v", "libx264",
		"-color_trc", "smpte2084", "-colorspace", "bt2020nc", "-color_primaries", "bt2020")
	red, blue, white := [3]int{254, 0, 0}, [3]int{0, 0, 254}, [3]int{250, 250, 250}
	tests := map[string][2][3]int{
		"plain.mp4": {red, blue}, "turned.mp4": {blue, red}, "vp8.webm": {red, blue}, "live.webm": {red, blue}, "stream.ts": {red, blue},
		"prores.mov": {red, blue}, "hdr.mkv": {white, white},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			out := b.mustRender(object{"width": 128, "height": 128, "fps": 25, "quality": "high", "scenes": []object{
				{"duration": 1, "elements": []object{{"type": "video", "src": name, "x": 0, "y": 0, "width": 128, "height": 128, "seek": 0.5}}},
			}})
			img := frame(t, out.Movie, 12)
			requireColor(t, "top", img, 64, 24, want[0], 6)
			requireColor(t, "bottom", img, 64, 104, want[1], 6)
		})
	}
}
