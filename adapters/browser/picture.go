package browser

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"image/png"
)

// decode decodes a picture of the browser and scales it to the page's size.
func decode(data []byte, width, height int) (*image.NRGBA, error) {
	decoded, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("read picture of the browser: %w", err)
	}
	size := decoded.Bounds().Size()
	if size.X < width || size.Y < height {
		return nil, fmt.Errorf("picture of the browser is %d × %d, smaller than %d × %d", size.X, size.Y, width, height)
	}
	full, ok := decoded.(*image.NRGBA)
	if !ok { // an opaque page's PNG has no alpha
		full = image.NewNRGBA(decoded.Bounds())
		draw.Draw(full, full.Bounds(), decoded, decoded.Bounds().Min, draw.Src)
	}
	if size.X == width && size.Y == height {
		return full, nil
	}
	return shrink(full, width, height), nil
}

// shrink scales a picture down. Every pixel becomes the mean of the area it covers, weighted by alpha, so that transparent pixels
// do not colour edges.
func shrink(src *image.NRGBA, width, height int) *image.NRGBA {
	size := src.Bounds().Size()
	columns, rows := spans(size.X, width), spans(size.Y, height)
	out := image.NewNRGBA(image.Rect(0, 0, width, height))
	line := make([]float32, 4*width) // premultiplied sums of a row of the result
	for y, row := range rows {
		clear(line)
		for i, weight := range row.weights {
			addRow(line, src.Pix[(row.from+i)*src.Stride:], columns, weight)
		}
		storeRow(out.Pix[y*out.Stride:], line)
	}
	return out
}

// span is the source pixels of one result pixel, with weights whose sum is 1.
type span struct {
	from    int
	weights []float32
}

func spans(from, to int) []span {
	scale := float64(from) / float64(to)
	all := make([]span, to)
	for i := range all {
		start, end := float64(i)*scale, float64(i+1)*scale
		first := int(start)
		all[i].from = first
		for p := first; p < from && float64(p) < end-1e-9; p++ {
			part := min(end, float64(p+1)) - max(start, float64(p))
			all[i].weights = append(all[i].weights, float32(part/scale))
		}
	}
	return all
}

func addRow(line []float32, pix []byte, columns []span, weight float32) {
	for x, column := range columns {
		var r, g, b, a float32
		for i, share := range column.weights {
			p := pix[(column.from+i)*4:][:4:4]
			alpha := share * float32(p[3])
			r += alpha * float32(p[0])
			g += alpha * float32(p[1])
			b += alpha * float32(p[2])
			a += alpha
		}
		sum := line[4*x:][:4:4]
		sum[0] += weight * r
		sum[1] += weight * g
		sum[2] += weight * b
		sum[3] += weight * a
	}
}

func storeRow(pix []byte, line []float32) {
	for x := 0; x < len(line); x += 4 {
		a := line[x+3]
		if a < 0.5 {
			continue // the alpha rounds to 0: the pixel stays transparent
		}
		pix[x] = uint8(line[x]/a + 0.5)
		pix[x+1] = uint8(line[x+1]/a + 0.5)
		pix[x+2] = uint8(line[x+2]/a + 0.5)
		pix[x+3] = uint8(a + 0.5)
	}
}
