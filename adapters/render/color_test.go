//go:build !race

package render_test

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"path/filepath"
	"testing"
)

// patches are colours that a wrong matrix or range would bend: brand colours, primaries, greys.
var patches = [][3]int{
	{200, 30, 60}, {0, 0, 0}, {255, 255, 255}, {128, 128, 128}, {255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {255, 136, 0},
	{16, 32, 48}, {29, 161, 242}, {88, 101, 242}, {10, 102, 194}, {250, 200, 210}, {70, 130, 40}, {1, 200, 199}, {254, 3, 250},
}

const patchSide = 60

// palette is a picture of all patches, 4 × 4.
func palette() *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, 4*patchSide, 4*patchSide))
	for i, c := range patches {
		at := image.Pt(i%4*patchSide, i/4*patchSide)
		draw.Draw(img, image.Rectangle{at, at.Add(image.Pt(patchSide, patchSide))},
			image.NewUniform(color.NRGBA{uint8(c[0]), uint8(c[1]), uint8(c[2]), 255}), image.Point{}, draw.Src)
	}
	return img
}

// requirePalette checks every patch of a picture against the wanted one.
func requirePalette(t *testing.T, what string, got *image.NRGBA, at image.Point, want func(i int) [3]int, tolerance int) {
	t.Helper()
	for i := range patches {
		x, y := at.X+i%4*patchSide+patchSide/2, at.Y+i/4*patchSide+patchSide/2
		requireColor(t, fmt.Sprintf("%s: patch %d", what, i), got, x, y, want(i), tolerance)
	}
}

// A patch comes back within 2 of 255 from png, css colour and text, within 3 from jpeg.
func TestEngine_Render_colorsOfStills(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.save("palette.png", palette())
	b.save("palette.jpeg", palette())
	for _, quality := range []string{"low", "medium", "high"} {
		out := b.mustRender(object{
			"width": 520, "height": 300, "quality": quality,
			"scenes": []object{{"background-color": "#C81E3C", "duration": 1, "elements": []object{
				{"type": "image", "src": "palette.png", "x": 0, "y": 0, "width": 240, "height": 240},
				{"type": "image", "src": "palette.jpeg", "x": 250, "y": 0, "width": 240, "height": 240},
				{"type": "text", "text": "x", "settings": object{"color": "#1DA1F2"}, "x": 10, "y": 250, "width": 100, "height": 40},
			}}},
		})
		exact := func(i int) [3]int { return patches[i] }
		for _, n := range []int{0, 12, 24} {
			img := frame(t, out.Movie, n)
			what := fmt.Sprintf("%s, frame %d", quality, n)
			requirePalette(t, what+": png", img, image.Point{}, exact, 2)
			requirePalette(t, what+": jpeg", img, image.Pt(250, 0), exact, 3)
			requireColor(t, what+": text", img, 60, 270, [3]int{29, 161, 242}, 2)
			requireColor(t, what+": background", img, 505, 280, [3]int{200, 30, 60}, 2)
		}
	}
}

// The same, within 3 from video: against what a correct decoder shows of the input.
func TestEngine_Render_colorsOfVideo(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.save("palette.png", palette())
	source := filepath.Join(b.media.dir, "palette.png")
	tests := []struct {
		name, matrix, inRange string
		args                  []string // of the encoder
		size                  string   // of the source
		shown                 string   // the matrix a player uses
	}{
		{"sd", "bt601", "tv", nil, "240:240", "bt601"},
		{"sd tagged", "bt601", "tv", []string{"-colorspace", "smpte170m", "-color_primaries", "smpte170m", "-color_trc", "smpte170m"}, "240:240", "bt601"},
		{"sd tagged bt709", "bt709", "tv", []string{"-colorspace", "bt709"}, "240:240", "bt709"},
		{"hd", "bt709", "tv", nil, "1440:1440", "bt709"},
		{"hd tagged", "bt709", "tv", []string{"-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"}, "1440:1440", "bt709"},
		{"full range", "bt601", "pc", []string{"-colorspace", "smpte170m", "-color_range", "pc"}, "240:240", "bt601"},
		{"ten bit", "bt709", "tv", []string{"-colorspace", "bt709", "-pix_fmt", "yuv420p10le", "-profile:v", "high10"}, "240:240", "bt709"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			name := "palette.mp4"
			format := "yuv420p"
			if len(tt.args) > 2 && tt.args[2] == "-pix_fmt" {
				format = "yuv420p10le"
			}
			b.generate(name, append([]string{"-loop", "1", "-t", "1", "-i", source, "-vf",
				fmt.Sprintf("scale=%s:flags=neighbor:out_color_matrix=%s:out_range=%s,format=%s", tt.size, tt.matrix, tt.inRange, format),
				"-c:v", "libx264", "-crf", "4"}, tt.args...)...)
			out := b.mustRender(object{
				"width": 320, "height": 240, "quality": "high",
				"scenes": []object{{"elements": []object{{"type": "video", "src": name, "x": 0, "y": 0, "width": 240, "height": 240}}}},
			})
			reference := decoded(t, filepath.Join(b.media.dir, name), tt.shown, tt.inRange)
			want := func(i int) [3]int {
				return mean(reference, i%4*patchSide+patchSide/2, i/4*patchSide+patchSide/2, 4)
			}
			requirePalette(t, tt.name, frame(t, out.Movie, 10), image.Point{}, want, 3)
		})
	}
}
