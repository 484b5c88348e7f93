package picture

import (
	"image"
	"image/draw"
	"math"
)

// scale draws the part crop of src into the rectangle box of a canvas, and returns the pixels of that canvas inside visible, a
// part of box. Pixels are premultiplied. A part that needs no scaling is copied exactly.
//
// It works row by row: its memory grows with the width of the source, but not with its height.
func (m *Memory) scale(src image.Image, crop, box, visible image.Rectangle) *image.RGBA {
	out := m.undrawn(visible)
	if crop.Size() == box.Size() {
		draw.Draw(out, visible, src, crop.Min.Add(visible.Min.Sub(box.Min)), draw.Src)
		return out
	}
	across := newAxis(crop.Min.X, crop.Dx(), box.Min.X, box.Dx(), visible.Min.X, visible.Max.X)
	down := newAxis(crop.Min.Y, crop.Dy(), box.Min.Y, box.Dy(), visible.Min.Y, visible.Max.Y)
	rows := rowScaler{src: src, crop: crop, across: across, ready: map[int][]float32{}}
	sum := make([]float32, 4*len(across))
	for i, tap := range down {
		clear(sum)
		for k, weight := range tap.weights {
			for j, v := range rows.row(tap.first + k) {
				sum[j] += weight * v
			}
		}
		rows.forgetBefore(tap.first)
		store(out.Pix[i*out.Stride:], sum)
	}
	return out
}

// tap holds the source pixels of one pixel of the result, and their weights.
type tap struct {
	first   int
	weights []float32
}

// newAxis computes the scaling along one axis: srcLen source pixels from srcStart on become dstLen new pixels from dstStart
// on. It returns a tap, the source pixels with their weights, for each of the new pixels in [from, to).
func newAxis(srcStart, srcLen, dstStart, dstLen, from, to int) []tap {
	ratio := float64(srcLen) / float64(dstLen)
	stretch := math.Max(1, ratio)
	taps := make([]tap, 0, to-from)
	for i := from; i < to; i++ {
		centre := float64(srcStart) + (float64(i-dstStart)+0.5)*ratio - 0.5
		first := max(srcStart, int(math.Ceil(centre-2*stretch)))
		last := min(srcStart+srcLen-1, int(math.Floor(centre+2*stretch)))
		weights := make([]float32, 0, last-first+1)
		var total float64
		for k := first; k <= last; k++ {
			w := catmullRom((float64(k) - centre) / stretch)
			weights = append(weights, float32(w))
			total += w
		}
		for k := range weights {
			weights[k] /= float32(total)
		}
		taps = append(taps, tap{first, weights})
	}
	return taps
}

// catmullRom returns the weight of a pixel at the distance x, in pixels. This cubic filter keeps edges sharp without visible
// ringing.
func catmullRom(x float64) float64 {
	x = math.Abs(x)
	switch {
	case x < 1:
		return (1.5*x-2.5)*x*x + 1
	case x < 2:
		return ((-0.5*x+2.5)*x-4)*x + 2
	}
	return 0
}

// rowScaler scales source rows horizontally. It keeps the scaled rows until forgetBefore, so that each is scaled once.
type rowScaler struct {
	src    image.Image
	crop   image.Rectangle
	across []tap
	ready  map[int][]float32
	spare  [][]float32 // memory of forgotten rows
	line   *image.RGBA // pixels of one source row; reused for each
}

func (s *rowScaler) row(y int) []float32 {
	if row, ok := s.ready[y]; ok {
		return row
	}
	if s.line == nil {
		s.line = image.NewRGBA(image.Rect(s.crop.Min.X, 0, s.crop.Max.X, 1))
	}
	draw.Draw(s.line, s.line.Rect, s.src, image.Pt(s.crop.Min.X, y), draw.Src)
	row := s.empty()
	for _, t := range s.across {
		var r, g, b, a float32
		pix := s.line.Pix[4*(t.first-s.crop.Min.X):]
		for _, w := range t.weights {
			r += w * float32(pix[0])
			g += w * float32(pix[1])
			b += w * float32(pix[2])
			a += w * float32(pix[3])
			pix = pix[4:]
		}
		row = append(row, r, g, b, a)
	}
	s.ready[y] = row
	return row
}

// empty returns a row without pixels and with room for all of them.
func (s *rowScaler) empty() []float32 {
	last := len(s.spare) - 1
	if last < 0 {
		return make([]float32, 0, 4*len(s.across))
	}
	row := s.spare[last]
	s.spare = s.spare[:last]
	return row[:0]
}

// forgetBefore drops the scaled rows above source row y: the result is computed downwards, so they are not needed again.
func (s *rowScaler) forgetBefore(y int) {
	for k, row := range s.ready {
		if k < y {
			s.spare = append(s.spare, row)
			delete(s.ready, k)
		}
	}
}

// store rounds premultiplied sums to pixels. Overshoot of the filter is clipped: alpha to 0 to 255, and each colour to 0 to the
// alpha of its pixel.
func store(pix []byte, sum []float32) {
	for i := 0; i < len(sum); i += 4 {
		alpha := clamp(sum[i+3], 255)
		pix[i+3] = alpha
		for c := range 3 {
			pix[i+c] = clamp(sum[i+c], float32(alpha))
		}
	}
}

func clamp(v, most float32) byte { return byte(min(max(v+0.5, 0), most)) }
