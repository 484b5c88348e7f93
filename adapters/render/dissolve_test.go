package render

import (
	"strings"
	"testing"

	"moviola/domain/timeline"
	"moviola/internal/h264"
)

// TestRestsAnd plans fades into a colour: they are written after the picture that fades, and a key frame never stands among them.
func TestRestsAnd(t *testing.T) {
	t.Parallel()
	still := func(n int) string { return strings.Repeat(".", n) }
	fade := func(from, to int64) []dissolve {
		return []dissolve{{span: span{from, to}, weights: make([]h264.Weight, to-from)}}
	}
	type hold struct{ first, last, more, out int }
	tests := map[string]struct {
		row    string
		fades  []dissolve
		frames int64
		keys   []int64
		holds  []hold
	}{
		"at the end of a window": {"x" + still(79) + strings.Repeat("~", 20), fade(80, 100), 1, nil, []hold{{0, 0, 79, 20}}},
		"in the middle, with a key frame after it": {
			"x" + still(49) + strings.Repeat("~", 20) + "x" + still(29), fade(50, 70), 2, []int64{1}, []hold{{0, 0, 49, 20}, {1, 1, 29, 0}},
		},
		"a key frame is due among it": {
			"x" + still(89) + strings.Repeat("~", 20), fade(90, 110), 2, []int64{1}, []hold{{0, 0, 88, 0}, {1, 1, 0, 20}},
		},
		"the picture is there for a frame": {"x" + strings.Repeat("~", 20), fade(1, 21), 1, nil, []hold{{0, 0, 0, 20}}},
	}
	for name, tt := range tests {
		r := restsAnd(marked(tt.row).weighed(tt.fades), 100, false, tt.fades)
		if r.frames != tt.frames || len(r.keys) != len(tt.keys) || len(tt.keys) > 0 && r.keys[0] != tt.keys[0] || len(r.holds) != len(tt.holds) {
			t.Errorf("%s: %d frames, keys %v, holds %v", name, r.frames, r.keys, r.holds)
			continue
		}
		for i, h := range r.holds {
			if (hold{h.First, h.Last, h.More, len(h.Out)}) != tt.holds[i] {
				t.Errorf("%s: hold %d is %v", name, i, h)
			}
		}
		if shown := r.shown(r.frames); shown != int64(len(tt.row)) {
			t.Errorf("%s: %d frames are shown", name, shown)
		}
	}
}

// Weights go in even steps from the picture to the colour, which stays what it is; a colour that no offset can make has none.
func TestWeightsOf(t *testing.T) {
	t.Parallel()
	black := weightsOf(timeline.Color{A: 255}, 16)
	if len(black) != 15 {
		t.Fatalf("%d weights", len(black))
	}
	for i, v := range black {
		if v.Scale != h264.WeightWhole-8*(i+1) {
			t.Errorf("weight %d is %v", i, v)
		}
		for _, c := range [][2]int{{16, v.Luma}, {128, v.Cb}, {128, v.Cr}} {
			if got := (c[0]*v.Scale+h264.WeightWhole/2)/h264.WeightWhole + c[1]; got != c[0] {
				t.Errorf("weight %d makes %d of %d", i, got, c[0])
			}
		}
	}
	if light := weightsOf(timeline.Color{R: 255, G: 255, B: 255, A: 255}, 16); light != nil {
		t.Errorf("white has weights: %v", light)
	}
}
