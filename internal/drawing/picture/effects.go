package picture

import (
	"image"
	"math"
	"slices"

	"golang.org/x/image/draw"
	"golang.org/x/image/math/f64"
)

// keySoftness is the chroma distance over which a colour key changes from transparent to opaque, so that edges do not flicker. It
// is a fraction of the largest possible chroma distance from the key colour.
const keySoftness = 0.06

// KeyRange returns the chroma of the key colour r, g, b, the chroma distance up to which pixels are transparent (near), and the
// distance from which they are opaque (far). similarity, 0 to 1, is a fraction of the largest possible distance: at 1 everything
// is transparent.
func KeyRange(r, g, b uint8, similarity float64) (cb, cr, near, far float64) {
	cb, cr = ChromaOf(r, g, b)
	most := 0.0
	for corner := range 8 {
		level := func(bit int) uint8 { return uint8(255 * (corner >> bit & 1)) }
		u, v := ChromaOf(level(0), level(1), level(2))
		most = math.Max(most, math.Hypot(u-cb, v-cr))
	}
	return cb, cr, similarity * most, (similarity + keySoftness) * most
}

// ChromaOf returns the chroma of a colour in bt709 and limited range, unrounded.
func ChromaOf(r, g, b uint8) (cb, cr float64) {
	y := redWeight*float64(r) + greenWeight*float64(g) + blueWeight*float64(b)
	return grey + chromRange*(float64(b)-y)/(2*255*(1-blueWeight)), grey + chromRange*(float64(r)-y)/(2*255*(1-redWeight))
}

// Key makes pixels transparent whose chroma is similar to that of r, g, b; similarity is 0 to 1.
func Key(img *image.RGBA, r, g, b uint8, similarity float64) {
	keyB, keyR, near, far := KeyRange(r, g, b, similarity)
	for i := 0; i < len(img.Pix); i += 4 {
		p := img.Pix[i : i+4 : i+4]
		if p[3] == 0 {
			continue
		}
		straight := func(v uint8) uint8 { return uint8(min(255, (int(v)*255+int(p[3])/2)/int(p[3]))) }
		cb, cr := ChromaOf(straight(p[0]), straight(p[1]), straight(p[2]))
		if d := math.Hypot(cb-keyB, cr-keyR); d < far {
			fade(p, math.Max(0, (d-near)/(far-near)))
		}
	}
}

// fade multiplies the channels of a premultiplied pixel by share, 0 to 1.
func fade(p []uint8, share float64) {
	for i, v := range p {
		p[i] = uint8(float64(v)*share + 0.5)
	}
}

// Mirror returns the picture mirrored left to right, upside down or both, inside box; if neither, it returns img itself.
func Mirror(img *image.RGBA, box image.Rectangle, leftRight, upDown bool) *image.RGBA {
	if !leftRight && !upDown {
		return img
	}
	out := image.NewRGBA(Mirrored(img.Rect, box, leftRight, upDown))
	for y := range out.Rect.Dy() {
		from := y
		if upDown {
			from = out.Rect.Dy() - 1 - y
		}
		dst, src := out.Pix[y*out.Stride:], img.Pix[from*img.Stride:]
		for x := range out.Rect.Dx() {
			at := x
			if leftRight {
				at = out.Rect.Dx() - 1 - x
			}
			copy(dst[4*x:4*x+4], src[4*at:4*at+4])
		}
	}
	return out
}

// Mirrored is the rectangle of a part of a box after the box is mirrored.
func Mirrored(r, box image.Rectangle, leftRight, upDown bool) image.Rectangle {
	if leftRight {
		r.Min.X, r.Max.X = box.Min.X+box.Max.X-r.Max.X, box.Min.X+box.Max.X-r.Min.X
	}
	if upDown {
		r.Min.Y, r.Max.Y = box.Min.Y+box.Max.Y-r.Max.Y, box.Min.Y+box.Max.Y-r.Min.Y
	}
	return r
}

// Mask converts a picture to its brightness over black, for use as opacity: 0 hides, 255 shows.
func Mask(img *image.RGBA) *image.Gray {
	mask := image.NewGray(img.Rect)
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			p := img.Pix[y*img.Stride+4*x:]
			mask.Pix[y*mask.Stride+x] = uint8(redWeight*float64(p[0]) + greenWeight*float64(p[1]) + blueWeight*float64(p[2]) + 0.5)
		}
	}
	return mask
}

// Cover multiplies a picture's alpha by a mask. Pixels outside of the mask become transparent.
func Cover(img *image.RGBA, mask *image.Gray) {
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
		for x := img.Rect.Min.X; x < img.Rect.Max.X; x++ {
			i := img.PixOffset(x, y)
			fade(img.Pix[i:i+4], float64(mask.GrayAt(x, y).Y)/255)
		}
	}
}

// Cover multiplies a layer's alpha by a mask on the same canvas. Pixels outside of the mask become transparent.
func (l *Layer) Cover(mask *image.Gray) {
	_, _, _, alpha := l.planes()
	for y := range l.H {
		for x := range l.W {
			i := y*l.W + x
			alpha[i] = uint8((int(alpha[i])*int(mask.GrayAt(l.X+x, l.Y+y).Y) + 127) / 255)
		}
	}
}

// Fade multiplies the opacity of the layer by share, 0 to 1.
func (l *Layer) Fade(share float64) {
	if share >= 1 {
		return
	}
	var table [256]byte
	for i := range table {
		table[i] = byte(float64(i)*share + 0.5)
	}
	_, _, _, alpha := l.planes()
	translate(alpha, &table)
}

// Faded returns the layer with its alpha multiplied by share, 0 to 1: a copy, or the layer itself if share is 1.
func (l *Layer) Faded(share float64) *Layer {
	if share >= 1 {
		return l
	}
	faded := *l
	faded.Pix = slices.Clone(l.Pix)
	faded.Fade(share)
	return &faded
}

// Rotate returns the part of a canvas of w × h pixels that shows the picture, rotated clockwise about the centre of box.
func Rotate(img *image.RGBA, box image.Rectangle, degrees float64, w, h int) *image.RGBA {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	x, y := float64(box.Min.X+box.Max.X)/2, float64(box.Min.Y+box.Max.Y)/2
	around := f64.Aff3{cos, -sin, x - cos*x + sin*y, sin, cos, y - sin*x - cos*y}
	reach := img.Rect.Union(box)
	out := image.NewRGBA(TurnBounds(reach.Union(Mirrored(reach, box, true, true)), w, h))
	draw.CatmullRom.Transform(out, around, img, img.Rect, draw.Src, nil)
	return out
}

// Correct applies a colour correction to the brightness and chroma of the layer.
func (l *Layer) Correct(c Correction) {
	luma, cb, cr, _ := l.planes()
	light, color := c.tables()
	translate(luma, &light)
	translate(cb, &color)
	translate(cr, &color)
}

func translate(plane []byte, table *[256]byte) {
	for i, v := range plane {
		plane[i] = table[v]
	}
}

// Correction is a colour correction with the parameters of ffmpeg's eq filter.
type Correction struct{ Brightness, Contrast, Gamma, Saturation float64 }

// tables returns the corrected value of each level, 0 to 255: light for brightness, color for chroma.
func (c Correction) tables() (light, color [256]byte) {
	for i := range 256 {
		light[i] = c.Light(i)
		color[i] = round(grey + (float64(i)-grey)*c.Saturation)
	}
	return light, color
}

// Light returns the corrected value of a level of brightness, 0 to 255.
func (c Correction) Light(level int) byte {
	v := c.Contrast*(float64(level)/255-0.5) + 0.5 + c.Brightness
	if v <= 0 {
		return 0
	}
	return round(255 * math.Pow(v, 1/c.Gamma))
}
