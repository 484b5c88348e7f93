package console_test

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"slices"
)

// fewColours makes a PNG small: it keeps the 256 colours that most of its pixels have, and gives the others the nearest of them.
func fewColours(picture []byte) ([]byte, error) {
	from, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, err
	}
	counts := map[color.RGBA]int{}
	area := from.Bounds()
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			counts[color.RGBAModel.Convert(from.At(x, y)).(color.RGBA)]++
		}
	}
	most := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	palette := make(color.Palette, 0, 256)
	for _, c := range most[:min(len(most), 256)] {
		palette = append(palette, c)
	}
	small := image.NewPaletted(area, palette)
	draw.Draw(small, area, from, area.Min, draw.Src)
	var encoded bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&encoded, small)
	return encoded.Bytes(), err
}
