package picture

import (
	"image"
	"math"
)

// Scaled returns the frame at another size, whose sides are even; at its own size it returns f itself. f is not changed.
func (f *Frame) Scaled(w, h int) *Frame {
	if w == f.W && h == f.H {
		return f
	}
	n := f.W * f.H
	from := &Plate{W: f.W, H: f.H, Luma: f.Pix[:n], Cb: f.Pix[n : n+n/4], Cr: f.Pix[n+n/4:]}
	to := &Layer{W: w, H: h, Pix: make([]byte, w*h*5/2)}
	NewViewer(from, image.Pt(f.W, f.H), image.Rect(0, 0, w, h)).Draw(View{W: 1, H: 1}, to)
	return &Frame{W: w, H: h, Pix: to.Pix[: w*h*3/2 : w*h*3/2]}
}

// screenShift is the number of fractional bits of the values in the tables lumaShare, redShare, greenCrShare, greenCbShare
// and blueShare. The index of a table is a level of luma or chroma, 0 to 255. The value is what this level adds to red,
// green or blue, whose levels are 0 to 255 as well.
const screenShift = 16

var lumaShare, redShare, greenCrShare, greenCbShare, blueShare = screenTables()

func screenTables() (luma, red, greenCr, greenCb, blue [256]int32) {
	const light, color = 255.0 / lumaRange, 255.0 / chromRange
	share := func(v float64) int32 { return int32(math.Round(v * (1 << screenShift))) }
	for i := range 256 {
		c := float64(i-grey) * color
		luma[i] = share(float64(i-black)*light) + 1<<(screenShift-1)
		red[i] = share(c * 2 * (1 - redWeight))
		blue[i] = share(c * 2 * (1 - blueWeight))
		greenCr[i] = share(-c * 2 * (1 - redWeight) * redWeight / greenWeight)
		greenCb[i] = share(-c * 2 * (1 - blueWeight) * blueWeight / greenWeight)
	}
	return luma, red, greenCr, greenCb, blue
}

// Image returns what a screen shows of the frame. The samples of chroma lie as in MPEG-2: on every other column, and between two
// rows. For the pixels between the samples, chroma is interpolated.
func (f *Frame) Image() *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, f.W, f.H))
	n := f.W * f.H
	cb, cr := f.Pix[n:n+n/4], f.Pix[n+n/4:]
	blues, reds := make([]byte, f.W), make([]byte, f.W)
	for y := range f.H {
		f.chromaRow(blues, cb, y)
		f.chromaRow(reds, cr, y)
		out := img.Pix[y*img.Stride:][:4*f.W]
		for x, level := range f.Pix[y*f.W:][:f.W] {
			l, b, r := lumaShare[level], blues[x], reds[x]
			p := out[4*x : 4*x+4 : 4*x+4]
			p[0] = onScreenLevel(l + redShare[r])
			p[1] = onScreenLevel(l + greenCrShare[r] + greenCbShare[b])
			p[2] = onScreenLevel(l + blueShare[b])
			p[3] = 255
		}
	}
	return img
}

func onScreenLevel(sum int32) byte { return byte(max(0, min(255, sum>>screenShift))) }

// chromaRow interpolates row y of the frame from a chroma plane, which has half the width and height of the frame.
func (f *Frame) chromaRow(row, plane []byte, y int) {
	w, last := f.W/2, f.H/2-1
	near := y / 2
	far := max(0, min(last, near-1+2*(y&1)))
	a, b := plane[near*w:][:w], plane[far*w:][:w]
	before := uint32(a[0])*3 + uint32(b[0])
	for x := range w {
		after := before
		if x+1 < w {
			after = uint32(a[x+1])*3 + uint32(b[x+1])
		}
		row[2*x] = byte((before + 2) / 4)
		row[2*x+1] = byte((before + after + 4) / 8)
		before = after
	}
}
