package component

import (
	"image"
	"image/color"
	"math"
	"testing"

	"moviola/internal/drawing/canvas"
)

// face draws a head of a radius: skin, hair, brows, eyes, a nose and a mouth, soft as in a photograph.
func face(img *image.RGBA, cx, cy, r float64) {
	blob := func(x, y, rx, ry, dark float64) float64 {
		return dark * math.Exp(-(x*x/(rx*rx)+y*y/(ry*ry))*1.2)
	}
	for py := range img.Rect.Dy() {
		for px := range img.Rect.Dx() {
			x, y := (float64(px)-cx)/r, (float64(py)-cy)/r
			if x*x/0.68+y*y > 1 {
				continue
			}
			v := 205 - 30*math.Abs(x)
			for _, side := range []float64{-1, 1} {
				v -= blob(x-side*0.36, y+0.18, 0.2, 0.1, 130) + blob(x-side*0.36, y+0.36, 0.26, 0.07, 90) // eye, brow
				v -= blob(x-side*0.12, y-0.26, 0.08, 0.06, 70)                                            // nostril
			}
			v -= blob(x, y-0.54, 0.32, 0.08, 110) // mouth
			if y < -0.62 {
				v = 50
			}
			g := uint8(max(v, 0))
			img.SetRGBA(px, py, color.RGBA{g, uint8(float64(g) * 0.82), uint8(float64(g) * 0.72), 255})
		}
	}
}

// A face that is found stays in the frame as a whole, wherever it is in the picture and whatever else is to be seen there.
func TestInterest_FaceStays(t *testing.T) {
	t.Parallel()
	const w, h, r = 640, 360, 50
	for _, at := range []image.Point{{70, 90}, {570, 90}, {90, 280}, {320, 180}, {560, 280}} {
		img := image.NewRGBA(image.Rect(0, 0, w, h))
		for y := range h {
			for x := range w {
				v := uint8(120)
				if math.Hypot(float64(x-at.X), float64(y-at.Y)) > 2.2*r && (x/8+y/8)%2 == 0 { // much detail, but for the surroundings of the face
					v = 150
				}
				img.SetRGBA(x, y, color.RGBA{v, v, v, 255})
			}
		}
		face(img, float64(at.X), float64(at.Y), r)
		focus := interest(img)
		for _, box := range []frame{{0, 0, 200, 360}, {0, 0, 300, 300}, {0, 0, 640, 140}, {0, 0, 120, 200}} {
			m := cropped(image.Pt(w, h), box, focus.middle(box))
			for _, corner := range []canvas.Point{
				{X: float64(at.X) - 0.7*r, Y: float64(at.Y) - 0.7*r}, {X: float64(at.X) + 0.7*r, Y: float64(at.Y) + 0.7*r},
			} {
				if p := m.Apply(corner); p.X < 0 || p.Y < 0 || p.X > box.w || p.Y > box.h {
					t.Errorf("the face at %v is cut by a frame of %v × %v: a corner is at %.0f,%.0f", at, box.w, box.h, p.X, p.Y)
				}
			}
		}
	}
}
