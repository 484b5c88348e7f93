//go:build !race

package render_test

import (
	"slices"
	"testing"
)

// Pieces of one source, out of order, over its end, placed beside each other and turned, are what each of them is by itself,
// although their source is decoded once.
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
	together := hashesOf(t, b.mustRender(briefDocument(scenes...)).Movie)
	other := newBench(t)
	other.media = b.media
	other.Engine = other.engine(b.media.tools, len(scenes)) // with room for all at once, none shares a process
	alone := hashesOf(t, other.mustRender(briefDocument(scenes...)).Movie)
	if !slices.Equal(together, alone) {
		for n := range min(len(together), len(alone)) {
			if together[n] != alone[n] {
				t.Errorf("frame %d of scene %d differs", n%10, n/10+1)
			}
		}
		t.Errorf("%d frames and %d differ", len(together), len(alone))
	}
}
