package picture_test

import (
	"image"
	"image/color"
	"math"
	"testing"

	"moviola/internal/drawing/picture"
)

// dotted is an opaque plate with a soft white dot at its middle.
func dotted(w, h int) *picture.Plate {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			d := math.Hypot(float64(x)+0.5-float64(w)*0.3, float64(y)+0.5-float64(h)*0.3)
			v := uint8(255 * math.Exp(-d*d/72))
			img.SetRGBA(x, y, color.RGBA{v, v, v, 255})
		}
	}
	return picture.NewPlate(picture.FromRGBA(img, w, h))
}

// middle is the centre of what is brighter than black.
func middle(l *picture.Layer) (x, y float64) {
	var sum float64
	for i, v := range l.Pix[:l.W*l.H] {
		weight := math.Max(0, float64(v)-20)
		x += weight * (float64(i%l.W) + 0.5)
		y += weight * (float64(i/l.W) + 0.5)
		sum += weight
	}
	return x / sum, y / sum
}

// TestViewer_Draw_isSmooth follows a dot through slow zooms and pans: its way must bend by no more than a twentieth of a pixel (RMS of
// the second difference), and end where it should.
func TestViewer_Draw_isSmooth(t *testing.T) {
	t.Parallel()
	const w, h, frames = 640, 360, 120
	tests := map[string]struct {
		from, to picture.View
		sheet    int // size of the plate in per cent of the box
	}{
		"zoom in":            {picture.View{W: 1, H: 1}, picture.View{X: 0.065, Y: 0.065, W: 0.87, H: 0.87}, 115},
		"zoom out, no sheet": {picture.View{X: 0.05, Y: 0.05, W: 0.9, H: 0.9}, picture.View{W: 1, H: 1}, 100},
		"slow pan":           {picture.View{W: 0.9, H: 0.9}, picture.View{X: 0.05, Y: 0.02, W: 0.9, H: 0.9}, 112},
		"large sheet":        {picture.View{W: 1, H: 1}, picture.View{X: 0.2, Y: 0.1, W: 0.5, H: 0.5}, 200},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plate := dotted(w*tt.sheet/100&^1, h*tt.sheet/100&^1)
			viewer := picture.NewViewer(plate, image.Pt(plate.W, plate.H), image.Rect(0, 0, w, h))
			var xs, ys []float64
			for k := range frames {
				share := float64(k) / (frames - 1)
				mix := func(a, b float64) float64 { return a + (b-a)*share }
				v := picture.View{X: mix(tt.from.X, tt.to.X), Y: mix(tt.from.Y, tt.to.Y), W: mix(tt.from.W, tt.to.W), H: mix(tt.from.H, tt.to.H)}
				l := &picture.Layer{W: w, H: h, Pix: make([]byte, w*h*5/2)}
				viewer.Draw(v, l)
				x, y := middle(l)
				wantX, wantY := (0.3-v.X)/v.W*w, (0.3-v.Y)/v.H*h
				if math.Abs(x-wantX) > 0.15 || math.Abs(y-wantY) > 0.15 {
					t.Fatalf("frame %d shows the dot at %.2f,%.2f, want %.2f,%.2f", k, x, y, wantX, wantY)
				}
				xs, ys = append(xs, x-wantX), append(ys, y-wantY)
			}
			if jx, jy := jitter(xs), jitter(ys); jx > 0.05 || jy > 0.05 {
				t.Errorf("the dot trembles by %.3f and %.3f pixels", jx, jy)
			}
		})
	}
}

// jitter is the root of the mean square of the second differences of a way, less the way it should take.
func jitter(off []float64) float64 {
	var sum float64
	for i := 1; i+1 < len(off); i++ {
		d := off[i-1] - 2*off[i] + off[i+1]
		sum += d * d
	}
	return math.Sqrt(sum / float64(len(off)-2))
}

func TestViewer_Draw_outsideIsClear(t *testing.T) {
	t.Parallel()
	plate := dotted(100, 100)
	l := &picture.Layer{W: 100, H: 100, Pix: make([]byte, 100*100*5/2)}
	picture.NewViewer(plate, image.Pt(100, 100), image.Rect(0, 0, 100, 100)).Draw(picture.View{X: -0.255, W: 1, H: 1}, l)
	alpha := l.Pix[100*100*3/2:]
	for x, want := range map[int]byte{10: 0, 24: 0, 25: 128, 26: 255, 99: 255} {
		if got := alpha[50*100+x]; got < want-min(want, 2) || int(got) > int(want)+2 {
			t.Errorf("alpha at %d is %d, want %d", x, got, want)
		}
	}
}

// Colours next to clear pixels must not darken: the plate's hidden colours are like their neighbours'.
func TestViewer_Draw_edgesKeepTheirColour(t *testing.T) {
	t.Parallel()
	img := image.NewRGBA(image.Rect(0, 0, 64, 64))
	for y := 16; y < 48; y++ {
		for x := 16; x < 48; x++ {
			img.SetRGBA(x, y, color.RGBA{255, 255, 255, 255})
		}
	}
	plate := picture.NewPlate(picture.FromRGBA(img, 64, 64))
	if plate.Opaque() {
		t.Fatal("the plate is opaque")
	}
	l := &picture.Layer{W: 64, H: 64, Pix: make([]byte, 64*64*5/2)}
	picture.NewViewer(plate, image.Pt(64, 64), image.Rect(0, 0, 64, 64)).Draw(picture.View{X: 0.107, Y: 0.107, W: 0.77, H: 0.77}, l)
	for i, a := range l.Pix[64*64*3/2:] {
		if a > 0 && l.Pix[i] < 230 {
			t.Fatalf("pixel %d,%d has alpha %d and luma %d", i%64, i/64, a, l.Pix[i])
		}
	}
}

func TestTurn_Draw(t *testing.T) {
	t.Parallel()
	img := image.NewRGBA(image.Rect(0, 0, 40, 20)) // red left, blue right
	for y := range 20 {
		for x := range 40 {
			c := color.RGBA{255, 0, 0, 255}
			if x >= 20 {
				c = color.RGBA{0, 0, 255, 255}
			}
			img.SetRGBA(x, y, c)
		}
	}
	turn := picture.Rotation{Plate: picture.NewPlate(picture.FromRGBA(img, 40, 20)), Box: image.Rect(40, 40, 80, 60)}
	bounds := picture.TurnBounds(turn.Box, 120, 100)
	at := func(degrees float64, x, y int) (luma, alpha byte) {
		l := &picture.Layer{X: bounds.Min.X, Y: bounds.Min.Y, W: bounds.Dx(), H: bounds.Dy(), Pix: make([]byte, bounds.Dx()*bounds.Dy()*5/2)}
		turn.Draw(degrees, l)
		i := (y-l.Y)*l.W + x - l.X
		return l.Pix[i], l.Pix[l.W*l.H*3/2+i]
	}
	const red, blue = 63, 32
	for _, tt := range []struct {
		degrees float64
		x, y    int
		luma    byte
		shown   bool
	}{
		{0, 50, 50, red, true}, {0, 70, 50, blue, true}, {0, 60, 65, 0, false},
		{90, 60, 40, red, true}, {90, 60, 60, blue, true}, {90, 75, 50, 0, false}, // clockwise: the left goes up
		{180, 70, 50, red, true}, {-90, 60, 60, red, true}, {45, 53, 43, red, true},
	} {
		luma, alpha := at(tt.degrees, tt.x, tt.y)
		if tt.shown != (alpha == 255) || tt.shown && (luma < tt.luma-3 || luma > tt.luma+3) {
			t.Errorf("at %g°, %d,%d is luma %d, alpha %d", tt.degrees, tt.x, tt.y, luma, alpha)
		}
	}
}

func BenchmarkViewer_Draw(b *testing.B) {
	const w, h = 1920, 1080
	plate := dotted(2208, 1242)
	viewer := picture.NewViewer(plate, image.Pt(plate.W, plate.H), image.Rect(0, 0, w, h))
	l := &picture.Layer{W: w, H: h, Pix: make([]byte, w*h*5/2)}
	i := 0
	for b.Loop() {
		s := 0.13 * float64(i%120) / 119
		viewer.Draw(picture.View{X: s / 2, Y: s / 2, W: 1 - s, H: 1 - s}, l)
		i++
	}
}
