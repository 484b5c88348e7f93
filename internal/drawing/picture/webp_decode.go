package picture

import (
	"image"
	"io"
	"math"

	"golang.org/x/image/webp"
)

// decodeWebP decodes a WebP with correct colours. A lossy WebP uses limited range (black 16, white 235); golang.org/x/image/webp
// treats it as full range, which looks washed out.
func decodeWebP(r io.Reader) (image.Image, error) {
	img, err := webp.Decode(r)
	if err != nil {
		return nil, err
	}
	switch lossy := img.(type) {
	case *image.YCbCr:
		stretch(lossy)
	case *image.NYCbCrA:
		stretch(&lossy.YCbCr)
	}
	return img, nil
}

// wholeLuma and wholeChroma map limited-range levels to full range.
var wholeLuma, wholeChroma = levels(16, 219, 0), levels(128, 224, 128)

func levels(zero, span, becomes float64) (all [256]uint8) {
	for v := range all {
		all[v] = uint8(math.Round(min(max((float64(v)-zero)*255/span+becomes, 0), 255)))
	}
	return all
}

func stretch(img *image.YCbCr) {
	for i, v := range img.Y {
		img.Y[i] = wholeLuma[v]
	}
	for _, plane := range [][]uint8{img.Cb, img.Cr} {
		for i, v := range plane {
			plane[i] = wholeChroma[v]
		}
	}
}
