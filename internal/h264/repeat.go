package h264

// Weight describes how a picture is computed from another one, without residuals: each value is multiplied by Scale/WeightWhole,
// then an offset is added. The zero value repeats the other picture unchanged.
type Weight struct {
	Scale        int // 1 to WeightWhole-1; 0 only in the zero value
	Luma, Cb, Cr int // offsets that are added to the values of these three planes, from LeastOffset to MostOffset
}

const (
	weightBits = 7
	// WeightWhole is the scale that leaves values unchanged.
	WeightWhole = 1 << weightBits

	// LeastOffset and MostOffset are the smallest and the largest value of the offsets Luma, Cb and Cr in a Weight.
	LeastOffset, MostOffset = -128, 127
)

// write writes the weights of a slice with one reference.
func (v Weight) write(w *writer) {
	if v == (Weight{}) {
		w.ue(0)
		w.ue(0)
		w.bits(2, 0)
		return
	}
	w.ue(weightBits)
	w.ue(weightBits)
	w.bit(1)
	w.se(int32(v.Scale))
	w.se(int32(v.Luma))
	w.bit(1)
	for _, offset := range [2]int{v.Cb, v.Cr} {
		w.se(int32(v.Scale))
		w.se(int32(offset))
	}
}

// skip returns a picture that is computed from a reference without residuals: a NAL unit with the slice data given as data.
// number is the frame_num of the picture. back is number minus the frame_num of the reference. order is the
// pic_order_cnt_lsb of the picture.
func skip(s sequence, p pictures, data []byte, weight Weight, number, back, order uint32) []byte {
	w := &writer{}
	w.bits(8, sliceNAL) // header of the NAL unit: a slice that is no reference
	w.ue(0)
	w.ue(5 + forward)
	w.ue(p.id())
	w.bits(s.numberBits, number)
	w.bits(orderBits, order)
	w.bit(1)
	w.ue(0) // one active reference
	if back == 1 {
		w.bit(0)
	} else {
		w.bit(1)
		w.ue(0)
		w.ue(back - 1)
		w.ue(3)
	}
	if p.weighted {
		weight.write(w)
	}
	w.ue(0)
	w.se(skipQuantiser - p.quantiser)
	if p.deblocking {
		w.ue(1) // no deblocking
	}
	w.align(1)
	return escape(append(w.data, data...))
}
