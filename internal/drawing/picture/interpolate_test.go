package picture_test

import (
	"testing"

	"moviola/internal/drawing/picture"
)

// FuzzInterpolate compares what is made four pixels at a time with the formula, for whatever length, places and weights.
func FuzzInterpolate(f *testing.F) {
	f.Add([]byte{0, 255, 255, 0, 128, 1, 254, 77, 3}, uint16(7), uint32(1))
	f.Add([]byte{9, 9}, uint16(64), uint32(300))
	f.Fuzz(func(t *testing.T, src []byte, length uint16, seed uint32) {
		if len(src) < 2 {
			return
		}
		n := int(length % 300)
		first, weight := make([]int, n), make([]uint32, n)
		for i := range n {
			seed = seed*1664525 + 1013904223
			first[i], weight[i] = int(seed>>8)%(len(src)-1), seed>>20%257
		}
		got := make([]byte, n)
		picture.Interpolate(got, src, first, weight)
		for i, k := range first {
			want := byte((uint32(src[k])*(256-weight[i]) + uint32(src[k+1])*weight[i] + 128) >> 8)
			if got[i] != want {
				t.Fatalf("pixel %d of %d between %d and %d at %d is %d, want %d", i, n, src[k], src[k+1], weight[i], got[i], want)
			}
		}
	})
}
