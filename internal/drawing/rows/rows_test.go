package rows_test

import (
	"testing"

	"moviola/internal/drawing/rows"
)

// dice gives the same numbers for the same seed.
type dice uint32

func (d *dice) roll(sides int) int {
	*d = *d*1664525 + 1013904223
	return int(*d>>8) % sides
}

// FuzzBetween compares a row with the formula, for whatever length, places and weights: places that rise as those of a scaled
// picture do, and others.
func FuzzBetween(f *testing.F) {
	f.Add([]byte{0, 255, 255, 0, 128, 1, 254, 77, 3}, uint16(7), uint32(1), uint8(0))
	f.Add([]byte{9, 9}, uint16(64), uint32(300), uint8(120))
	f.Add([]byte("a row that is as long as some blocks, and then a few pixels longer than that"), uint16(83), uint32(5), uint8(90))
	f.Add([]byte("sixteen pixels.."), uint16(40), uint32(6), uint8(20))
	f.Add([]byte("a row of which too much is skipped: the pixels of a block are far apart"), uint16(32), uint32(7), uint8(255))
	f.Fuzz(func(t *testing.T, src []byte, length uint16, seed uint32, step uint8) {
		if len(src) < 2 {
			return
		}
		d, n := dice(seed), int(length%300)
		first, weight := make([]int, n), make([]uint32, n)
		var pairs rows.Pairs
		for i := range n {
			first[i], weight[i] = d.roll(len(src)-1), uint32(d.roll(rows.Whole+1))
			if step > 0 {
				first[i] = min(i*int(step)/100, len(src)-2)
			}
			pairs.Add(int32(first[i]), weight[i])
		}
		pairs.Ready(len(src))
		got := make([]byte, n)
		pairs.Between(got, src)
		plain := make([]byte, n)
		pairs.Plainly(plain, src)
		for i, k := range first {
			want := byte((uint32(src[k])*(rows.Whole-weight[i]) + uint32(src[k+1])*weight[i] + 128) >> 8)
			if got[i] != want || plain[i] != want {
				t.Fatalf("pixel %d of %d between %d and %d at %d is %d, plainly %d, want %d",
					i, n, src[k], src[k+1], weight[i], got[i], plain[i], want)
			}
		}
	})
}

// FuzzMix compares mixed rows with the formula.
func FuzzMix(f *testing.F) {
	f.Add([]byte{0, 255, 1, 254}, []byte{255, 0, 77}, uint16(100), uint32(1))
	f.Add([]byte{255}, []byte{255}, uint16(64), uint32(256))
	f.Add([]byte{3, 4, 5}, []byte{9}, uint16(7), uint32(0))
	f.Fuzz(func(t *testing.T, first, second []byte, length uint16, weight uint32) {
		if len(first) == 0 || len(second) == 0 {
			return
		}
		n := int(length % 300)
		weight %= rows.Whole + 1
		a, b, got, plain := make([]byte, n), make([]byte, n), make([]byte, n), make([]byte, n)
		for i := range n {
			a[i], b[i] = first[i%len(first)], second[i%len(second)]
		}
		rows.Mix(got, a, b, weight)
		rows.MixPlainly(plain, a, b, weight)
		for i := range n {
			want := byte((uint32(a[i])*(rows.Whole-weight) + uint32(b[i])*weight + 128) >> 8)
			if got[i] != want || plain[i] != want {
				t.Fatalf("pixel %d of %d of %d and %d at %d is %d, plainly %d, want %d",
					i, n, a[i], b[i], weight, got[i], plain[i], want)
			}
		}
	})
}
