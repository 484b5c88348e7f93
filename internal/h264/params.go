package h264

import "fmt"

// orderBits is how many bits the place in the order of display gets: the most that there may be.
const orderBits = 16

// sequence is what the sequence parameter set says, as far as it matters here.
type sequence struct {
	numberBits int // of frame_num
	orderBits  int // of pic_order_cnt_lsb
	orderAt    int // where their number stands
	orderEnd   int
	references int
	blocks     int // macroblocks of a picture
}

// maxBlocks bounds the pictures that are handled: more than any level has.
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

// plainFormat reads what the higher profiles say of the format of pictures.
func plainFormat(r *reader) error {
	if format, luma, chroma := r.ue(), r.ue(), r.ue(); format != 1 || luma != 0 || chroma != 0 {
		return fmt.Errorf("%w: not 4:2:0 in 8 bits", ErrUnknown)
	}
	if lossless, matrix := r.flag(), r.flag(); lossless || matrix {
		return fmt.Errorf("%w: it is lossless or has scaling matrices", ErrUnknown)
	}
	return nil
}

// widened is the sequence parameter set with orderBits.
func (s sequence) widened(data []byte) []byte {
	end := 8 * len(data)
	for end > 0 && data[(end-1)>>3]>>(7-(end-1)&7)&1 == 0 {
		end--
	}
	w := &writer{}
	w.copy(data, 0, s.orderAt)
	w.ue(orderBits - 4)
	w.copy(data, s.orderEnd, end) // with the bit that ends it
	w.align(0)
	return escape(w.data)
}

// pictures is what the picture parameter set says.
type pictures struct {
	id         uint32
	references [2]int // active ones by default
	weighted   bool   // P slices
	quantiser  int32
	deblocking bool // slices say how
}

// parsePictures reads an unescaped picture parameter set.
func parsePictures(data []byte) (p pictures, err error) {
	r := &reader{data: data}
	r.bits(8)
	p.id = r.ue()
	r.ue()
	arithmetic, fields := r.flag(), r.flag()
	groups := r.ue()
	p.references = [2]int{int(r.ue()) + 1, int(r.ue()) + 1}
	p.weighted = r.flag()
	bidirectional := r.bits(2)
	p.quantiser = 26 + r.se()
	r.se()
	r.se()
	p.deblocking = r.flag()
	r.flag()
	redundant := r.flag()
	switch {
	case r.over:
		return p, fmt.Errorf("%w: its picture parameters end early", ErrUnknown)
	case !arithmetic || fields || groups != 0 || redundant || p.references[0] > 32 || p.references[1] > 32:
		return p, fmt.Errorf("%w: its slices are written in another way", ErrUnknown)
	case bidirectional != 0:
		return p, fmt.Errorf("%w: its weights follow from distances", ErrUnknown)
	}
	return p, nil
}
