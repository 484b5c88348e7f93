package h264_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"testing"

	"moviola/internal/h264"
)

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A single picture rests for 480 frames: one key frame, and at most 40 bytes for each repeat.
func TestLengthen_Still(t *testing.T) {
	t.Parallel()
	p := newPainter(rand.New(rand.NewPCG(3, 4)), 640, 360)
	in := encode(t, p.picture(1), 640, 360, 120, nil)
	out, err := h264.Lengthen(in, []h264.Hold{{More: 479}})
	if err != nil {
		t.Fatal(err)
	}
	got := hashes(t, join(out))
	if len(got) != 480 {
		t.Fatalf("%d pictures", len(got))
	}
	for i, h := range got {
		if h != got[0] {
			t.Fatalf("picture %d differs", i)
		}
	}
	if size := len(join(out)) - len(join(in)); size > 479*40 {
		t.Errorf("479 pictures take %d bytes", size)
	}
}

// Streams with weights by distance and without them can be joined: they have the same parameter sets, and show what they showed.
func TestLengthen_weights(t *testing.T) {
	t.Parallel()
	p := newPainter(rand.New(rand.NewPCG(9, 10)), 128, 72)
	var frames []byte
	for i := range 40 {
		p.x += 3
		frames = append(frames, p.picture(1-float64(i)/50)...)
	}
	weighed, even := encode(t, frames, 128, 72, 30, nil, "-weightb", "1"), encode(t, frames, 128, 72, 30, nil)
	want := append(hashes(t, join(weighed)), hashes(t, join(even))...)
	one, err := h264.Lengthen(weighed, nil)
	if err != nil {
		t.Fatal(err)
	}
	other, err := h264.Lengthen(even, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one.Sequence, other.Sequence) || !reflect.DeepEqual(one.Pictures, other.Pictures) || len(one.Pictures) != 2 {
		t.Error("the parameter sets differ")
	}
	one.Frames = append(one.Frames, other.Frames...)
	if got := hashes(t, join(one)); !slices.Equal(got, want) {
		t.Error("the joined stream shows something else")
	}
}

// Streams and holds that the package does not support give ErrUnknown.
func TestLengthen_Unknown(t *testing.T) {
	t.Parallel()
	p := newPainter(rand.New(rand.NewPCG(5, 6)), 64, 64)
	var frames []byte
	for range 12 {
		p.x += 2
		frames = append(frames, p.picture(1)...)
	}
	for name, more := range map[string][]string{
		"weights by distance":     {"-weightb", "1"},
		"motion by distance":      {"-x264-params", "direct=temporal:b-adapt=0"},
		"no arithmetic coding":    {"-coder", "vlc"},
		"no bidirectional frames": {"-bf", "0"},
		"interlaced":              {"-flags", "+ilme+ildct"},
	} {
		if _, err := h264.Lengthen(encode(t, frames, 64, 64, 30, nil, more...), []h264.Hold{{First: 11, Last: 11, More: 3}}); !errors.Is(err, h264.ErrUnknown) {
			t.Errorf("%s: %v", name, err)
		}
	}
	good := encode(t, frames, 64, 64, 30, []int{6})
	for name, holds := range map[string][]h264.Hold{
		"over a key frame": {{First: 4, Last: 7, More: 1}},
		"behind the end":   {{First: 12, Last: 12, More: 1}},
		"backwards":        {{First: 11, Last: 11, More: 1}, {First: 2, Last: 2, More: 1}},
		"negative":         {{First: 11, Last: 11, More: -1}},
	} {
		if _, err := h264.Lengthen(good, holds); !errors.Is(err, h264.ErrUnknown) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzLengthen gives damaged headers.
func FuzzLengthen(f *testing.F) {
	p := newPainter(rand.New(rand.NewPCG(7, 8)), 64, 64)
	in := encode(f, append(p.picture(1), p.picture(0.5)...), 64, 64, 30, nil)
	last := in.Frames[1].Units
	first := in.Frames[0].Units
	f.Add(in.Sequence, in.Pictures[0], first[len(first)-1], last[len(last)-1], 1, 5)
	f.Fuzz(func(t *testing.T, sequence, pictures, key, other []byte, last, more int) {
		in := h264.Stream{Sequence: sequence, Pictures: [][]byte{pictures}, Frames: []h264.Frame{{Units: [][]byte{key}, Key: true}, {Units: [][]byte{other}}}}
		out, err := h264.Lengthen(in, []h264.Hold{{First: last, Last: last, More: more % 1000}})
		if err != nil {
			return
		}
		if len(out.Frames) != 2+more%1000 {
			t.Errorf("%d pictures", len(out.Frames))
		}
	})
}
