//go:build !race

package render_test

import (
	"bytes"
	"fmt"
	"math"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// clapper makes a clip of two seconds that shows one white frame and sounds a short tone at its first second.
func (b *bench) clapper(name, rate string) {
	b.t.Helper()
	b.generate(name,
		"-f", "lavfi", "-i", "color=black:s=96x54:r="+rate+":d=2,drawbox=enable='between(t,0.99,1.022)':color=white:t=fill,format=yuv420p",
		"-f", "lavfi", "-i", "aevalsrc='if(between(t,1,1.05),0.5*sin(2*PI*1000*t),0)':s=48000:d=2",
		"-c:v", "libx264", "-preset", "ultrafast", "-crf", "10", "-c:a", "aac", "-b:a", "128k")
}

// flashes are the times in seconds at which the picture becomes white, and beeps those at which the sound begins.
func flashes(t *testing.T, path string, fps float64) []float64 {
	t.Helper()
	raw, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-i", path, "-map", "0:v", "-vf", "scale=2:2:flags=area,format=gray",
		"-f", "rawvideo", "-").Output()
	if err != nil {
		t.Fatalf("decode: %v", err)
	}
	var found []float64
	for n := range len(raw) / 4 {
		if raw[4*n] > 128 && (n == 0 || raw[4*(n-1)] <= 128) {
			found = append(found, float64(n)/fps)
		}
	}
	return found
}

func beeps(s sound) []float64 {
	var found []float64
	for i, v := range s {
		at := float64(i) / 48000
		if math.Abs(v) > 0.05 && (len(found) == 0 || at-found[len(found)-1] > 0.5) {
			found = append(found, at)
		}
	}
	return found
}

// Over twelve clips with their own sound, picture and sound stay together to the frame: nothing adds up. At 29.97 frames a second no
// border of a scene falls on a whole sample.
func TestEngine_Render_picturesAndSoundStayTogether(t *testing.T) {
	t.Parallel()
	const clips = 12
	for _, fps := range []float64{25, 29.97} {
		b := newBench(t)
		var scenes []object
		for i := range clips {
			name := fmt.Sprintf("clip%d.mp4", i%3)
			if i < 3 {
				b.clapper(name, []string{"30", "25", "24000/1001"}[i])
			}
			scenes = append(scenes, object{"elements": []object{{"type": "video", "src": name, "resize": "cover"}}})
		}
		out := b.mustRender(object{"width": 96, "height": 54, "fps": fps, "scenes": scenes})
		seen, heard := flashes(t, out.Movie, fps), beeps(listen(t, out.Movie))
		if len(seen) != clips || len(heard) != clips {
			t.Fatalf("at %g fps: %d flashes at %v and %d tones at %v, want %d of each", fps, len(seen), seen, len(heard), heard, clips)
		}
		for i := range clips {
			if apart := seen[i] - heard[i]; math.Abs(apart) > 1/fps+0.002 {
				t.Errorf("at %g fps: clip %d is seen %.1f ms after it is heard", fps, i+1, 1000*apart)
			}
		}
	}
}

// keyframes are the numbers of the frames at which a player can begin.
func keyframes(t *testing.T, path string) []int {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=flags", "-of", "csv=p=0", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	var found []int
	for n, line := range strings.Fields(string(out)) {
		if strings.HasPrefix(line, "K") {
			found = append(found, n)
		}
	}
	return found
}

// instant counts the frames before which a decoder forgets everything: slices of type 5.
func instant(t *testing.T, path string) int {
	t.Helper()
	raw, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-i", path, "-map", "0:v", "-c", "copy", "-bsf:v", "h264_mp4toannexb", "-f", "h264", "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, unit := range bytes.Split(raw, []byte{0, 0, 1})[1:] {
		if len(unit) > 1 && unit[0]&31 == 5 && unit[1]&0x80 != 0 { // its first slice
			n++
		}
	}
	return n
}

// Every part that is joined begins with a frame that needs nothing before it, and no frame needs what lies behind such a one; the file
// can be played while it is being loaded; it is what every browser plays.
func TestEngine_Render_seams(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.generate("clip.mp4", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=30:d=12,format=yuv420p", "-c:v", "libx264", "-preset", "ultrafast")
	out := b.mustRender(object{"width": 320, "height": 180, "fps": 30, "scenes": []object{
		{"duration": 3, "elements": []object{{"type": "video", "src": "clip.mp4"}}},
		{"duration": 3.1, "background-color": "#334455", "transition": object{"style": "wipeleft", "duration": 0.5}},
		{"duration": 5.03, "elements": []object{{"type": "video", "src": "clip.mp4", "seek": 4}}},
	}})
	keys := keyframes(t, out.Movie)
	// Windows begin at 0, at the transition (2.5 s), behind it (3 s), and at the third scene (5.6 s).
	for _, begins := range []int{0, 75, 90, 168} {
		if !slices.Contains(keys, begins) {
			t.Errorf("no part can begin at frame %d: %v", begins, keys)
		}
	}
	if n := instant(t, out.Movie); n != len(keys) {
		t.Errorf("%d frames of %d at which players begin are independent of what lies before", n, len(keys))
	}
	raw := mustRead(t, out.Movie)
	if index, data := bytes.Index(raw, []byte("moov")), bytes.Index(raw, []byte("mdat")); index < 0 || index > data {
		t.Errorf("the index lies at %d, the data at %d", index, data)
	}
	said, err := exec.CommandContext(t.Context(), "ffprobe", "-v", "error", "-show_entries",
		"stream=codec_name,profile,pix_fmt,has_b_frames,sample_rate,channels", "-of", "default=noprint_wrappers=1", out.Movie).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"codec_name=h264", "profile=High\n", "pix_fmt=yuv420p", "codec_name=aac", "profile=LC", "sample_rate=48000", "channels=2"} {
		if !strings.Contains(string(said), want) {
			t.Errorf("%q is missing in\n%s", want, said)
		}
	}
	requireEvenFrames(t, out.Movie, int(out.Plan.Frames))
}

// Windows of different lengths are joined without a frame lost or shown twice.
func TestEngine_Render_briefAndLongWindows(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	scene := func(seconds int, color string) object { return object{"duration": seconds, "background-color": color} }
	out := b.mustRender(object{"width": 320, "height": 180, "fps": 10, "scenes": []object{
		scene(1, "#ff0000"), scene(3, "#00ff00"), scene(2, "#0000ff"),
	}})
	for n, want := range map[int][3]int{0: {255, 0, 0}, 9: {255, 0, 0}, 10: {0, 255, 0}, 39: {0, 255, 0}, 40: {0, 0, 255}, 59: {0, 0, 255}} {
		requireColor(t, "the scene", frame(t, out.Movie, n), 160, 90, want, 4)
	}
}
