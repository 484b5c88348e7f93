package picture

import (
	"image"
	"math"
)

// Rotation draws a picture, the field Plate, that fills the box and is rotated clockwise about the box's centre.
type Rotation struct {
	Plate *Plate // picture of the box's size, rounded up to even sides
	Box   image.Rectangle
}

// TurnBounds is the part of the canvas that a box can cover at any angle, with even sides.
func TurnBounds(box image.Rectangle, w, h int) image.Rectangle {
	radius := math.Hypot(float64(box.Dx()), float64(box.Dy()))/2 + 1
	x, y := float64(box.Min.X+box.Max.X)/2, float64(box.Min.Y+box.Max.Y)/2
	return Even(image.Rect(int(math.Floor(x-radius)), int(math.Floor(y-radius)), int(math.Ceil(x+radius)),
		int(math.Ceil(y+radius))), w, h)
}

// Even enlarges r to even positions, and limits it to a canvas of w × h pixels.
func Even(r image.Rectangle, w, h int) image.Rectangle {
	r = r.Intersect(image.Rect(0, 0, w, h))
	if r.Empty() {
		return image.Rectangle{}
	}
	return image.Rect(r.Min.X&^1, r.Min.Y&^1, (r.Max.X+1)&^1, (r.Max.Y+1)&^1)
}

// fraction is the number of fractional bits of positions in the picture that is rotated.
const fraction = 16

// Draw fills the layer l with the picture, rotated clockwise by degrees. The caller has set the position, size and Pix of
// l.
func (t Rotation) Draw(degrees float64, l *Layer) {
	luma, cb, cr, alpha := l.planes()
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	middle := [2]float64{float64(t.Box.Min.X+t.Box.Max.X) / 2, float64(t.Box.Min.Y+t.Box.Max.Y) / 2}
	size := [2]float64{float64(t.Box.Dx()), float64(t.Box.Dy())}
	one := func(dst, src []byte, part int, at func(i int, u, v int64)) {
		p := float64(part)
		w, h := l.W/part, l.H/part
		for y := range h {
			dx, dy := float64(l.X)+0.5*p-middle[0], float64(l.Y)+(float64(y)+0.5)*p-middle[1]
			u := fixed((dx*cos + dy*sin + size[0]/2) / p)
			v := fixed((dy*cos - dx*sin + size[1]/2) / p)
			du, dv := fixed(cos), fixed(-sin)
			for x := range w {
				i := y*w + x
				if src != nil {
					dst[i] = bilinear(src, t.Plate.W/part, t.Plate.H/part, u, v)
				}
				if at != nil {
					at(i, u, v)
				}
				u, v = u+du, v+dv
			}
		}
	}
	fill(alpha, 255)
	wide, high := fixed(size[0]), fixed(size[1])
	one(luma, t.Plate.Luma, 1, nil)
	one(alpha, t.Plate.Alpha, 1, func(i int, u, v int64) {
		if c := inside(u, wide) * inside(v, high) >> fraction; c < 1<<fraction {
			alpha[i] = byte((int64(alpha[i])*c + 1<<(fraction-1)) >> fraction)
		}
	})
	one(cb, t.Plate.Cb, 2, nil)
	one(cr, t.Plate.Cr, 2, nil)
}

func fixed(v float64) int64 { return int64(math.Round(v * (1 << fraction))) }

// inside is the share of a pixel centred at u that lies between 0 and size. u, size and the result have the fractional bits of
// fraction: 1<<fraction is a whole pixel.
func inside(u, size int64) int64 {
	const whole = 1 << fraction
	return max(0, min(whole, u+whole/2, size-u+whole/2))
}

// bilinear interpolates between the four pixels around the position u, v in a plane of w × h pixels. u and v have the fractional
// bits of fraction.
func bilinear(plane []byte, w, h int, u, v int64) byte {
	u, v = u-1<<(fraction-1), v-1<<(fraction-1)
	x, y := int(u>>fraction), int(v>>fraction)
	if x < -1 || y < -1 || x >= w || y >= h {
		x, y = min(max(x, 0), w-1), min(max(y, 0), h-1)
		return plane[y*w+x]
	}
	fx, fy := uint32(u>>8)&0xff, uint32(v>>8)&0xff
	x0, x1, y0, y1 := max(x, 0), min(x+1, w-1), max(y, 0), min(y+1, h-1)
	top := uint32(plane[y0*w+x0])*(256-fx) + uint32(plane[y0*w+x1])*fx
	bottom := uint32(plane[y1*w+x0])*(256-fx) + uint32(plane[y1*w+x1])*fx
	return byte((top*(256-fy) + bottom*fy + 1<<15) >> 16)
}
