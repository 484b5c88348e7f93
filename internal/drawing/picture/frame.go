package picture

import (
	"encoding/binary"
	"math"
)

// Frame is an opaque picture in ffmpeg's format yuv420p: bt709, limited range.
type Frame struct {
	W, H int // width and height in pixels, both even
	// Pix holds the planes Y (W × H), Cb and Cr (half of both sides each).
	Pix []byte
}

// NewFrame returns a frame of one colour.
func NewFrame(w, h int, r, g, b uint8) *Frame { return (*Memory)(nil).NewFrame(w, h, r, g, b) }

// NewFrame returns a frame of one colour.
func (m *Memory) NewFrame(w, h int, r, g, b uint8) *Frame {
	p := pixel{int32(r), int32(g), int32(b), 255}
	n := w * h
	f := &Frame{W: w, H: h, Pix: m.take(n * 3 / 2)}
	cb, cr := p.chroma()
	fill(f.Pix[:n], p.luma())
	fill(f.Pix[n:n+n/4], cb)
	fill(f.Pix[n+n/4:], cr)
	return f
}

func fill(plane []byte, v byte) {
	if len(plane) == 0 {
		return
	}
	plane[0] = v
	for done := 1; done < len(plane); done *= 2 {
		copy(plane[done:], plane[:done])
	}
}

// Draw composites a layer over the frame. The layer must lie inside of the frame.
func (f *Frame) Draw(l *Layer) {
	luma, cb, cr, alpha := l.planes()
	for y := range l.H {
		blend(f.Pix[(l.Y+y)*f.W+l.X:][:l.W], luma[y*l.W:], alpha[y*l.W:])
	}
	n := f.W * f.H
	mean := make([]byte, l.W/2)
	for y := range l.H / 2 {
		at := (l.Y/2+y)*(f.W/2) + l.X/2
		halve(mean, alpha[2*y*l.W:], alpha[(2*y+1)*l.W:])
		blend(f.Pix[n+at:][:l.W/2], cb[y*l.W/2:], mean)
		blend(f.Pix[n+n/4+at:][:l.W/2], cr[y*l.W/2:], mean)
	}
}

// blend composites a row of samples over dst. Eight samples at a time that are all opaque are copied, and eight that are all
// transparent are left out.
func blend(dst, src, alpha []byte) {
	for len(dst) >= 8 {
		switch binary.LittleEndian.Uint64(alpha) {
		case math.MaxUint64:
			copy(dst[:8], src)
		case 0:
		default:
			blendEach(dst[:8], src, alpha)
		}
		dst, src, alpha = dst[8:], src[8:], alpha[8:]
	}
	blendEach(dst, src, alpha)
}

func blendEach(dst, src, alpha []byte) {
	for x := range dst {
		a := int32(alpha[x])
		dst[x] = byte((int32(dst[x])*(255-a) + int32(src[x])*a + 127) / 255)
	}
}

// halve sets mean to the mean alphas of the squares of two by two pixels of two rows.
func halve(mean, upper, lower []byte) {
	for x := range mean {
		i := 2 * x
		mean[x] = byte((int32(upper[i]) + int32(upper[i+1]) + int32(lower[i]) + int32(lower[i+1]) + 2) / 4)
	}
}
