package picture

// Frame is an opaque picture in ffmpeg's format yuv420p: bt709, limited range.
type Frame struct {
	W, H int // width and height in pixels, both even
	// Pix holds the planes Y (W × H), Cb and Cr (half of both sides each).
	Pix []byte
}

// NewFrame returns a frame of one colour.
func NewFrame(w, h int, r, g, b uint8) *Frame {
	p := pixel{int32(r), int32(g), int32(b), 255}
	n := w * h
	f := &Frame{W: w, H: h, Pix: make([]byte, n*3/2)}
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
		dst := f.Pix[(l.Y+y)*f.W+l.X:][:l.W]
		blend(dst, luma[y*l.W:], func(x int) int32 { return int32(alpha[y*l.W+x]) })
	}
	n := f.W * f.H
	for y := range l.H / 2 {
		at := (l.Y/2+y)*(f.W/2) + l.X/2
		mean := func(x int) int32 {
			i := 2*y*l.W + 2*x
			return (int32(alpha[i]) + int32(alpha[i+1]) + int32(alpha[i+l.W]) + int32(alpha[i+l.W+1]) + 2) / 4
		}
		blend(f.Pix[n+at:][:l.W/2], cb[y*l.W/2:], mean)
		blend(f.Pix[n+n/4+at:][:l.W/2], cr[y*l.W/2:], mean)
	}
}

func blend(dst, src []byte, alpha func(x int) int32) {
	for x := range dst {
		a := alpha(x)
		dst[x] = byte((int32(dst[x])*(255-a) + int32(src[x])*a + 127) / 255)
	}
}
