package picture

import "image"

// Draw decodes the picture and returns what a canvas of w × h pixels shows of it.
func (s Still) Draw(w, h int) (*Layer, error) {
	img, err := s.Pixels(s.Box.Intersect(image.Rect(0, 0, w, h)))
	if err != nil || img.Rect.Empty() {
		return &Layer{}, err
	}
	return FromRGBA(img, w, h), nil
}

// Interpolate makes each pixel of dst of two neighbours of src: the one at first, and the one after it with a weight out of 256.
func Interpolate(dst, src []byte, first []int, weight []uint32) {
	pairs := make([]uint64, len(dst))
	for i := range pairs {
		pairs[i] = uint64(first[i])<<32 | uint64(weight[i])
	}
	interpolate(dst, src, pairs)
}
