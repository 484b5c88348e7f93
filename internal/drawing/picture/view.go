package picture

import (
	"encoding/binary"
	"image"
	"math"

	"moviola/internal/drawing/rows"
)

// View is a rectangle in a picture, in fractions of the picture's width and height, from its top left corner. It may extend
// beyond the picture; the outside is transparent.
type View struct{ X, Y, W, H float64 }

// Viewer shows parts of a picture in a box of the canvas. The positions of the parts are exact to a fraction of a pixel, so
// that slow movements are smooth. A Viewer is used by one goroutine at a time.
type Viewer struct {
	plate   *Plate
	size    image.Point // size of the picture; plate, which holds it, may be one pixel wider and higher
	box     image.Rectangle
	rows    map[int][]byte // horizontally scaled rows of the current plane
	spare   [][]byte
	columns taps
	lines   taps
}

// NewViewer returns a Viewer for a box. The plate p holds the picture in its top left corner. size is the size of the
// picture; p may be larger, because its sides are even.
func NewViewer(p *Plate, size image.Point, box image.Rectangle) *Viewer {
	return &Viewer{plate: p, size: size, box: box, rows: map[int][]byte{}}
}

// Draw fills the layer l with the part v of the picture. The caller has set the position, size and Pix of l.
func (s *Viewer) Draw(v View, l *Layer) {
	luma, cb, cr, alpha := l.planes()
	if s.plate.Alpha == nil {
		fill(alpha, 255)
	}
	s.computeTaps(v, l, 1)
	s.plane(luma, s.plate.Luma, s.plate.W)
	if s.plate.Alpha != nil {
		s.plane(alpha, s.plate.Alpha, s.plate.W)
	}
	s.computeTaps(v, l, 2)
	s.plane(cb, s.plate.Cb, s.plate.W/2)
	s.plane(cr, s.plate.Cr, s.plate.W/2)
	s.cut(v, l, alpha)
}

// computeTaps computes which samples of the plate, with which weights, make each sample of a plane of the layer. part is 1
// for planes with the full width and height of plate and layer, and 2 for those with half of them.
func (s *Viewer) computeTaps(v View, l *Layer, part int) {
	size := float64(part)
	s.columns.compute(v.X, v.W, float64(s.size.X)/size, s.plate.W/part, s.box.Min.X, s.box.Dx(), l.X, l.W, part)
	s.lines.compute(v.Y, v.H, float64(s.size.Y)/size, s.plate.H/part, s.box.Min.Y, s.box.Dy(), l.Y, l.H, part)
}

// sharpest is the largest reduction, in pixels of the plate per pixel of the layer, for which interpolation between two pixels is
// used: details reduced so little do not flicker yet, and a wider filter would cost more and look softer.
const sharpest = 1.25

// taps holds, for each pixel of the result along one axis, the pixels of a plane from which it is computed: as many as the field
// n says, from the index in the field first on. Their weights have the sum 256.
type taps struct {
	n       int
	first   []int32
	weights []uint32
	pairs   rows.Pairs // first and weights in the form of package rows; empty unless n is 2
}

func (t *taps) compute(start, size, picture float64, plane, boxStart, boxSize, from, count, part int) {
	count /= part
	scale := size * picture * float64(part) / float64(boxSize) // pixels of the plane per pixel of the result
	radius := 1.0
	if scale > sharpest {
		radius = scale
	}
	t.n = min(int(math.Ceil(2*radius)), plane)
	t.first, t.weights = t.first[:0], t.weights[:0]
	for i := range count {
		middle := float64(from) + (float64(i)+0.5)*float64(part) - float64(boxStart)
		at := (start+size*middle/float64(boxSize))*picture - 0.5
		first := int(math.Ceil(at - radius))
		t.add(at, radius, first, plane)
	}
	t.pairs.Reset()
	if t.n == 2 {
		for i, first := range t.first {
			t.pairs.Add(first, t.weights[2*i+1])
		}
		t.pairs.Ready(plane)
	}
}

// add appends the weights of the pixels of a plane from which one pixel of the result is computed. They are those of a
// triangle filter with the given radius around the position at. first is the index of the first pixel inside of the radius.
// plane is the number of pixels of the plane along the axis. Beyond the ends of the plane, its edge pixels are repeated.
func (t *taps) add(at, radius float64, first, plane int) {
	base := min(max(first, 0), plane-t.n)
	start := len(t.weights)
	for range t.n {
		t.weights = append(t.weights, 0)
	}
	weights := t.weights[start:]
	var total float64
	for k := first; float64(k) < at+radius; k++ {
		total += 1 - math.Abs(float64(k)-at)/radius
	}
	var sum, most uint32
	heaviest := 0
	for k := first; float64(k) < at+radius; k++ {
		i := min(max(k-base, 0), t.n-1)
		w := uint32(math.Round(256 * (1 - math.Abs(float64(k)-at)/radius) / total))
		weights[i] += w
		sum += w
		if weights[i] > most {
			heaviest, most = i, weights[i]
		}
	}
	weights[heaviest] += 256 - sum // the heaviest weight takes the rounding error: the sum becomes 256
	t.first = append(t.first, int32(base))
}

// plane scales src, a plane of the plate whose rows have stride bytes, to dst.
func (s *Viewer) plane(dst, src []byte, stride int) {
	w := len(s.columns.first)
	for y, row := range s.rows {
		s.spare = append(s.spare, row)
		delete(s.rows, y)
	}
	n := s.lines.n
	lines := make([][]byte, n)
	for y, first := range s.lines.first {
		for k := range lines {
			lines[k] = s.row(src, stride, int(first)+k)
		}
		mix(dst[y*w:(y+1)*w], lines, s.lines.weights[y*n:(y+1)*n])
		for y, row := range s.rows { // rows above first are not used again
			if y < int(first) {
				s.spare = append(s.spare, row)
				delete(s.rows, y)
			}
		}
	}
}

// row returns the row y of the plane src, scaled horizontally.
func (s *Viewer) row(src []byte, stride, y int) []byte {
	if row, ok := s.rows[y]; ok {
		return row
	}
	w := len(s.columns.first)
	var row []byte
	if last := len(s.spare) - 1; last >= 0 && cap(s.spare[last]) >= w {
		row, s.spare = s.spare[last][:w], s.spare[:last]
	} else {
		row = make([]byte, w)
	}
	s.columns.apply(row, src[y*stride:(y+1)*stride])
	s.rows[y] = row
	return row
}

func (t *taps) apply(dst, src []byte) {
	switch t.n {
	case 2:
		t.pairs.Between(dst, src)
	case 3:
		weights := t.weights[:3*len(dst)]
		for i, first := range t.first[:len(dst)] {
			p, w := src[first:first+3:first+3], weights[3*i:3*i+3:3*i+3]
			dst[i] = byte((uint32(p[0])*w[0] + uint32(p[1])*w[1] + uint32(p[2])*w[2] + 128) >> 8)
		}
	default:
		for i, first := range t.first[:len(dst)] {
			sum := uint32(128)
			for k, w := range t.weights[i*t.n : (i+1)*t.n] {
				sum += uint32(src[int(first)+k]) * w
			}
			dst[i] = byte(sum >> 8)
		}
	}
}

// lanes selects every other one of eight bytes. halves adds one half to each of the four results, for rounding.
const (
	lanes  = 0x00ff00ff00ff00ff
	halves = 0x0080008000800080
)

// mix sets dst to the mean of the rows in lines by their weights, whose sum is 256. It computes eight pixels at a time: no lane
// can overflow.
func mix(dst []byte, lines [][]byte, weights []uint32) {
	if len(lines) == 2 {
		rows.Mix(dst, lines[0], lines[1], weights[1])
		return
	}
	n := len(dst)
	i := 0
	for ; i+8 <= n; i += 8 {
		even, odd := uint64(halves), uint64(halves)
		for k, row := range lines {
			x, w := binary.LittleEndian.Uint64(row[i:]), uint64(weights[k])
			even += (x & lanes) * w
			odd += (x >> 8 & lanes) * w
		}
		binary.LittleEndian.PutUint64(dst[i:], even>>8&lanes|odd&(lanes<<8))
	}
	for ; i < n; i++ {
		sum := uint32(128)
		for k, row := range lines {
			sum += uint32(row[i]) * weights[k]
		}
		dst[i] = byte(sum >> 8)
	}
}

// cut makes the parts of the layer outside of the picture or the box transparent, with antialiased edges.
func (s *Viewer) cut(v View, l *Layer, alpha []byte) {
	across := coverage(v.X, v.W, s.box.Min.X, s.box.Dx(), l.X, l.W)
	down := coverage(v.Y, v.H, s.box.Min.Y, s.box.Dy(), l.Y, l.H)
	if across == nil && down == nil {
		return
	}
	for y := range l.H {
		row := alpha[y*l.W : (y+1)*l.W]
		c := 1.0
		if down != nil {
			c = down[y]
		}
		if c == 1 && across == nil {
			continue
		}
		for x, a := range row {
			share := c
			if across != nil {
				share *= across[x]
			}
			row[x] = byte(float64(a)*share + 0.5)
		}
	}
}

// coverage returns how much of each pixel the picture covers, 0 to 1, for count pixels of the canvas along one axis. The
// parameter from is the position of the first of these pixels. The result is nil if the picture covers all of them. The box
// has boxSize pixels from boxStart on. It shows the part of the picture that begins at start and has the given size, both
// as fractions of the side of the picture.
func coverage(start, size float64, boxStart, boxSize, from, count int) []float64 {
	first := math.Max(float64(boxStart), float64(boxStart)-start/size*float64(boxSize))
	last := math.Min(float64(boxStart+boxSize), float64(boxStart)+(1-start)/size*float64(boxSize))
	if first <= float64(from)+1e-6 && last >= float64(from+count)-1e-6 {
		return nil
	}
	all := make([]float64, count)
	for i := range all {
		at := float64(from + i)
		all[i] = math.Max(0, math.Min(at+1, last)-math.Max(at, first))
	}
	return all
}
