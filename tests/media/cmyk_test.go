package media_test

import (
	"image/color"
)

// cmykJPEG is the picture corners in the inks of a printer, as photo editors write it: 40 × 20, inverted, marked as Adobe's. Every
// block has one colour, so that the file is simple enough to be written by hand.
func cmykJPEG() []byte {
	segment := func(marker byte, body ...byte) []byte {
		n := len(body) + 2
		return append([]byte{0xff, marker, byte(n >> 8), byte(n)}, body...)
	}
	ones := make([]byte, 65)
	for i := range ones[1:] {
		ones[1+i] = 1 // nothing is rounded
	}
	// Differences of up to 11 bits: twelve codes of 4 bits. Nothing but the mean of a block: one code of 1 bit.
	differences := append(append([]byte{0x00, 0, 0, 0, 12}, make([]byte, 12)...), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
	endOfBlock := append(append([]byte{0x10, 1}, make([]byte, 15)...), 0)
	file := []byte{0xff, 0xd8}
	for _, part := range [][]byte{
		segment(0xee, append([]byte("Adobe"), 0, 100, 0, 0, 0, 0, 0)...),
		segment(0xdb, ones...),
		segment(0xc0, 8, 0, 20, 0, 40, 4, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 4, 0x11, 0),
		segment(0xc4, differences...),
		segment(0xc4, endOfBlock...),
		segment(0xda, 4, 1, 0, 2, 0, 3, 0, 4, 0, 0, 63, 0),
	} {
		file = append(file, part...)
	}
	var bits bitWriter
	var before [4]int
	for y := 0; y < 24; y += 8 {
		for x := 0; x < 40; x += 8 {
			for i, v := range inks(x, y) {
				bits.difference(8*(v-128) - before[i])
				bits.put(0, 1)
				before[i] = 8 * (v - 128)
			}
		}
	}
	return append(append(file, bits.flush()...), 0xff, 0xd9)
}

// inks are the inverted inks of the block at a point; its borders, which lie within blocks, do not matter.
func inks(x, y int) [4]int {
	c := map[[2]bool]color.NRGBA{{false, false}: red, {true, false}: green, {false, true}: blue, {true, true}: white}[[2]bool{x >= 16, y >= 8}]
	k := max(c.R, c.G, c.B)
	part := func(v uint8) int { return int(v) * 255 / max(1, int(k)) }
	return [4]int{part(c.R), part(c.G), part(c.B), int(k)}
}

// bitWriter packs codes as JPEG has them: the highest bit first, and a zero after every 0xff.
type bitWriter struct {
	out  []byte
	held uint32
	n    int
}

func (w *bitWriter) put(value, bits int) {
	for i := bits - 1; i >= 0; i-- {
		w.held, w.n = w.held<<1|uint32(value>>i&1), w.n+1
		if w.n == 8 {
			w.out = append(w.out, byte(w.held))
			if byte(w.held) == 0xff {
				w.out = append(w.out, 0)
			}
			w.held, w.n = 0, 0
		}
	}
}

// difference writes how many bits a value has, and these; negative ones as JPEG does, less one.
func (w *bitWriter) difference(v int) {
	size, value := 0, v
	for a := max(v, -v); a > 0; a >>= 1 {
		size++
	}
	if v < 0 {
		value = v + 1<<size - 1
	}
	w.put(size, 4)
	w.put(value, size)
}

func (w *bitWriter) flush() []byte {
	for w.n != 0 {
		w.put(1, 1)
	}
	return w.out
}
