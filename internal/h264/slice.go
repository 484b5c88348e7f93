package h264

import "fmt"

const (
	sliceNAL    = 1
	keySliceNAL = 5
)

// The kinds of slices: the values of slice_type in a slice header, modulo 5.
const (
	forward uint32 = iota // slice_type, modulo 5, of a P slice, which has one list of references
	both                  // slice_type, modulo 5, of a B slice, which has two lists of references
	within                // slice_type, modulo 5, of an I slice, which has no references
)

// slice holds the needed fields of a slice header, and their positions.
type slice struct {
	key       bool
	reference bool
	kind      uint32
	number    uint32 // frame_num
	order     uint32 // pic_order_cnt_lsb
	idAt      int    // bit position of the id of its parameter set
	idEnd     int
	orderAt   int
	end       int // length of the header in bits
	// dropped are the frames that this slice declares to be no longer references. For each of them, dropped has the
	// difference number minus the frame_num of the dropped frame.
	dropped []uint32
}

// parseSlice reads the header of an unescaped slice.
func parseSlice(data []byte, s sequence, p pictures) (h slice, err error) {
	if len(data) == 0 {
		return h, fmt.Errorf("%w: a slice is empty", ErrUnknown)
	}
	r := &reader{data: data, at: 8}
	h.key, h.reference = data[0]&31 == keySliceNAL, data[0]>>5&3 != 0
	r.ue() // skips the number of the first macroblock
	h.kind = r.ue() % 5
	h.idAt = r.at
	id := r.ue()
	h.idEnd = r.at
	if h.kind > within || id != 0 || h.key && (h.kind != within || !h.reference) {
		return h, fmt.Errorf("%w: a slice of another kind", ErrUnknown)
	}
	h.number = r.bits(s.numberBits)
	if h.key {
		r.ue()
	}
	h.orderAt = r.at
	h.order = r.bits(s.orderBits)
	if h.kind != within {
		err = h.references(r, p)
	}
	if h.reference && err == nil {
		err = h.marking(r)
	}
	if err != nil {
		return h, err
	}
	return h, h.ending(r, p)
}

// ending reads the rest of the header, up to the slice data.
func (h *slice) ending(r *reader, p pictures) error {
	if h.kind != within {
		r.ue() // skips cabac_init_idc
	}
	r.se() // skips slice_qp_delta
	if p.deblocking && r.ue() != 1 {
		r.se()
		r.se()
	}
	h.end = r.at
	for r.at&7 != 0 {
		if r.bit() != 1 {
			return fmt.Errorf("%w: the header of a slice ends elsewhere", ErrUnknown)
		}
	}
	if r.over || r.at>>3 >= len(r.data) {
		return fmt.Errorf("%w: a slice ends early", ErrUnknown)
	}
	return nil
}

// samePicture reports whether two slices may belong to one picture.
func (h slice) samePicture(o slice) bool {
	return h.number == o.number && h.order == o.order && h.reference == o.reference
}

// references skips the reference lists and their weights.
func (h *slice) references(r *reader, p pictures) error {
	active := p.references
	if h.kind == both && !r.flag() {
		return fmt.Errorf("%w: motion follows from distances", ErrUnknown)
	}
	lists := int(h.kind) + 1
	if r.flag() {
		for i := range lists {
			active[i] = int(r.ue()) + 1
		}
	}
	for i := range lists {
		if active[i] > 32 {
			return fmt.Errorf("%w: too many references", ErrUnknown)
		}
		if !r.flag() {
			continue
		}
		for n := r.ue(); n != 3; n = r.ue() {
			if n > 1 || r.over {
				return fmt.Errorf("%w: references in another order", ErrUnknown)
			}
			r.ue()
		}
	}
	if h.kind == forward && p.weighted {
		weights(r, active[0])
	}
	return nil
}

// weights skips the weights of references.
func weights(r *reader, references int) {
	r.ue()
	r.ue()
	for range references {
		for _, values := range []int{2, 4} { // the number of values per reference: two for luma, then four for chroma
			if !r.flag() {
				continue
			}
			for range values {
				r.se()
			}
		}
	}
}

// marking reads which pictures are no longer references.
func (h *slice) marking(r *reader) error {
	if h.key {
		r.flag()
		if r.flag() {
			return fmt.Errorf("%w: references for long", ErrUnknown)
		}
		return nil
	}
	if !r.flag() {
		return nil
	}
	for n := r.ue(); n != 0; n = r.ue() {
		if n != 1 || r.over {
			return fmt.Errorf("%w: references in another order", ErrUnknown)
		}
		h.dropped = append(h.dropped, r.ue()+1)
	}
	return nil
}

// moved returns the slice with another display position and parameter set id.
func (h slice) moved(data []byte, s sequence, id, order uint32) []byte {
	w := &writer{data: make([]byte, 0, len(data)+4)}
	w.copy(data, 0, h.idAt)
	w.ue(id)
	w.copy(data, h.idEnd, h.orderAt)
	w.bits(orderBits, order)
	w.copy(data, h.orderAt+s.orderBits, h.end)
	w.align(1)
	return escape(append(w.data, data[(h.end+7)>>3:]...))
}
