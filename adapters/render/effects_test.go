//go:build !race

package render_test

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"slices"
	"testing"

	"moviola/domain/document"
)

var (
	red   = [3]int{254, 0, 0}
	blue  = [3]int{0, 0, 254}
	green = [3]int{0, 254, 0}
	white = [3]int{255, 255, 255}
	dark  = [3]int{16, 32, 48}
)

// quarters is red and green above blue and white.
func quarters(w, h int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i, c := range []color.NRGBA{{254, 0, 0, 255}, {0, 254, 0, 255}, {0, 0, 254, 255}, {255, 255, 255, 255}} {
		at := image.Rect(0, 0, w/2, h/2).Add(image.Pt(i%2*w/2, i/2*h/2))
		draw.Draw(img, at, image.NewUniform(c), image.Point{}, draw.Src)
	}
	return img
}

// inBothKinds renders an element of 160 × 80 pixels in the middle of a dark movie of 240 × 160 and 2 seconds, as an image and as a
// video, both with the same quarters.
func inBothKinds(t *testing.T, b *bench, props object, check func(t *testing.T, movie string)) {
	t.Helper()
	for _, kind := range []string{"image", "video"} {
		t.Run(kind, func(t *testing.T) {
			element := object{"type": kind, "src": map[string]string{"image": "quarters.png", "video": "quarters.mp4"}[kind],
				"x": 40, "y": 40, "width": 160, "height": 80}
			for k, v := range props {
				element[k] = v
			}
			out := b.mustRender(object{"width": 240, "height": 160, "fps": 10, "quality": "high", "scenes": []object{
				{"duration": 2, "background-color": "#102030", "elements": []object{element}},
			}})
			if out.Plan.Frames != 20 {
				t.Fatalf("%d frames", out.Plan.Frames)
			}
			check(t, out.Movie)
		})
	}
}

func effectsBench(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	b.save("quarters.png", quarters(320, 160))
	b.generate("quarters.mp4", "-loop", "1", "-i", b.media.dir+"/quarters.png", "-t", "3", "-r", "30", "-vf",
		"scale=out_color_matrix=bt709:out_range=tv,format=yuv420p", "-c:v", "libx264", "-crf", "5", "-colorspace", "bt709", "-color_range", "tv")
	return b
}

// spot is a colour that is expected at a place of a frame.
type spot struct {
	frame, x, y int
	want        [3]int
}

// TestEngine_Render_effects has one row per effect. Movie-schema §3.1.
func TestEngine_Render_effects(t *testing.T) {
	t.Parallel()
	b := effectsBench(t)
	b.save("left.png", func() image.Image { // shows the left half
		img := image.NewNRGBA(image.Rect(0, 0, 20, 10))
		draw.Draw(img, img.Rect, image.NewUniform(color.Black), image.Point{}, draw.Src)
		draw.Draw(img, image.Rect(0, 0, 10, 10), image.NewUniform(color.White), image.Point{}, draw.Src)
		return img
	}())
	b.generate("wipe.mp4", "-f", "lavfi", "-i", "color=black:s=160x80:r=10:d=2,format=yuv420p,geq=lum='if(lt(X,N*8),235,16)':cb=128:cr=128", "-c:v", "libx264", "-crf", "5")
	tests := []struct {
		name  string
		props object
		want  []spot
	}{
		{"none", object{}, []spot{{0, 80, 60, red}, {10, 160, 60, green}, {19, 80, 100, blue}, {19, 160, 100, white}, {5, 20, 20, dark}}},
		{"flip-horizontal", object{"flip-horizontal": true}, []spot{{0, 80, 60, green}, {19, 160, 60, red}, {5, 80, 100, white}}},
		{"flip-vertical", object{"flip-vertical": true}, []spot{{0, 80, 60, blue}, {19, 160, 60, white}, {5, 80, 100, red}}},
		{"both flips", object{"flip-vertical": true, "flip-horizontal": "true"}, []spot{{0, 80, 60, white}, {19, 160, 100, red}}},
		{"quarter turn", object{"rotate": object{"angle": 90}}, []spot{{0, 100, 20, blue}, {0, 140, 20, red}, {19, 140, 140, green}, {9, 60, 80, dark}}},
		{"turning", object{"rotate": object{"angle": 90, "speed": 1}}, []spot{{0, 80, 60, red}, {15, 140, 20, red}, {19, 100, 20, blue}}},
		{"turning for ever", object{"rotate": object{"angle": 360, "speed": 1}}, []spot{{0, 80, 60, red}, {5, 80, 60, white}, {10, 80, 60, red}, {15, 80, 60, white}}},
		{"zoom in", object{"zoom": 10}, []spot{{0, 50, 50, red}, {19, 50, 50, red}, {0, 130, 50, green}, {19, 100, 68, red}, {19, 140, 92, white}, {19, 30, 80, dark}}},
		{"pan over the edge", object{"pan": "right", "pan-crop": false, "pan-distance": 0.5}, []spot{{0, 50, 60, red}, {19, 60, 60, dark}, {19, 180, 60, red}}},
		{"crop", object{"crop": object{"x": 160, "y": 0, "width": 160, "height": 80}}, []spot{{0, 60, 60, green}, {19, 180, 100, green}}},
		{"grey", object{"correction": object{"saturation": 0}}, []spot{{0, 80, 60, [3]int{54, 54, 54}}, {19, 160, 100, white}}},
		{"brighter", object{"correction": object{"brightness": 0.5, "saturation": 0}}, []spot{{0, 80, 100, [3]int{165, 165, 165}}}},
		{"mask", object{"mask": "left.png"}, []spot{{0, 80, 60, red}, {19, 160, 60, dark}, {19, 80, 100, blue}}},
		{"video mask", object{"mask": "wipe.mp4"}, []spot{{0, 80, 60, dark}, {15, 80, 60, red}, {9, 160, 60, dark}, {19, 160, 60, green}}},
		{"video mask, turned", object{"mask": "wipe.mp4", "rotate": object{"angle": 180}}, []spot{{9, 160, 60, blue}, {9, 80, 60, dark}, {19, 160, 100, red}}},
		{"mask, zoomed and turned", object{"mask": "left.png", "zoom": 10, "rotate": object{"angle": 180}}, []spot{{0, 160, 100, red}, {19, 80, 60, dark}, {19, 140, 92, red}}},
		{"chroma key", object{"chroma-key": object{"color": "#00fe00"}}, []spot{{0, 160, 60, dark}, {19, 80, 60, red}, {19, 160, 100, white}, {3, 80, 100, blue}}},
		{"half there", object{"opacity": 0.5}, []spot{{0, 80, 60, [3]int{135, 16, 24}}, {19, 80, 100, [3]int{8, 16, 151}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			inBothKinds(t, b, tt.props, func(t *testing.T, movie string) {
				seen := map[int]*image.NRGBA{}
				for _, s := range tt.want {
					if seen[s.frame] == nil {
						seen[s.frame] = frame(t, movie, s.frame)
					}
					requireColor(t, fmt.Sprintf("frame %d", s.frame), seen[s.frame], s.x, s.y, s.want, 7)
				}
			})
		})
	}
}

// Every style begins with the leaving scene alone, ends just before the entering one is alone, and changes something in between.
func TestEngine_Render_transitions(t *testing.T) {
	t.Parallel()
	b := effectsBench(t)
	for part := range slices.Chunk(document.TransitionStyles, 11) {
		t.Run(part[0], func(t *testing.T) {
			t.Parallel()
			scenes := []object{{"duration": 2, "background-color": "#ff0000"}}
			for i, style := range part {
				elements := []object{{"type": "video", "src": "quarters.mp4", "width": 160, "height": 80}}
				if i%2 == 1 {
					elements = nil // back to one colour
				}
				scenes = append(scenes, object{"duration": 3, "background-color": "#0000ff", "elements": elements,
					"transition": object{"style": style, "duration": 1}})
			}
			out := b.mustRender(object{"width": 160, "height": 80, "fps": 10, "quality": "high", "scenes": scenes,
				"elements": []object{{"type": "text", "text": "x", "settings": object{"color": "#00ff00"}, "x": 140, "y": 60, "width": 20, "height": 20}}})
			requireEvenFrames(t, out.Movie, 20+20*len(part))
			for i, style := range part {
				begins := 10 + 20*i
				before, first := frame(t, out.Movie, begins-1), frame(t, out.Movie, begins)
				middle, after := frame(t, out.Movie, begins+5), frame(t, out.Movie, begins+10)
				if d := difference(before, first); d > 4 && style != "distance" {
					t.Errorf("%s: the first frame differs from the leaving scene by %.1f", style, d)
				}
				if difference(first, middle) < 1 && difference(middle, after) < 1 {
					t.Errorf("%s changes nothing", style)
				}
				if i%2 == 0 {
					requireColor(t, style+": the entering scene", after, 40, 20, red, 7)
					requireColor(t, style+": the entering scene", after, 120, 20, green, 7)
				} else {
					requireColor(t, style+": the entering scene", after, 80, 40, blue, 7)
				}
				for _, img := range []*image.NRGBA{before, middle, after} {
					requireColor(t, style+": over all", img, 150, 70, [3]int{0, 255, 0}, 7)
				}
			}
		})
	}
}

// difference is the mean difference of two frames, 0 to 255.
func difference(a, b *image.NRGBA) float64 {
	sum := 0
	for i := range a.Pix {
		d := int(a.Pix[i]) - int(b.Pix[i])
		sum += max(d, -d)
	}
	return float64(sum) / float64(len(a.Pix)) * 4 / 3
}

// The crossfade of ours must be the fade of xfade: at frame k of n, k/n of the entering scene.
func TestEngine_Render_crossfade(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	out := b.mustRender(object{"width": 64, "height": 64, "fps": 10, "quality": "high", "scenes": []object{
		{"duration": 2, "background-color": "#ff0000"},
		{"duration": 2, "background-color": "#0000ff", "transition": object{"style": "fade", "duration": 1}},
	}})
	for k := range 10 {
		requireColor(t, fmt.Sprint("share ", k), frame(t, out.Movie, 10+k), 32, 32, [3]int{255 - 255*k/10, 0, 255 * k / 10}, 6)
	}
	first := b.mustRender(object{"width": 64, "height": 64, "fps": 10, "scenes": []object{
		{"duration": 2, "background-color": "#ffffff", "transition": object{"style": "fade", "duration": 1}},
	}})
	requireColor(t, "from black", frame(t, first.Movie, 0), 32, 32, [3]int{0, 0, 0}, 4)
	requireColor(t, "from black", frame(t, first.Movie, 5), 32, 32, [3]int{127, 127, 127}, 8)
	requireColor(t, "from black", frame(t, first.Movie, 12), 32, 32, white, 4)
}
