package picture

import (
	"image"
	"slices"
	"sync"
)

// Memory keeps the memory of the pictures that were released last, for pictures of the same size that are drawn later:
// memory that comes anew from the system may cost about as much time as drawing into it. The zero value is ready for use;
// so is nil, which keeps nothing. Memory is safe for concurrent use.
type Memory struct {
	mu    sync.Mutex
	spare [][]byte
}

// mostSpare is the largest number of bytes that are kept of released pictures: four of 1080p.
const mostSpare = 34 << 20

// take returns n bytes of any content: the caller overwrites all of them.
func (m *Memory) take(n int) []byte {
	if m == nil {
		return make([]byte, n)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.IndexFunc(m.spare, func(b []byte) bool { return len(b) == n })
	if i < 0 {
		return make([]byte, n)
	}
	b := m.spare[i]
	m.spare = slices.Delete(m.spare, i, i+1)
	return b
}

func (m *Memory) give(b []byte) {
	if m == nil || len(b) == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.spare = append(m.spare, b)
	sum := 0
	for _, kept := range m.spare {
		sum += len(kept)
	}
	for sum > mostSpare { // the oldest has a size that was not asked for lately
		sum -= len(m.spare[0])
		m.spare = slices.Delete(m.spare, 0, 1)
	}
}

// undrawn returns a picture of any content: the caller draws every pixel.
func (m *Memory) undrawn(r image.Rectangle) *image.RGBA {
	return &image.RGBA{Pix: m.take(4 * r.Dx() * r.Dy()), Stride: 4 * r.Dx(), Rect: r}
}

// Release takes the memory of a picture that nobody uses any more.
func (m *Memory) Release(img *image.RGBA) {
	m.give(img.Pix)
	img.Pix = nil
}

// ReleaseFrame takes the memory of a frame that nobody uses any more.
func (m *Memory) ReleaseFrame(f *Frame) {
	m.give(f.Pix)
	f.Pix = nil
}
