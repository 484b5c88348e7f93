package media_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/color/palette"
	"image/draw"
	"image/gif"
	"math"
	"testing"

	"moviola/tests/studio"
)

// TestVideo_variableRate: a video whose frames come when they like shows each at its time, to a frame of the movie.
func TestVideo_variableRate(t *testing.T) {
	t.Parallel()
	s := studio.New(t)
	// Frame n has the luma 16 + 2n: 25 a second in the first second, then 8 a second, and a pause of a second after frame 40.
	when := func(n int) float64 {
		switch {
		case n < 25:
			return float64(n) / 25
		case n <= 40:
			return 1 + float64(n-25)/8
		}
		return 1 + float64(n-25)/8 + 1
	}
	source := "color=black:s=64x64:r=25:d=2.4,format=yuv420p,geq=lum='16+2*N':cb=128:cr=128," +
		"setpts='(if(lt(N,25),N/25,1+(N-25)/8+gt(N,40)))/TB'"
	for name, args := range map[string][]string{
		"phone.mp4":  {"-c:v", "libx264", "-crf", "1", "-video_track_timescale", "90000"},
		"phone.mkv":  {"-c:v", "libx264", "-crf", "1"}, // whole milliseconds
		"screen.mov": {"-c:v", "prores_ks"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := s.For(t)
			s.Generate(name, append(append([]string{"-f", "lavfi", "-i", source, "-fps_mode", "passthrough", "-enc_time_base", "1:90000",
				"-colorspace", "bt709", "-color_range", "tv"}, args...), "-an")...)
			out := s.MustRender(of(64, 64, 4.5, "#000000", studio.Object{"type": "video", "src": s.URL + "/" + name, "width": 64, "height": 64}))
			numbers := []int{0, 1, 12, 24, 25, 28, 29, 40, 60, 71, 73, 90, 95, 99, 101, 108}
			for i, img := range studio.Frames(t, out.Movie, 64, 64, numbers...) {
				grey := float64(studio.Mean(img, image.Rect(8, 8, 56, 56)).G)
				got := int(math.Round((grey*219/255 + 16 - 16) / 2))
				at := float64(numbers[i]) / 25
				// The frame that is on at some moment within a frame of the movie around this one.
				early, late := 0, 0
				for n := range 60 {
					if when(n) <= at-0.04+1e-6 {
						early = n
					}
					if when(n) <= at+0.04+1e-6 {
						late = n
					}
				}
				if got < early || got > late {
					t.Errorf("frame %d, at %.2f s, shows frame %d of the source, want %d to %d", numbers[i], at, got, early, late)
				}
			}
		})
	}
}

// animation is three pictures, red, green and blue, shown for 0.2, 0.5 and 0.1 seconds.
func animation(t *testing.T) []byte {
	t.Helper()
	g := &gif.GIF{Delay: []int{20, 50, 10}}
	for _, c := range []color.Color{red, green, blue} {
		img := image.NewPaletted(image.Rect(0, 0, 64, 64), append(color.Palette{c}, palette.WebSafe[:20]...))
		draw.Draw(img, img.Rect, image.NewUniform(c), image.Point{}, draw.Src)
		g.Image = append(g.Image, img)
	}
	return encoded(t, func(b *bytes.Buffer) error { return gif.EncodeAll(b, g) })
}

// TestPicture_animated: animated pictures keep their own times, and begin again as they do in a browser.
func TestPicture_animated(t *testing.T) {
	t.Parallel()
	s := studio.New(t)
	s.Serve("moves.gif", animation(t))
	s.Generate("moves.webp", "-f", "lavfi", "-i", "color=red:s=64x64:r=10:d=0.2", "-f", "lavfi", "-i", "color=green:s=64x64:r=10:d=0.5",
		"-f", "lavfi", "-i", "color=blue:s=64x64:r=10:d=0.1", "-filter_complex", "[0][1][2]concat=n=3:v=1", "-c:v", "libwebp_anim", "-lossless", "1")
	for _, name := range []string{"moves.gif", "moves.webp"} {
		for _, tt := range []struct {
			name    string
			element studio.Object
			want    map[int]color.NRGBA
		}{
			{"again and again", studio.Object{"duration": 1.6}, map[int]color.NRGBA{0: red, 3: red, 7: green, 15: green, 18: blue, 21: red, 23: red, 27: green, 35: green, 38: blue}},
			{"twice as asked", studio.Object{"duration": 1.6, "loop": 2}, map[int]color.NRGBA{2: red, 10: green, 18: blue, 21: red, 35: green, 38: blue}},
		} {
			t.Run(tt.name+" "+name, func(t *testing.T) {
				t.Parallel()
				s := s.For(t)
				tt.element["type"], tt.element["src"], tt.element["width"], tt.element["height"] = "image", s.URL+"/"+name, 64, 64
				out := s.MustRender(of(64, 64, 1.6, "#000000", tt.element))
				for n, want := range tt.want {
					studio.RequireColor(t, fmt.Sprint("frame ", n), studio.Frames(t, out.Movie, 64, 64, n)[0], 32, 32, want, 6)
				}
			})
		}
	}
}

// TestPicture_animatedParts: frames that change a part, are cleared and show what is below do so.
func TestPicture_animatedParts(t *testing.T) {
	t.Parallel()
	s := studio.New(t)
	colors := color.Palette{color.NRGBA{}, red, green}
	part := func(r image.Rectangle, index uint8) *image.Paletted {
		img := image.NewPaletted(r, colors)
		for i := range img.Pix {
			img.Pix[i] = index
		}
		return img
	}
	whole, corner := image.Rect(0, 0, 64, 64), image.Rect(0, 0, 32, 32)
	s.Serve("parts.gif", encoded(t, func(b *bytes.Buffer) error {
		return gif.EncodeAll(b, &gif.GIF{
			Image:    []*image.Paletted{part(whole, 1), part(corner, 2), part(corner, 0)},
			Delay:    []int{20, 20, 20},
			Disposal: []byte{gif.DisposalNone, gif.DisposalBackground, gif.DisposalNone},
			Config:   image.Config{ColorModel: colors, Width: 64, Height: 64},
		})
	}))
	out := s.MustRender(of(64, 64, 0.6, "#0000FF", studio.Object{"type": "image", "src": s.URL + "/parts.gif", "width": 64, "height": 64}))
	frames := studio.Frames(t, out.Movie, 64, 64, 2, 7, 12)
	below := color.NRGBA{B: 255, A: 255}
	for i, want := range []color.NRGBA{red, green, below} {
		studio.RequireColor(t, "corner", frames[i], 16, 16, want, 6)
		studio.RequireColor(t, "the rest", frames[i], 48, 48, red, 6)
	}
}
