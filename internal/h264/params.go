package h264

import "fmt"

// orderBits is the number of bits for the display position: the largest that is allowed.
const orderBits = 16

// sequence holds the needed fields of the sequence parameter set.
type sequence struct {
	numberBits int // length of frame_num in bits
	orderBits  int // length of pic_order_cnt_lsb in bits
	orderAt    int // bit position of the field that gives orderBits
	orderEnd   int
	references int
	blocks     int // macroblocks per picture
}

// maxBlocks is the largest number of macroblocks per picture, more than any level allows.
const maxBlocks = 1 << 18

// parseSequence reads an unescaped sequence parameter set.
func parseSequence(data []byte) (s sequence, err error) {
	r := &reader{data: data}
	r.bits(8)
	profile := r.bits(8)
	r.bits(16)
	r.ue()
	if profile >= 100 {
		if err := plainFormat(r); err != nil {
			return s, err
		}
	}
	number, kind := r.ue(), r.ue()
	s.orderAt = r.at
	order := r.ue()
	s.orderEnd = r.at
	references, gaps := r.ue(), r.flag()
	width, height, frames := r.ue(), r.ue(), r.flag()
	switch {
	case r.over:
		return s, fmt.Errorf("%w: its sequence parameters end early", ErrUnknown)
	case number > 12 || kind != 0 || order > 12 || references < 1 || references > 16 || gaps || !frames:
		return s, fmt.Errorf("%w: its pictures are numbered in another way", ErrUnknown)
	case width >= maxBlocks || height >= maxBlocks || (width+1)*(height+1) > maxBlocks:
		return s, fmt.Errorf("%w: its pictures are too large", ErrUnknown)
	}
	s.numberBits, s.orderBits, s.references, s.blocks = int(number)+4, int(order)+4, int(references), int((width+1)*(height+1))
	return s, nil
}

// plainFormat reads the picture format fields of the higher profiles.
func plainFormat(r *reader) error {
	if format, luma, chroma := r.ue(), r.ue(), r.ue(); format != 1 || luma != 0 || chroma != 0 {
		return fmt.Errorf("%w: not 4:2:0 in 8 bits", ErrUnknown)
	}
	if lossless, matrix := r.flag(), r.flag(); lossless || matrix {
		return fmt.Errorf("%w: it is lossless or has scaling matrices", ErrUnknown)
	}
	return nil
}

// widened returns the sequence parameter set for display positions of orderBits bits.
func (s sequence) widened(data []byte) []byte {
	w := &writer{}
	w.copy(data, 0, s.orderAt)
	w.ue(orderBits - 4)
	w.copy(data, s.orderEnd, endOf(data))
	w.align(0)
	return escape(w.data)
}

// endOf is the length of a parameter set in bits, with its stop bit.
func endOf(data []byte) int {
	end := 8 * len(data)
	for end > 0 && data[(end-1)>>3]>>(7-(end-1)&7)&1 == 0 {
		end--
	}
	return end
}

// The values of weighted_bipred_idc: how a B picture weights its two references.
const (
	evenly     uint32 = 0
	byDistance uint32 = 2 // weights follow from display distances
)

// The ids of the two picture parameter sets. All streams get both sets, so that they can be joined: each slice names the set that
// applies to it.
const (
	weighedID uint32 = iota // id of the set for B pictures that weight their two references by display distance
	evenID                  // id of the set for B pictures that weight their two references equally
)

// pictures holds the needed fields of the picture parameter set.
type pictures struct {
	idEnd      int    // bit position in the parameter set after its id, which is always 0
	weights    uint32 // how B slices weight their two references
	weightsAt  int
	references [2]int // default numbers of active references
	weighted   bool   // P slices have explicit weights
	quantiser  int32
	deblocking bool // slices have deblocking fields
}

// parsePictures reads an unescaped picture parameter set.
func parsePictures(data []byte) (p pictures, err error) {
	r := &reader{data: data}
	r.bits(8)
	id := r.ue()
	p.idEnd = r.at
	r.ue()
	arithmetic, fields := r.flag(), r.flag()
	groups := r.ue()
	p.references = [2]int{int(r.ue()) + 1, int(r.ue()) + 1}
	p.weighted = r.flag()
	p.weightsAt = r.at
	p.weights = r.bits(2)
	p.quantiser = 26 + r.se()
	r.se()
	r.se()
	p.deblocking = r.flag()
	r.flag()
	redundant := r.flag()
	switch {
	case r.over:
		return p, fmt.Errorf("%w: its picture parameters end early", ErrUnknown)
	case id != 0 || !arithmetic || fields || groups != 0 || redundant || p.references[0] > 32 || p.references[1] > 32:
		return p, fmt.Errorf("%w: its slices are written in another way", ErrUnknown)
	case p.weights != evenly && p.weights != byDistance:
		return p, fmt.Errorf("%w: its slices have weights of their own", ErrUnknown)
	}
	return p, nil
}

// both returns the two picture parameter sets that every stream gets: one weights by display distance, the other evenly.
func (p pictures) both(data []byte) [][]byte {
	one := func(id, weights uint32) []byte {
		w := &writer{}
		w.copy(data, 0, 8)
		w.ue(id)
		w.copy(data, p.idEnd, p.weightsAt)
		w.bits(2, weights)
		w.copy(data, p.weightsAt+2, endOf(data))
		w.align(0)
		return escape(w.data)
	}
	return [][]byte{one(weighedID, byDistance), one(evenID, evenly)}
}

// id is the id of the parameter set that applies to the stream.
func (p pictures) id() uint32 {
	if p.weights == byDistance {
		return weighedID
	}
	return evenID
}
