//go:build !purego

package rows

import "golang.org/x/sys/cpu"

// wide reports whether the processor has AVX2.
var wide = cpu.X86.HasAVX2

const (
	across = 16 // number of new pixels that one step of betweenAVX2 computes; each half needs 16 neighbouring old pixels
	down   = 32 // number of pixels that one step of mixAVX2 computes, each from a pixel and the one below it
)

// blocks holds the pairs of a Pairs in the form that betweenAVX2 reads: blocks of 16 new pixels, in two halves. For each
// half, betweenAVX2 reads 16 neighbouring pixels of the old row. If the new pixels of a half need old pixels that are
// further apart, blocks ends before the block of this half. Plain Go computes the pixels that are in no block: all of them
// without AVX2, or when the old rows have fewer than 16 pixels.
type blocks struct {
	width   int
	starts  []int32
	masks   []byte
	weights []uint16
}

func (b *blocks) ready(pairs []uint64, width int) {
	b.width, b.starts, b.masks, b.weights = width, b.starts[:0], b.masks[:0], b.weights[:0]
	if !wide || width < across {
		return
	}
	for len(pairs) >= across {
		for _, half := range [2][]uint64{pairs[:across/2], pairs[across/2 : across]} {
			if !b.add(half) {
				b.starts = b.starts[:len(b.starts)&^1]
				return
			}
		}
		pairs = pairs[across:]
	}
}

// add adds half a block: 8 new pixels, each with its two old pixels in pairs. It returns false when these old pixels are
// not all among 16 neighbouring ones.
func (b *blocks) add(pairs []uint64) bool {
	least := int(pairs[0] >> 32)
	for _, p := range pairs {
		least = min(least, int(p>>32))
	}
	start := min(least, b.width-across)
	for _, p := range pairs {
		at := int(p>>32) - start
		if at+1 >= across {
			return false
		}
		b.masks = append(b.masks, byte(at), byte(at+1))
		b.weights = append(b.weights, uint16(p))
	}
	b.starts = append(b.starts, int32(start))
	return true
}

// between computes the new pixels of all complete blocks, and returns their number.
func (b *blocks) between(dst, src []byte) int {
	n := len(b.starts) / 2
	if n == 0 || len(src) < b.width || len(dst) < n*across {
		return 0
	}
	betweenAVX2(&dst[0], &src[0], &b.starts[0], &b.masks[0], &b.weights[0], n)
	return n * across
}

// mixBlocks computes the new pixels of all complete blocks, and returns their number.
func mixBlocks(dst, first, second []byte, weight uint32) int {
	n := len(dst) / down
	if !wide || n == 0 {
		return 0
	}
	mixAVX2(&dst[0], &first[0], &second[0], uint64(weight), n)
	return n * down
}
