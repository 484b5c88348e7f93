package h264_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"moviola/internal/h264"
	"moviola/tests/property"
)

// randomPlans says which random plans are made: so many groups, each of them a stream of so many plans with at most so many pictures each.
type randomPlans struct {
	sizes         [][2]int
	groups, plans int
	most          int
}

// usualPlans are 300 in sizes of movies, and such as fill no whole number of macroblocks.
var usualPlans = []randomPlans{{[][2]int{{128, 72}, {130, 98}, {176, 144}, {202, 114}, {320, 180}, {98, 222}}, 10, 30, 90}}

// longPlans are 10,000 up to 640x360, 200 of 1080p and 20 of 4K.
var longPlans = []randomPlans{
	{usualPlans[0].sizes, 160, 50, 90},
	{[][2]int{{640, 360}, {478, 270}, {640, 352}, {362, 642}}, 100, 20, 90},
	{[][2]int{{1920, 1080}, {1080, 1920}}, 50, 4, 30},
	{[][2]int{{3840, 2160}}, 20, 1, 12},
}

// group makes so many random plans, one after the other in one stream. copies is how many pictures of a rest are encoded.
func group(r *rand.Rand, w, h, plans, most, copies int) plan {
	p, painter := plan{}, newPainter(r, w, h)
	p.frames = make([]byte, 0, plans*(most+2)/2*w*h*3/2) // room for about as many pictures as there will be
	for range plans {
		painter.add(&p, most, copies)
	}
	p.keys = p.keys[1:]
	return p
}

// TestLengthen_Random makes random plans of pictures that move, fade, cut and rest. Each decoded picture is the one that x264's own stream of the
// pictures that change shows.
func TestLengthen_Random(t *testing.T) {
	t.Parallel()
	checkRandomly(t, func(t *testing.T, r *rand.Rand, kind randomPlans, w, h int) int {
		fps := 1 + r.IntN(60)
		// The service has a key frame every four seconds; so has x264 by itself then.
		p := group(r, w, h, kind.plans, min(4*fps, kind.most), 4)
		in := encode(t, p.frames, w, h, fps, p.keys)
		out, err := h264.Lengthen(in, p.holds)
		if err != nil {
			t.Fatal(err)
		}
		check(t, hashes(t, join(in)), hashes(t, join(out)), out, p)
		return kind.plans
	})
}

// TestLengthen_RandomOpenH264 asks another decoder, which shows what ffmpeg makes of x264's own stream. It is asked about as many plans without
// bidirectional pictures, as the service has them where nothing moves: of others it loses pictures, since what waits to be shown takes the room
// of references, and it decodes x264's own streams otherwise than ffmpeg.
func TestLengthen_RandomOpenH264(t *testing.T) {
	t.Parallel()
	needGStreamer(t)
	checkRandomly(t, func(t *testing.T, r *rand.Rand, kind randomPlans, w, h int) (checked int) {
		for checked < kind.plans {
			fps := 1 + r.IntN(60)
			// A third of the plans gets bidirectional pictures, or rests that no picture ends.
			in, out, p := calm(t, r, w, h, (kind.plans-checked)*8/5, min(4*fps, kind.most), fps)
			if len(out.Frames) < 2 { // of one picture GStreamer shows none
				continue
			}
			check(t, hashes(t, join(in)), openh264(t, join(out), w, h), out, p)
			checked += len(p.keys)
		}
		return checked
	})
}

// calm encodes random plans, one after the other in one stream, and returns those without bidirectional pictures: as they are encoded, with
// their rests, and what is to be seen. Each plan begins with a key frame, so that those between them can be left out.
func calm(t *testing.T, r *rand.Rand, w, h, plans, most, fps int) (in, out h264.Stream, together plan) {
	t.Helper()
	all := group(r, w, h, plans, most, 1)
	encoded := encode(t, all.frames, w, h, fps, all.keys, "-x264-params", "b-bias=-90")
	in = h264.Stream{Sequence: encoded.Sequence, Pictures: encoded.Pictures}
	from, holds := 0, all.holds
	for _, to := range append(all.keys, all.count) {
		one := h264.Stream{Sequence: encoded.Sequence, Pictures: encoded.Pictures, Frames: encoded.Frames[from:to]}
		var own []h264.Hold // of the plan, counted from its own first picture
		for len(holds) > 0 && holds[0].First < to {
			own = append(own, h264.Hold{First: holds[0].First - from, Last: holds[0].Last - from, More: holds[0].More})
			holds = holds[1:]
		}
		from = to
		longer, err := h264.Lengthen(one, own)
		if errors.Is(err, h264.ErrUnknown) || err == nil && bidirectional(longer) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		out.Sequence, out.Pictures = longer.Sequence, longer.Pictures
		for _, f := range longer.Frames {
			f.Shown += together.shown
			out.Frames = append(out.Frames, f)
		}
		for _, h := range own {
			together.holds = append(together.holds, h264.Hold{First: together.count + h.First, Last: together.count + h.Last, More: h.More})
		}
		in.Frames = append(in.Frames, one.Frames...)
		together.keys = append(together.keys, together.count)
		together.count, together.shown = together.count+len(one.Frames), together.shown+len(longer.Frames)
	}
	return in, out, together
}

func bidirectional(s h264.Stream) bool {
	for i, f := range s.Frames {
		if f.Shown != i {
			return true
		}
	}
	return false
}

// checkRandomly calls check for each group of plans, in a subtest for each kind, such as 1920x1080; check returns how many of them were of use.
func checkRandomly(t *testing.T, check func(t *testing.T, r *rand.Rand, kind randomPlans, w, h int) int) {
	t.Helper()
	seed, all := property.Seed(), usualPlans
	if os.Getenv("MOVIOLA_TEST_LONG") != "" {
		seed, all = uint64(time.Now().UnixNano()), longPlans
	}
	for i, kind := range all {
		t.Run(fmt.Sprintf("%dx%d", kind.sizes[0][0], kind.sizes[0][1]), func(t *testing.T) {
			t.Logf("seed %d", seed)
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			plans := 0
			for n := range kind.groups {
				size := kind.sizes[n%len(kind.sizes)]
				plans += check(t, r, kind, size[0], size[1])
			}
			if t.Logf("%d plans of %v", plans, kind.sizes); plans == 0 {
				t.Error("no plan was of use")
			}
		})
	}
}
