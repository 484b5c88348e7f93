//go:build !race

package render_test

import (
	"image"
	"testing"
)

// A text that is zoomed is drawn as large as it is shown at last: it looks as one that was that large from the start, not like a
// picture that was enlarged.
func TestEngine_Render_zoomedTextIsSharp(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	letters := func(size string, x, y, w, h int, zoom float64) *image.NRGBA {
		out := s.mustRender(movieOf(1, object{"type": "text", "text": "Ag", "x": x, "y": y, "width": w, "height": h, "zoom": zoom,
			"settings": object{"font-size": size, "text-shadow": "none", "font-family": "Inter"}}))
		return frame(t, out.Movie, 9)
	}
	zoomed, large := letters("40px", 80, 45, 160, 90, 10), letters("80px", 0, 0, 320, 180, 0)
	sum, n := 0, 0
	for y := 50; y < 130; y++ {
		for x := 85; x < 235; x++ {
			d := int(zoomed.NRGBAAt(x, y).R) - int(large.NRGBAAt(x, y).R)
			sum, n = sum+max(d, -d), n+1
		}
	}
	if mean := float64(sum) / float64(n); mean > 2.5 {
		t.Errorf("a zoomed text differs by %.2f from a large one", mean)
	}
	if bright(large, large.Rect) < 500 {
		t.Error("there is no text")
	}
}

// What is masked by a video and turned is turned with its mask, whatever it shows.
func TestEngine_Render_turnedWithAVideoMask(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.generate("left.mp4", "-f", "lavfi", "-i", "color=black:s=80x40:r=10:d=1,format=yuv420p,geq=lum='if(lt(X,40),235,16)':cb=128:cr=128",
		"-c:v", "libx264", "-crf", "5")
	out := s.mustRender(movieOf(2, object{"type": "component", "component": "shape/rectangle", "x": 200, "y": 50, "width": 80, "height": 40, "mask": "left.mp4",
		"rotate":   object{"angle": 90},
		"settings": object{"rectangle1": object{"left": "0px", "top": "0px", "width": "80px", "height": "40px", "background": "#ff0000"}}}))
	img := frame(t, out.Movie, 15)
	// The left half of the box is above its middle (240, 70) when it is turned by a quarter.
	requireColor(t, "shown half", img, 240, 50, red, 8)
	requireColor(t, "hidden half", img, 240, 90, dark, 8)
	requireColor(t, "beside the turned box", img, 270, 70, dark, 8)
}

// Of what is zoomed or panned only the part is handled in which there is anything: the picture is the same.
func TestEngine_Render_smallThingsThatTravel(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	corner := object{"type": "component", "component": "shape/rectangle", "settings": object{"rectangle1": object{
		"left": "40px", "top": "30px", "width": "40px", "height": "30px", "background": "#ff0000"}}}
	for name, tt := range map[string]struct {
		props       object
		first, last image.Rectangle // where the rectangle is
	}{
		"zoom": {object{"zoom": 10}, image.Rect(40, 30, 80, 60), image.Rect(0, 0, 0, 0)}, // its place leaves the canvas: -80 to 0
		"pan": {object{"pan": "right", "pan-crop": false, "pan-distance": 0.25},
			image.Rect(40, 30, 80, 60), image.Rect(120, 30, 160, 60)},
		"flip": {object{"zoom": -10, "flip-horizontal": true}, image.Rectangle{}, image.Rect(240, 30, 280, 60)},
	} {
		element := object{}
		for _, from := range []object{corner, tt.props} {
			for k, v := range from {
				element[k] = v
			}
		}
		out := s.mustRender(movieOf(1, element))
		for n, at := range map[int]image.Rectangle{0: tt.first, 9: tt.last} {
			img, count := frame(t, out.Movie, n), 0
			for y := range 180 {
				for x := range 320 {
					if c := img.NRGBAAt(x, y); c.R > 180 && c.G < 60 {
						count++
						if !image.Pt(x, y).In(at.Inset(-2)) {
							t.Fatalf("%s: frame %d is red at %d,%d, outside of %v", name, n, x, y, at)
						}
					}
				}
			}
			if want := at.Dx() * at.Dy(); count < want*9/10 {
				t.Errorf("%s: %d pixels of frame %d are red, want %d", name, count, n, want)
			}
		}
	}
}
