package h264_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"moviola/internal/h264"
)

// decoded are the pictures of a stream as ffmpeg decodes them.
func decoded(t *testing.T, stream []byte, size int) [][]byte {
	t.Helper()
	return slices.Collect(slices.Chunk(decode(t, stream, "rawvideo"), size))
}

// decodedByOpenH264 are the same by Cisco's decoder.
func decodedByOpenH264(t *testing.T, stream []byte, size int) [][]byte {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.h264"), filepath.Join(dir, "out.yuv")
	write(t, in, stream)
	said, err := exec.CommandContext(t.Context(), "gst-launch-1.0", "-q", "filesrc", "location="+in, "!", "h264parse", "!", "openh264dec", "!",
		"video/x-raw,format=I420", "!", "filesink", "location="+out).CombinedOutput()
	if err != nil || len(said) > 0 {
		t.Fatalf("openh264: %v\n%s", err, said)
	}
	return slices.Collect(slices.Chunk(read(t, out), size))
}

// weigh is what a picture with a weight is, as the standard says.
func weigh(picture []byte, luma int, v h264.Weight) []byte {
	out := slices.Clone(picture)
	for i, p := range picture {
		offset := v.Luma
		if i >= luma {
			offset = v.Cb
		}
		if i >= luma+(len(picture)-luma)/2 {
			offset = v.Cr
		}
		out[i] = byte(min(max((int(p)*v.Scale+h264.WeightWhole/2)/h264.WeightWhole+offset, 0), 255))
	}
	return out
}

// fadingPlan is a colour, a picture that comes and goes, and the colour again; so many times.
type fadingPlan struct {
	frames []byte
	keys   []int
	holds  []h264.Hold
	shown  []shownPicture
}

// shownPicture is an encoded picture with a weight.
type shownPicture struct {
	of     int
	weight h264.Weight
}

func newFadingPlan(r *rand.Rand, w, h, times int) fadingPlan {
	var p fadingPlan
	painter := newPainter(r, w, h)
	count := 0
	weights := func() []h264.Weight {
		all := make([]h264.Weight, 1+r.IntN(20))
		for i := range all {
			all[i] = h264.Weight{Scale: 1 + r.IntN(h264.WeightWhole-1), Luma: r.IntN(256) - 128, Cb: r.IntN(256) - 128, Cr: r.IntN(256) - 128}
		}
		return all
	}
	show := func(of int, all ...h264.Weight) {
		for _, v := range all {
			p.shown = append(p.shown, shownPicture{of, v})
		}
	}
	for range times {
		if count > 0 {
			p.keys = append(p.keys, count)
		}
		p.frames = append(p.frames, painter.picture(0)...)
		show(count, h264.Weight{})
		painter.x, painter.y = painter.Float64()*1000, painter.Float64()*1000
		copies := 1 + r.IntN(4)
		hold := h264.Hold{First: count + 1, Last: count + copies, More: r.IntN(5), Out: weights()}
		for i := range copies {
			p.frames = append(p.frames, painter.picture(1)...)
			show(count+1+i, h264.Weight{})
		}
		show(count+copies, append(make([]h264.Weight, hold.More), hold.Out...)...)
		p.holds, count = append(p.holds, hold), count+copies+1
	}
	return p
}

// TestLengthen_weighed makes fades of pictures: each decoded picture is what the standard makes of the one that was encoded, in ffmpeg and in
// another decoder.
func TestLengthen_weighed(t *testing.T) {
	t.Parallel()
	const w, h = 176, 144
	seed, rounds := uint64(11), 3
	if os.Getenv("MOVIOLA_TEST_LONG") != "" {
		seed, rounds = rand.Uint64(), 100
	}
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	needGStreamer(t)
	decoders := map[string]func(*testing.T, []byte, int) [][]byte{"ffmpeg": decoded, "openh264": decodedByOpenH264}
	for n := range rounds {
		p := newFadingPlan(r, w, h, 4)
		in := encode(t, p.frames, w, h, 30, p.keys, "-bf", "3", "-x264-params", "b-bias=-90")
		out, err := h264.Lengthen(in, p.holds)
		if err != nil {
			t.Fatal(err)
		}
		for name, decode := range decoders {
			before, after := decode(t, join(in), w*h*3/2), decode(t, join(out), w*h*3/2)
			if len(after) != len(p.shown) {
				t.Fatalf("%s shows %d pictures, want %d", name, len(after), len(p.shown))
			}
			for i, s := range p.shown {
				want := before[s.of]
				if s.weight != (h264.Weight{}) {
					want = weigh(want, w*h, s.weight)
				}
				if !slices.Equal(after[i], want) {
					t.Fatalf("%s, round %d: picture %d is not picture %d with the weight %s", name, n, i, s.of, fmt.Sprint(s.weight))
				}
			}
		}
	}
}

// A hold with weights gives ErrUnknown when pictures that are displayed later are decoded before its last picture: here the
// stream has B pictures.
func TestLengthen_weighedUnknown(t *testing.T) {
	t.Parallel()
	p := newPainter(rand.New(rand.NewPCG(5, 6)), 64, 64)
	var frames []byte
	for range 12 {
		p.x += 2
		frames = append(frames, p.picture(1)...)
	}
	in := encode(t, frames, 64, 64, 30, []int{6}, "-x264-params", "b-adapt=0")
	hold := h264.Hold{First: 1, Last: 2, Out: []h264.Weight{{Scale: 1}}}
	if _, err := h264.Lengthen(in, []h264.Hold{hold}); !errors.Is(err, h264.ErrUnknown) {
		t.Errorf("the error is %v", err)
	}
}
