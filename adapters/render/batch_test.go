//go:build !race

package render_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"moviola/domain"
)

// briefScenes are scenes of which few frames are encoded: texts, a photograph with a caption of its own, a short clip.
func briefScenes(b *bench) []object {
	b.generate("brief.mp4", "-f", "lavfi", "-i", "testsrc2=s=202x98:r=25:d=1", "-pix_fmt", "yuv420p", "-movflags", "+faststart")
	scenes := restingMovie(b)["scenes"].([]object)
	clip := object{"type": "video", "src": "http://x.test/brief.mp4", "resize": "cover", "muted": true, "seek": 0.2}
	return []object{
		{"duration": 2, "background-color": "#123456", "elements": []object{{"type": "text", "text": "x", "width": 50, "height": 30}}},
		{"duration": 2, "background-color": "#654321", "elements": []object{{"type": "text", "text": "x", "x": 30, "width": 50, "height": 30, "start": 1}}},
		scenes[3], {"duration": 0.4, "elements": []object{clip}}, {"duration": 1.5, "background-color": "#ffffff"}, scenes[0], {"duration": 1, "background-color": "#808080"},
	}
}

func briefDocument(scenes ...object) object {
	return object{"width": 202, "height": 98, "fps": 25, "scenes": scenes}
}

// Windows that one process encodes are what a process for each of them makes.
func TestEngine_Render_together(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	scenes := briefScenes(b)
	together := hashesOf(t, b.mustRender(briefDocument(scenes...)).Movie)
	var alone []string
	for _, scene := range scenes {
		other := newBench(t)
		other.media = b.media
		other.Engine = other.engine(b.media.tools, 2)
		alone = append(alone, hashesOf(t, other.mustRender(briefDocument(scene)).Movie)...)
	}
	if !slices.Equal(together, alone) {
		t.Errorf("%d frames and %d differ", len(together), len(alone))
	}
}

// A source that cannot be decoded is named, whoever it is encoded with.
func TestEngine_Render_togetherWithDamage(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	scenes := briefScenes(b)
	raw := mustRead(t, filepath.Join(b.media.dir, "brief.mp4"))
	clear(raw[bytes.Index(raw, []byte("mdat"))+4:])
	if err := os.WriteFile(filepath.Join(b.media.dir, "brief.mp4"), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := b.Render(t.Context(), b.job(briefDocument(scenes...)))
	var client *domain.Error
	if !errors.As(err, &client) || client.Message != "Scene #4, element #1: The file cannot be decoded: it is damaged or not complete" {
		t.Errorf("error is %v", err)
	}
}
