//go:build !race

package render_test

import (
	"os"
	"strings"
	"testing"
)

// TestEngine_Render_longSound hears a long movie in parts, each small, whose words come at the right time of the movie.
func TestEngine_Render_longSound(t *testing.T) {
	t.Parallel()
	ear := &listener{t: t}
	s := newStageWith(t, ear)
	// 11 minutes with tones from 10 s and from 640 s on, and silence between.
	s.generate("long.wav", "-f", "lavfi", "-i", "sine=f=300:d=660:r=8000,volume=between(t\\,10\\,30)+between(t\\,640\\,661):eval=frame", "-ac", "2")
	out := s.mustRender(object{"width": 64, "height": 64, "fps": 1, "elements": []object{
		{"type": "audio", "src": "http://x.test/long.wav"}, {"type": "subtitles", "settings": object{"max-words-per-line": 1}},
	}})
	raw, err := os.ReadFile(out.Subtitles)
	if err != nil {
		t.Fatal(err)
	}
	var starts []string
	for line := range strings.Lines(string(raw)) {
		if fields := strings.Split(line, ","); strings.HasPrefix(line, "Dialogue:") {
			starts = append(starts, fields[1][:7]+" "+strings.TrimSpace(fields[len(fields)-1]))
		}
	}
	if len(ear.sizes) != 2 || len(starts) != 2 || !strings.HasPrefix(starts[0], "0:00:10") || !strings.HasPrefix(starts[1], "0:10:40") {
		t.Errorf("heard %d parts, captions begin %q", len(ear.sizes), starts)
	}
	for _, size := range ear.sizes {
		if size > 4<<20 {
			t.Errorf("a part has %d bytes", size)
		}
	}
}
