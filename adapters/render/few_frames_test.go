//go:build !race

package render_test

import (
	"os"
	"testing"
)

// TestEngine_Render_FewFrames: movies of one or a few frames a second render, whatever is seen in transitions that are one
// or two frames long.
func TestEngine_Render_FewFrames(t *testing.T) {
	t.Parallel()
	b := newStage(t)
	b.generate("clip.mp4", "-f", "lavfi", "-i", "testsrc2=s=64x64:r=30:d=4", "-c:v", "libx264", "-pix_fmt", "yuv420p")
	moves := object{"type": "component", "component": "shape/rectangle", "settings": object{
		"rectangle1": object{"width": "50%", "height": "50%", "background": "red", "animate": object{"left": "50%"}},
	}}
	for name, elements := range map[string][]object{
		"nothing": nil, "a shape that moves": {moves}, "a video": {{"type": "video", "src": "clip.mp4"}},
		"both": {{"type": "video", "src": "clip.mp4"}, moves},
	} {
		for _, style := range []string{"slideup", "fade"} {
			for fps, frames := range map[int]int64{1: 8, 4: 33, 5: 41} { // transitions of 1 and 2 frames
				if os.Getenv("MOVIOLA_TEST_LONG") == "" && (fps == 4) != (style == "fade") { // each style with one of the two lengths
					continue
				}
				scene := func(color string) object {
					return object{
						"background-color": color, "duration": 3, "elements": elements, "transition": object{"style": style, "duration": 0.4},
					}
				}
				doc := object{"width": 64, "height": 64, "fps": fps, "scenes": []object{scene("#102030"), scene("#203040"), scene("#304050")}}
				out, err := b.Render(t.Context(), b.job(doc))
				if err != nil {
					t.Errorf("%s, %s, %d fps: %v", name, style, fps, err)
					continue
				}
				if out.Plan.Frames != frames {
					t.Errorf("%s, %s, %d fps: %d frames", name, style, fps, out.Plan.Frames)
				}
				out.Close()
			}
		}
	}
}
