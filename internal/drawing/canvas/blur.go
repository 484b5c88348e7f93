package canvas

import (
	"image"
	"math"
)

// boxSizes returns the sizes of three box filters that together approximate a Gaussian whose standard deviation is half the blur
// radius, as CSS defines it.
func boxSizes(radius float64) [3]int {
	sigma := radius / 2
	ideal := math.Sqrt(4*sigma*sigma + 1)
	small := int(ideal)
	if small%2 == 0 {
		small--
	}
	n := float64(small)
	smaller := int(math.Round((12*sigma*sigma - 3*n*n - 12*n - 9) / (-4*n - 4)))
	var sizes [3]int
	for i := range sizes {
		sizes[i] = small + 2
		if i < smaller {
			sizes[i] = small
		}
	}
	return sizes
}

// BlurReach is the distance over which a blur spreads, in pixels.
func BlurReach(radius float64) int {
	if radius <= 0 {
		return 0
	}
	reach := 0
	for _, size := range boxSizes(radius) {
		reach += size / 2
	}
	return reach
}

// coarseness is the side of the squares on which a blur is computed: strongly blurred shapes have no finer detail.
func coarseness(radius float64) int { return int(min(radius/5, 16)) }

// Blur blurs the coverage by a radius in pixels, as CSS defines it; shape should have a margin of BlurReach.
func Blur(shape *image.Alpha, radius float64) {
	if radius <= 0 || shape.Rect.Empty() {
		return
	}
	grid := coarseness(radius)
	if grid < 2 {
		blurFine(shape, radius)
		return
	}
	coarse := shrink(shape, grid)
	blurFine(coarse, radius/float64(grid))
	large := enlarge(coarse, grid, shape.Rect)
	for y := range shape.Rect.Dy() {
		copy(shape.Pix[y*shape.Stride:][:shape.Rect.Dx()], large.Pix[y*large.Stride:])
	}
}

// blurFine blurs at the full resolution of shape. Columns are processed as rows of the transposed picture: walking down
// columns would often miss the processor's cache.
func blurFine(shape *image.Alpha, radius float64) {
	w, h := shape.Rect.Dx(), shape.Rect.Dy()
	values := make([]uint16, w*h)
	for y := range h {
		for x, a := range shape.Pix[y*shape.Stride:][:w] {
			values[y*w+x] = uint16(a) << 8
		}
	}
	turned := make([]uint16, w*h)
	blurRows(values, w, radius)
	transpose(turned, values, w, h)
	blurRows(turned, h, radius)
	transpose(values, turned, h, w)
	for y := range h {
		row := shape.Pix[y*shape.Stride:][:w]
		for x := range row {
			row[x] = uint8(min((uint32(values[y*w+x])+128)>>8, 255))
		}
	}
}

// coarseRect is the rectangle of grid squares that cover an area, with two more on each side.
func coarseRect(area image.Rectangle, grid int) image.Rectangle {
	down := func(v int) int { return int(math.Floor(float64(v) / float64(grid))) }
	return image.Rect(down(area.Min.X)-2, down(area.Min.Y)-2, down(area.Max.X-1)+3, down(area.Max.Y-1)+3)
}

// shrink returns a smaller picture: each pixel is the mean coverage of a square of grid × grid pixels of the shape.
func shrink(shape *image.Alpha, grid int) *image.Alpha {
	out := image.NewAlpha(coarseRect(shape.Rect, grid))
	sums := make([]int, out.Rect.Dx())
	for cell := out.Rect.Min.Y; cell < out.Rect.Max.Y; cell++ {
		clear(sums)
		for y := max(cell*grid, shape.Rect.Min.Y); y < min((cell+1)*grid, shape.Rect.Max.Y); y++ {
			at, left := shape.Rect.Min.X-out.Rect.Min.X*grid, 0
			i := at / grid
			left = grid - at%grid
			for _, a := range shape.Pix[shape.PixOffset(shape.Rect.Min.X, y):][:shape.Rect.Dx()] {
				sums[i] += int(a)
				if left--; left == 0 {
					i, left = i+1, grid
				}
			}
		}
		row := out.Pix[out.PixOffset(out.Rect.Min.X, cell):]
		for i, sum := range sums {
			row[i] = uint8((sum + grid*grid/2) / (grid * grid))
		}
	}
	return out
}

func blurRows(values []uint16, width int, radius float64) {
	buffer := make([]uint16, width)
	sizes := boxSizes(radius)
	for start := 0; start < len(values); start += width {
		row := values[start : start+width]
		if allZero(row) {
			continue
		}
		for _, size := range sizes {
			boxFilter(buffer, row, size)
			copy(row, buffer)
		}
	}
}

func allZero(row []uint16) bool {
	for _, v := range row {
		if v != 0 {
			return false
		}
	}
	return true
}

// boxFilter sets each value of a row to the mean of the values around it. The number of these values is size; values outside of
// the row are 0.
func boxFilter(to, from []uint16, size int) {
	half := size / 2
	sum := uint64(0)
	share := uint64(1<<32) / uint64(size) // multiplying by the reciprocal is much faster than dividing
	for i := 0; i < min(half, len(from)); i++ {
		sum += uint64(from[i])
	}
	for i := range from {
		if i+half < len(from) {
			sum += uint64(from[i+half])
		}
		to[i] = uint16((sum*share + 1<<31) >> 32)
		if i-half >= 0 {
			sum -= uint64(from[i-half])
		}
	}
}

func transpose(to, from []uint16, w, h int) {
	const block = 32 // block size that fits into the processor's cache in both directions
	for y0 := 0; y0 < h; y0 += block {
		for x0 := 0; x0 < w; x0 += block {
			for y := y0; y < min(y0+block, h); y++ {
				for x := x0; x < min(x0+block, w); x++ {
					to[x*h+y] = from[y*w+x]
				}
			}
		}
	}
}

// enlarge interpolates the coverage of a grid to full resolution.
func enlarge(coarse *image.Alpha, grid int, area image.Rectangle) *image.Alpha {
	out := image.NewAlpha(area)
	w := coarse.Rect.Dx()
	row := make([]int, w)
	// place converts a pixel coordinate v to the grid: the centre of pixel v is (v + ½) / grid - ½ cells from the centre of
	// cell 0. cell is this number rounded down; part is the rest, in units of 1 / (2·grid) of a cell.
	place := func(v int) (cell, part int) {
		steps := 2*v + 1 - grid
		cell = steps / (2 * grid)
		if steps < cell*2*grid {
			cell--
		}
		return cell, steps - cell*2*grid
	}
	full := 2 * grid
	for y := area.Min.Y; y < area.Max.Y; y++ {
		cell, part := place(y)
		above := coarse.Pix[coarse.PixOffset(coarse.Rect.Min.X, cell):][:w]
		below := coarse.Pix[coarse.PixOffset(coarse.Rect.Min.X, cell+1):][:w]
		for i := range row {
			row[i] = int(above[i])*(full-part) + int(below[i])*part
		}
		to := out.Pix[out.PixOffset(area.Min.X, y):][:area.Dx()]
		cell, part = place(area.Min.X)
		cell -= coarse.Rect.Min.X
		for x := range to {
			to[x] = uint8((row[cell]*(full-part) + row[cell+1]*part + full*full/2) / (full * full))
			if part += 2; part >= full {
				part -= full
				cell++
			}
		}
	}
	return out
}
