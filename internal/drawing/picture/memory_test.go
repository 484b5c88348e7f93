package picture_test

import (
	"bytes"
	"image"
	"math/rand/v2"
	"testing"

	"moviola/internal/drawing/picture"
)

// TestFrame_Draw_each holds rows against the formula for one sample: opaque, transparent and mixed stretches of each length.
func TestFrame_Draw_each(t *testing.T) {
	t.Parallel()
	const w, h = 40, 4
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		l := &picture.Layer{X: 2 * r.IntN(3), Y: 0, W: 2 + 2*r.IntN(16), H: h}
		n := l.W * l.H
		l.Pix = make([]byte, n*5/2)
		for i := range l.Pix {
			l.Pix[i] = byte(r.Uint32())
		}
		alpha := l.Pix[n+n/2:]
		for i := 0; i < n; {
			value := []byte{0, 255, byte(r.Uint32())}[r.IntN(3)]
			for range 1 + r.IntN(24) {
				if i < n {
					alpha[i] = value
					i++
				}
			}
		}
		f := picture.NewFrame(w, h, 10, 200, 90)
		before := bytes.Clone(f.Pix)
		f.Draw(l)
		blended := func(under, over byte, a int) byte { return byte((int(under)*(255-a) + int(over)*a + 127) / 255) }
		want := bytes.Clone(before)
		for y := range h {
			for x := range l.W {
				want[y*w+l.X+x] = blended(before[y*w+l.X+x], l.Pix[y*l.W+x], int(alpha[y*l.W+x]))
			}
		}
		for y := range h / 2 {
			for x := range l.W / 2 {
				a := alpha[2*y*l.W+2*x:]
				mean := (int(a[0]) + int(a[1]) + int(a[l.W]) + int(a[l.W+1]) + 2) / 4
				for plane := range 2 {
					to := w*h + plane*w*h/4 + y*w/2 + l.X/2 + x
					want[to] = blended(before[to], l.Pix[n+plane*n/4+y*l.W/2+x], mean)
				}
			}
		}
		if !bytes.Equal(f.Pix, want) {
			t.Fatalf("a layer of %d pixels at %d is drawn otherwise", l.W, l.X)
		}
	}
}

// TestMemory: pictures drawn into released memory look like those drawn into new memory.
func TestMemory(t *testing.T) {
	t.Parallel()
	noise := image.NewNRGBA(image.Rect(0, 0, 30, 20))
	r := rand.New(rand.NewPCG(3, 4))
	for i := range noise.Pix {
		noise.Pix[i] = byte(r.Uint32())
	}
	path := savePNG(t, noise)
	var m picture.Memory
	for orientation := 1; orientation <= 8; orientation++ {
		for _, box := range []image.Rectangle{image.Rect(0, 0, 30, 20), image.Rect(-4, 2, 16, 32), image.Rect(0, 0, 44, 44)} {
			s := picture.Still{Path: path, Format: "png", Orientation: orientation, Box: box}
			want, err := s.Pixels(image.Rect(0, 0, 40, 40))
			if err != nil {
				t.Fatal(err)
			}
			s.Memory = &m
			for range 3 { // the second and third time in memory of the first
				got, err := s.Pixels(image.Rect(0, 0, 40, 40))
				if err != nil {
					t.Fatal(err)
				}
				if got.Rect != want.Rect || !bytes.Equal(got.Pix, want.Pix) {
					t.Fatalf("orientation %d in %v looks different in used memory", orientation, box)
				}
				for i := range got.Pix {
					got.Pix[i] = 0xa5
				}
				m.Release(got)
			}
		}
	}
	f := m.NewFrame(40, 20, 1, 2, 3)
	m.ReleaseFrame(f)
	if again := m.NewFrame(40, 20, 250, 2, 3); !bytes.Equal(again.Pix, picture.NewFrame(40, 20, 250, 2, 3).Pix) {
		t.Error("a frame looks different in used memory")
	}
}
