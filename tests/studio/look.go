package studio

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"math"
	"strings"
	"testing"
)

// Frames decodes frames of a rendered movie, by number and in order, as a player shows them.
func Frames(t testing.TB, path string, w, h int, numbers ...int) []*image.NRGBA {
	t.Helper()
	picks := make([]string, len(numbers))
	for i, n := range numbers {
		picks[i] = fmt.Sprintf("eq(n\\,%d)", n)
	}
	raw := Run(t, "-i", path, "-vf", "select="+strings.Join(picks, "+")+
		",scale=in_color_matrix=bt709:in_range=tv:out_range=pc:flags=accurate_rnd+full_chroma_int,format=rgba",
		"-fps_mode", "passthrough", "-f", "rawvideo", "-")
	if len(raw) != len(numbers)*w*h*4 {
		t.Fatalf("%s: %d bytes for %d frames of %d × %d", path, len(raw), len(numbers), w, h)
	}
	frames := make([]*image.NRGBA, len(numbers))
	for i := range frames {
		frames[i] = &image.NRGBA{Pix: raw[i*w*h*4:][:w*h*4], Stride: 4 * w, Rect: image.Rect(0, 0, w, h)}
	}
	return frames
}

// Mean is the mean colour of a part of a picture.
func Mean(img image.Image, r image.Rectangle) color.NRGBA {
	var sum [3]float64
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
			sum[0], sum[1], sum[2] = sum[0]+float64(c.R), sum[1]+float64(c.G), sum[2]+float64(c.B)
		}
	}
	n := float64(r.Dx() * r.Dy())
	return color.NRGBA{R: uint8(math.Round(sum[0] / n)), G: uint8(math.Round(sum[1] / n)), B: uint8(math.Round(sum[2] / n)), A: 255}
}

// RequireColor fails unless the square of 8 pixels around a point has a colour, each channel within the tolerance.
func RequireColor(t testing.TB, what string, img image.Image, x, y int, want color.NRGBA, tolerance int) {
	t.Helper()
	got := Mean(img, image.Rect(x-4, y-4, x+4, y+4))
	for _, pair := range [][2]uint8{{got.R, want.R}, {got.G, want.G}, {got.B, want.B}} {
		if d := int(pair[0]) - int(pair[1]); d < -tolerance || d > tolerance {
			t.Errorf("%s at %d,%d is %v, want %v within %d", what, x, y, got, want, tolerance)
			return
		}
	}
}

// Sound is what a movie plays: 48000 samples a second of the left and the right side, 1 being the loudest.
type Sound struct{ Left, Right []float64 }

// Listen decodes the sound of a movie.
func Listen(t testing.TB, path string) Sound {
	t.Helper()
	raw := Run(t, "-i", path, "-map", "0:a", "-ac", "2", "-ar", "48000", "-f", "f32le", "-")
	values := make([]float32, len(raw)/4)
	if err := binary.Read(bytes.NewReader(raw), binary.LittleEndian, values); err != nil {
		t.Fatal(err)
	}
	var s Sound
	for i := 0; i+1 < len(values); i += 2 {
		s.Left, s.Right = append(s.Left, float64(values[i])), append(s.Right, float64(values[i+1]))
	}
	return s
}

// Tone is the amplitude of a tone in samples.
func Tone(samples []float64, hz float64) float64 {
	var re, im float64
	for i, v := range samples {
		sin, cos := math.Sincos(2 * math.Pi * hz * float64(i) / 48000)
		re, im = re+v*cos, im+v*sin
	}
	return 2 * math.Hypot(re, im) / float64(max(1, len(samples)))
}

// Peak is the loudest sample.
func Peak(samples []float64) float64 {
	peak := 0.0
	for _, v := range samples {
		peak = math.Max(peak, math.Abs(v))
	}
	return peak
}
