package component

import (
	"image"
	"math"
	"sync"

	pigo "github.com/esimov/pigo/core"

	"moviola/internal/drawing/canvas"
	"moviola/internal/drawing/picture"
	cascade "moviola/third_party/pigo"
)

// attention is a map of how interesting the places of a picture are, on a coarse grid.
type attention struct {
	w, h int
	sums []float64 // summed-area table of the grid: (w+1)·(h+1)
	size image.Point
}

const (
	attentionSide = 320 // length in pixels of the longer side of the picture that is searched
	faceWeight    = 40  // weight of a face relative to the strongest edge
	surest        = 6   // required confidence of the face detector
)

// interest returns the attention for a picture: its faces count most, edges and unusual colours count everywhere.
func interest(source image.Image) *attention {
	size := source.Bounds().Size()
	factor := min(float64(attentionSide)/float64(max(size.X, size.Y, 1)), 1)
	small := image.Rect(0, 0, max(int(float64(size.X)*factor), 1), max(int(float64(size.Y)*factor), 1))
	img := picture.Scale(source, small, small)
	w, h := small.Dx(), small.Dy()
	gray := make([]uint8, w*h)
	for i := range gray {
		p := img.Pix[4*i:]
		gray[i] = uint8((299*int(p[0]) + 587*int(p[1]) + 114*int(p[2])) / 1000)
	}
	weight := make([]float64, w*h)
	if faces := findFaces(gray, w, h); len(faces) > 0 {
		for _, f := range faces {
			for y := max(f.Min.Y, 0); y < min(f.Max.Y, h); y++ {
				for x := max(f.Min.X, 0); x < min(f.Max.X, w); x++ {
					weight[y*w+x] += faceWeight
				}
			}
		}
	}
	addDetails(weight, gray, img, w, h)
	return newAttention(weight, w, h, size)
}

// addDetails adds the weight of edges, and of colours that differ from the picture's mean.
func addDetails(weight []float64, gray []uint8, img *image.RGBA, w, h int) {
	var mean [3]float64
	for i := range gray {
		for c := range mean {
			mean[c] += float64(img.Pix[4*i+c]) / float64(len(gray))
		}
	}
	for y := 1; y < h-1; y++ {
		for x := 1; x < w-1; x++ {
			i := y*w + x
			edge := math.Abs(4*float64(gray[i]) - float64(gray[i-1]) - float64(gray[i+1]) - float64(gray[i-w]) - float64(gray[i+w]))
			odd := 0.0
			for c := range mean {
				odd += math.Abs(float64(img.Pix[4*i+c]) - mean[c])
			}
			weight[i] += edge/1020 + 0.5*odd/765
		}
	}
}

func newAttention(weight []float64, w, h int, size image.Point) *attention {
	a := &attention{w: w, h: h, size: size, sums: make([]float64, (w+1)*(h+1))}
	for y := range h {
		row := 0.0
		for x := range w {
			row += weight[y*w+x]
			a.sums[(y+1)*(w+1)+x+1] = a.sums[y*(w+1)+x+1] + row
		}
	}
	return a
}

func (a *attention) sum(x0, y0, x1, y1 int) float64 {
	n := a.w + 1
	return a.sums[y1*n+x1] - a.sums[y0*n+x1] - a.sums[y1*n+x0] + a.sums[y0*n+x0]
}

// middle returns the centre, in fractions of the picture's sides, of the most interesting part that fills a box. Of equally
// interesting parts it takes the one nearest to the picture's centre.
func (a *attention) middle(b frame) canvas.Point {
	if b.w <= 0 || b.h <= 0 {
		return canvas.Point{X: 0.5, Y: 0.5}
	}
	f := cover(a.size, b)
	part := image.Pt(
		min(max(int(math.Round(b.w/f/float64(a.size.X)*float64(a.w))), 1), a.w),
		min(max(int(math.Round(b.h/f/float64(a.size.Y)*float64(a.h))), 1), a.h))
	best, at := -1.0, image.Point{}
	far := func(p image.Point) float64 {
		return math.Hypot(float64(2*p.X+part.X-a.w), float64(2*p.Y+part.Y-a.h))
	}
	for y := 0; y+part.Y <= a.h; y++ {
		for x := 0; x+part.X <= a.w; x++ {
			// seen tells how interesting the part of the picture at x, y is. The middle of the part counts twice: a part
			// with a face in its middle is better than one with the face at its edge.
			seen := a.sum(x, y, x+part.X, y+part.Y) + a.sum(x+part.X/4, y+part.Y/4, x+part.X-part.X/4, y+part.Y-part.Y/4)
			p := image.Pt(x, y)
			// Photographs mostly have their subject near the centre, so parts far from it count less.
			seen *= 1 - 0.15*far(p)/math.Hypot(float64(a.w), float64(a.h))
			if seen > best*(1+1e-9) || seen >= best*(1-1e-9) && far(p) < far(at) {
				best, at = seen, p
			}
		}
	}
	return canvas.Point{
		X: (float64(at.X) + float64(part.X)/2) / float64(a.w), Y: (float64(at.Y) + float64(part.Y)/2) / float64(a.h),
	}
}

var finder = sync.OnceValues(func() (*pigo.Pigo, error) { return pigo.NewPigo().Unpack(cascade.FaceFinder) })

// findFaces returns the rectangles of frontal faces.
func findFaces(gray []uint8, w, h int) []image.Rectangle {
	f, err := finder()
	if err != nil || w < 24 || h < 24 {
		return nil
	}
	found := f.RunCascade(pigo.CascadeParams{
		MinSize: max(min(w, h)/12, 20), MaxSize: min(w, h), ShiftFactor: 0.1, ScaleFactor: 1.1,
		ImageParams: pigo.ImageParams{Pixels: gray, Rows: h, Cols: w, Dim: w},
	}, 0)
	var faces []image.Rectangle
	for _, d := range f.ClusterDetections(found, 0.2) {
		if d.Q >= surest {
			faces = append(faces, image.Rect(d.Col-d.Scale/2, d.Row-d.Scale/2, d.Col+d.Scale/2, d.Row+d.Scale/2))
		}
	}
	return faces
}
