package picture

import "math"

// The levels of limited range for 8 bits: black of luma, the range of luma, the middle of chroma, and the range of chroma.
const (
	black      = 16
	lumaRange  = 219
	grey       = 128
	chromRange = 224
)

// The weights of red, green and blue in luma by bt709. Their sum is 1.
const (
	redWeight   = 0.2126
	blueWeight  = 0.0722
	greenWeight = 1 - redWeight - blueWeight
)

// pixel is the sum of the premultiplied colours of some pixels (r, g, b), and of their alphas (a). Its colour is the mean of the
// visible colours: transparent pixels do not affect it.
type pixel struct{ r, g, b, a int32 }

func (p *pixel) add(q pixel) {
	p.r += q.r
	p.g += q.g
	p.b += q.b
	p.a += q.a
}

// The weights that convert red, green and blue of 0 to 255 to luma and chroma of bt709 in limited range. Their unit is
// 1/(1<<shift).
const shift = 20

var (
	lumaRed, lumaGreen, lumaBlue = weight(redWeight * lumaRange), weight(greenWeight * lumaRange), weight(blueWeight * lumaRange)
	cbRed, cbGreen, cbBlue       = chromaWeights(0, 0, 1, blueWeight)
	crRed, crGreen, crBlue       = chromaWeights(1, 0, 0, redWeight)
)

func weight(share float64) int64 { return int64(math.Round(share / 255 * (1 << shift))) }

func chromaWeights(r, g, b, own float64) (red, green, blue int64) {
	k := chromRange / (2 * (1 - own))
	return weight(k * (r - redWeight)), weight(k * (g - greenWeight)), weight(k * (b - blueWeight))
}

const half = 1 << (shift - 1)

func (p pixel) luma() byte {
	sum := lumaRed*int64(p.r) + lumaGreen*int64(p.g) + lumaBlue*int64(p.b)
	switch p.a {
	case 255:
		return byte(black + (sum+half)>>shift)
	case 0:
		return black
	}
	return byte(black + (sum*255/int64(p.a)+half)>>shift)
}

// chroma returns Cb and Cr of the pixel's colour.
func (p pixel) chroma() (cb, cr byte) {
	if p.a == 0 {
		return grey, grey
	}
	r, g, b := int64(p.r), int64(p.g), int64(p.b)
	blue, red := cbRed*r+cbGreen*g+cbBlue*b, crRed*r+crGreen*g+crBlue*b
	if p.a == 4*255 {
		return byte(grey + (blue/4+half)>>shift), byte(grey + (red/4+half)>>shift)
	}
	a := int64(p.a)
	return byte(grey + (blue*255/a+half)>>shift), byte(grey + (red*255/a+half)>>shift)
}

func round(v float64) byte { return byte(math.Max(0, math.Min(255, math.Floor(v+0.5)))) }
