//go:build !race

package render_test

import (
	"bytes"
	"slices"
	"testing"
)

// pieceScenes are twelve short scenes that show pieces of one clip, out of order.
func pieceScenes(b *bench) []object {
	b.generate("brief.mp4", "-f", "lavfi", "-i", "testsrc2=s=202x98:r=25:d=4", "-pix_fmt", "yuv420p", "-movflags", "+faststart")
	var scenes []object
	for n := range 12 {
		scenes = append(scenes, object{"duration": 0.4, "elements": []object{
			{"type": "video", "src": "http://x.test/brief.mp4", "resize": "cover", "muted": true, "seek": float64(n*5%12) / 4},
		}})
	}
	return scenes
}

// The file of short windows does not depend on how many processes there are, on what is cached, or on what is rendered beside them.
func TestEngine_Render_groupsAreTheSame(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	scenes := pieceScenes(b)
	first := mustRead(t, b.mustRender(briefDocument(scenes...)).Movie)
	for _, cores := range []int{1, 12} {
		other := newBench(t)
		other.media = b.media
		other.Engine = other.engine(b.media.tools, cores)
		other.mustRender(briefDocument(scenes[3:8]...))
		if !bytes.Equal(mustRead(t, other.mustRender(briefDocument(scenes...)).Movie), first) {
			t.Errorf("another file with room for %d", cores)
		}
	}
}

// A piece that changes makes its group anew, which is four seconds at most, and no other.
func TestEngine_Render_oneGroupAnew(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	scenes := pieceScenes(b)
	if _, encoded, _, err := b.made(b.Engine, briefDocument(scenes...)); err != nil || encoded != 120 {
		t.Fatalf("%d frames encoded, %v", encoded, err)
	}
	changed := slices.Clone(scenes)
	changed[11] = object{"duration": 0.4, "elements": []object{
		{"type": "video", "src": "http://x.test/brief.mp4", "resize": "cover", "muted": true, "seek": 0.1},
	}}
	if _, encoded, found, err := b.made(b.Engine, briefDocument(changed...)); err != nil || encoded != 20 || found != 100 {
		t.Errorf("%d frames encoded, %d found, %v", encoded, found, err)
	}
}
