//go:build !race

package render_test

import "testing"

// A transition between scenes that are drawn in layers has all its frames, whatever its length.
func TestEngine_Render_transitionOfLayers(t *testing.T) {
	t.Parallel()
	b := effectsBench(t)
	text := []object{{"type": "text", "text": "x", "settings": object{"color": "#00ff00"}}}
	for _, fps := range []int{25, 30} {
		out := b.mustRender(object{"width": 160, "height": 90, "fps": fps, "scenes": []object{
			{"duration": 1, "background-color": "#ff0000", "elements": text},
			{"duration": 1, "background-color": "#0000ff", "elements": text, "transition": object{"style": "circleopen", "duration": 0.4}},
		}})
		requireEvenFrames(t, out.Movie, 2*fps-fps*2/5)
	}
}
