package h264

import "errors"

// ErrUnknown is wrapped by errors that say why no pictures can be inserted into a stream. Usually the stream does not
// have the form that x264 writes, or a Hold (an order to insert pictures) asks for pictures where none can be inserted.
var ErrUnknown = errors.New("h264: not a stream that can be lengthened")

// reader reads the bits of an unescaped NAL unit. After the end it reads zeros, and records that.
type reader struct {
	data []byte
	at   int // position of the next bit
	over bool
}

func (r *reader) bit() uint32 {
	if r.at>>3 >= len(r.data) {
		r.over = true
		return 0
	}
	b := r.data[r.at>>3] >> (7 - r.at&7) & 1
	r.at++
	return uint32(b)
}

func (r *reader) flag() bool { return r.bit() == 1 }

func (r *reader) bits(n int) (v uint32) {
	for range n {
		v = v<<1 | r.bit()
	}
	return v
}

// ue reads an unsigned number of variable length.
func (r *reader) ue() uint32 {
	zeros := 0
	for !r.over && r.bit() == 0 {
		if zeros++; zeros > 31 {
			r.over = true
		}
	}
	if r.over {
		return 0
	}
	return 1<<zeros - 1 + r.bits(zeros)
}

// se reads a signed number of variable length.
func (r *reader) se() int32 {
	v := r.ue()
	if v&1 == 1 {
		return int32(v/2) + 1
	}
	return -int32(v / 2)
}

// writer writes bits.
type writer struct {
	data []byte
	free int // unused bits of the last byte
}

func (w *writer) bit(b uint32) {
	if w.free == 0 {
		w.data, w.free = append(w.data, 0), 8
	}
	w.free--
	w.data[len(w.data)-1] |= byte(b&1) << w.free
}

func (w *writer) bits(n int, v uint32) {
	for i := n - 1; i >= 0; i-- {
		w.bit(v >> i)
	}
}

func (w *writer) ue(v uint32) {
	length := 0
	for (v+1)>>(length+1) > 0 {
		length++
	}
	w.bits(length, 0)
	w.bits(length+1, v+1)
}

func (w *writer) se(v int32) {
	if v > 0 {
		w.ue(uint32(2*v - 1))
		return
	}
	w.ue(uint32(-2 * v))
}

// copy writes the bits [from, to) of data.
func (w *writer) copy(data []byte, from, to int) {
	r := reader{data: data, at: from}
	for r.at < to {
		w.bit(r.bit())
	}
}

// align fills the unused bits of the last byte with a bit: 0 or 1.
func (w *writer) align(with uint32) {
	for w.free > 0 {
		w.bit(with)
	}
}

// unescape removes the emulation prevention bytes of a NAL unit.
func unescape(nal []byte) []byte {
	out := make([]byte, 0, len(nal))
	zeros := 0
	for _, b := range nal {
		if zeros >= 2 && b == 3 {
			zeros = 0
			continue
		}
		out = append(out, b)
		if zeros++; b != 0 {
			zeros = 0
		}
	}
	return out
}

// escape inserts emulation prevention bytes.
func escape(data []byte) []byte {
	out := make([]byte, 0, len(data)+len(data)/256+4)
	zeros := 0
	for _, b := range data {
		if zeros >= 2 && b <= 3 {
			out = append(out, 3)
			zeros = 0
		}
		out = append(out, b)
		if zeros++; b != 0 {
			zeros = 0
		}
	}
	return out
}
