// Package picture converts pictures, most of them still, to layers that ffmpeg composites into a movie: upright, scaled,
// clipped to the canvas, and in bt709 with limited range, so that ffmpeg need not guess their colours.
package picture

import (
	"image"
)

// Layer is a picture on a canvas in ffmpeg's format yuva420p: bt709, limited range, straight alpha. Its position and size are
// even, so that its half-size planes are aligned to those of the canvas.
type Layer struct {
	X, Y, W, H int
	// Pix holds the planes Y (W × H), Cb and Cr (half of both sides each) and alpha (W × H).
	Pix []byte
}

// PixelFormat is ffmpeg's name of the format of Layer.Pix.
const PixelFormat = "yuva420p"

// FromRGBA makes a layer from a picture that is placed on a canvas of w × h pixels at its own bounds, clipped to the canvas. The
// layer is empty (W and H 0) if the picture is outside of the canvas.
func FromRGBA(img *image.RGBA, w, h int) *Layer {
	return convert(img.Bounds(), w, h, func(x0, y int, row []pixel) {
		pix := img.Pix[img.PixOffset(x0, y):]
		for i := range row {
			p := pix[4*i : 4*i+4 : 4*i+4]
			row[i] = pixel{int32(p[0]), int32(p[1]), int32(p[2]), int32(p[3])}
		}
	})
}

// FromNRGBA is FromRGBA for a picture with straight alpha; at is the position of its top left corner on the canvas.
func FromNRGBA(img *image.NRGBA, at image.Point, w, h int) *Layer {
	shift := img.Bounds().Min.Sub(at)
	return convert(img.Bounds().Sub(shift), w, h, func(x0, y int, row []pixel) {
		pix := img.Pix[img.PixOffset(x0+shift.X, y+shift.Y):]
		for i := range row {
			p := pix[4*i : 4*i+4 : 4*i+4]
			a := int32(p[3])
			row[i] = pixel{(int32(p[0])*a + 127) / 255, (int32(p[1])*a + 127) / 255, (int32(p[2])*a + 127) / 255, a}
		}
	})
}

// convert makes a layer of a canvas of w × h pixels from a picture with the given bounds. read sets row to the picture's
// premultiplied pixels at the height y, from x0 on. Pixels of the layer outside of bounds are transparent.
func convert(bounds image.Rectangle, w, h int, read func(x0, y int, row []pixel)) *Layer {
	seen := bounds.Intersect(image.Rect(0, 0, w, h))
	if seen.Empty() {
		return &Layer{}
	}
	l := &Layer{X: seen.Min.X &^ 1, Y: seen.Min.Y &^ 1}
	l.W, l.H = (seen.Max.X+1)&^1-l.X, (seen.Max.Y+1)&^1-l.Y
	l.Pix = make([]byte, l.W*l.H*5/2)
	luma, cb, cr, alpha := l.planes()
	rows := [2][]pixel{make([]pixel, l.W), make([]pixel, l.W)}
	first := seen.Min.X - l.X
	for y := 0; y < l.H; y += 2 {
		for dy := range 2 {
			row, at := rows[dy], l.Y+y+dy
			if at >= seen.Min.Y && at < seen.Max.Y {
				read(seen.Min.X, at, row[first:first+seen.Dx()])
			} else {
				clear(row)
			}
			i := (y + dy) * l.W
			for x, p := range row {
				luma[i+x], alpha[i+x] = p.luma(), byte(p.a)
			}
		}
		i := y / 2 * (l.W / 2)
		for x := 0; x < l.W; x += 2 {
			sum := rows[0][x]
			sum.add(rows[0][x+1])
			sum.add(rows[1][x])
			sum.add(rows[1][x+1])
			cb[i+x/2], cr[i+x/2] = sum.chroma()
		}
	}
	return l
}

func (l *Layer) planes() (luma, cb, cr, alpha []byte) {
	n := l.W * l.H
	return l.Pix[:n], l.Pix[n : n+n/4], l.Pix[n+n/4 : n+n/2], l.Pix[n+n/2:]
}

// Clear makes the layer transparent.
func (l *Layer) Clear() {
	luma, cb, cr, alpha := l.planes()
	fill(luma, black)
	fill(cb, grey)
	fill(cr, grey)
	clear(alpha)
}

// Place copies into this layer the pixels of another layer of the same canvas, which must lie inside of this one.
func (l *Layer) Place(inner *Layer) {
	dst, src := [4][]byte{}, [4][]byte{}
	dst[0], dst[1], dst[2], dst[3] = l.planes()
	src[0], src[1], src[2], src[3] = inner.planes()
	for i := range dst {
		part := 1
		if i == 1 || i == 2 {
			part = 2
		}
		w := inner.W / part
		for y := range inner.H / part {
			at := ((inner.Y-l.Y)/part+y)*(l.W/part) + (inner.X-l.X)/part
			copy(dst[i][at:at+w], src[i][y*w:(y+1)*w])
		}
	}
}

// Empty reports whether the layer has no pixels.
func (l *Layer) Empty() bool { return l.W == 0 || l.H == 0 }
