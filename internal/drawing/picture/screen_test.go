package picture_test

import (
	"image"
	"image/color"
	"testing"

	"moviola/internal/drawing/picture"
)

// A colour that is put into a frame is seen on the screen again, at every size.
func TestFrame_Image(t *testing.T) {
	t.Parallel()
	for _, c := range []color.NRGBA{{0, 0, 0, 255}, {255, 255, 255, 255}, {200, 30, 30, 255}, {0, 255, 0, 255}, {10, 20, 250, 255}, {67, 146, 241, 255}} {
		f := picture.NewFrame(32, 16, c.R, c.G, c.B)
		for _, size := range []image.Point{{32, 16}, {20, 10}, {64, 32}, {2, 2}} {
			img := f.Scaled(size.X, size.Y).Image()
			if img.Rect != image.Rect(0, 0, size.X, size.Y) || !img.Opaque() {
				t.Fatalf("a picture of %v for a size of %v", img.Rect, size)
			}
			for _, at := range []image.Point{{}, {size.X - 1, size.Y - 1}, {size.X / 2, size.Y / 2}} {
				if got := img.NRGBAAt(at.X, at.Y); !closeTo(got, c, 3) {
					t.Errorf("%v at %v of %v is seen as %v", c, at, size, got)
				}
			}
		}
	}
}

// Halves keep their places, and the frame itself stays as it is.
func TestFrame_Scaled(t *testing.T) {
	t.Parallel()
	f := picture.NewFrame(64, 64, 0, 0, 255)
	half := image.NewNRGBA(image.Rect(0, 0, 32, 64))
	for i := range half.Pix {
		half.Pix[i] = 255
	}
	f.Draw(picture.FromNRGBA(half, image.Point{}, 64, 64))
	before := string(f.Pix)
	img := f.Scaled(48, 24).Image()
	left, right := img.NRGBAAt(4, 12), img.NRGBAAt(43, 12)
	if !closeTo(left, color.NRGBA{255, 255, 255, 255}, 3) || !closeTo(right, color.NRGBA{0, 0, 255, 255}, 3) {
		t.Errorf("the left is %v, the right %v", left, right)
	}
	if string(f.Pix) != before {
		t.Error("the frame was changed")
	}
}

func closeTo(a, b color.NRGBA, most int) bool {
	off := func(a, b uint8) bool { return int(a)-int(b) > most || int(b)-int(a) > most }
	return !off(a.R, b.R) && !off(a.G, b.G) && !off(a.B, b.B) && a.A == b.A
}
