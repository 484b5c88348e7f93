//go:build !race

package render_test

import (
	"slices"
	"testing"
)

// Pieces of one source, out of order, over its end, placed beside each other and turned, look like what each of
// them is by itself, although their source is decoded once.
func TestEngine_Render_pieces(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	source := func(name string, args ...string) {
		b.generate(name, slices.Concat([]string{"-f", "lavfi", "-i", "testsrc2=s=202x98:r=30:d=5", "-g", "300", "-pix_fmt", "yuv420p"}, args)...)
	}
	source("clip.mp4")
	source("coarse.mp4", "-video_track_timescale", "30")
	source("clip.mkv")
	scene := func(elements ...object) object { return object{"duration": 0.4, "elements": elements} }
	clip := func(name string, seek float64, with object) object {
		element := object{"type": "video", "src": "http://x.test/" + name, "resize": "cover", "muted": true, "seek": seek}
		for key, value := range with {
			element[key] = value
		}
		return element
	}
	var scenes []object
	for _, name := range []string{"clip.mp4", "clip.mkv", "coarse.mp4"} {
		for _, seek := range []float64{3.7, 0.1, 2.03, 4.9} {
			scenes = append(scenes, scene(clip(name, seek, nil)))
		}
	}
	scenes = append(scenes,
		scene(clip("clip.mp4", 1, object{"width": 100, "height": 50}), clip("clip.mp4", 1.3, object{"x": 101, "y": 11, "width": 75, "height": 33})),
		scene(clip("clip.mp4", 2, object{"rotate": object{"angle": 20}})),
		scene(clip("clip.mp4", 0.9, object{"loop": -1, "duration": 0.4})),
	)
	sameTogether(t, b, scenes)
}
