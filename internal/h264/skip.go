package h264

// likely are the ranges of the less probable symbol (H.264, table 9-44), from state 42 on: coding skipped macroblocks uses no
// other states.
var likely = [...][4]uint32{
	{16, 20, 23, 27}, {15, 19, 22, 25}, // ranges of the less probable symbol in the coder's states 42 and 43
	{14, 18, 21, 24}, {14, 17, 20, 23}, {13, 16, 19, 22}, {12, 15, 18, 21}, {12, 14, 17, 20}, {11, 14, 16, 19}, {11, 13, 15, 18},
	{10, 12, 15, 17}, {10, 12, 14, 16}, {9, 11, 13, 15}, {9, 11, 12, 14}, {8, 10, 12, 14}, {8, 9, 11, 13}, {7, 9, 11, 12},
	{7, 9, 10, 12},
	{7, 8, 10, 11}, {6, 8, 9, 11}, {6, 7, 9, 10}, {6, 7, 8, 9}, // the last ranges are those of state 62
}

// skipQuantiser is the quantiser of skipped pictures, which have no values to quantise. With the highest quantiser, skipped
// macroblocks are most probable from the start, which takes the fewest bits.
const skipQuantiser = 51

// coder is the arithmetic encoder of H.264, clause 9.3.4.
type coder struct {
	writer
	low, width uint32
	waiting    int // number of delayed bits, each of which is the opposite of the next bit
	begun      bool
}

func (c *coder) put(b uint32) {
	if c.begun {
		c.bit(b)
	}
	for c.begun = true; c.waiting > 0; c.waiting-- {
		c.bit(1 - b)
	}
}

func (c *coder) renew() {
	for c.width < 256 {
		switch {
		case c.low < 256:
			c.put(0)
		case c.low >= 512:
			c.low -= 512
			c.put(1)
		default:
			c.low -= 256
			c.waiting++
		}
		c.width, c.low = c.width<<1, c.low<<1
	}
}

// skipped returns the data of a P slice with the given number of macroblocks, all skipped.
func skipped(blocks int) []byte {
	c := &coder{width: 510}
	// mb_skip_flag uses context 11 when all neighbours are skipped or missing. Its first state is 42, for m = 23 and n =
	// 33. After each skipped macroblock the state grows by one, up to 62.
	for i := range blocks {
		c.width -= likely[min(i, len(likely)-1)][c.width>>6&3]
		c.renew()
		c.width -= 2
		if i < blocks-1 {
			c.renew()
		}
	}
	c.low += c.width
	c.width = 2
	c.renew()
	c.put(c.low >> 9 & 1)
	c.bits(2, c.low>>7&3|1)
	c.align(0)
	return c.data
}
