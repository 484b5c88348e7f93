package render

import (
	"os"
	"strings"
	"testing"

	"moviola/adapters/render/ffmpeg"
	"moviola/domain/timeline"
)

// The commands that movies are compared with encode as the service does.
func TestEncoder_ByHand(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("../../tests/bench/hand/common.sh")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(script), `encoder="`)
	given, _, _ := strings.Cut(rest, `"`)
	want := strings.Join(encoder(&timeline.Timeline{FPS: timeline.Rate{Num: 30, Den: 1}, Quality: timeline.Medium}, ffmpeg.Encoder{}), " ")
	if got := strings.Join(strings.Fields(given), " "); got != want {
		t.Errorf("by hand:\n%s\nby the service:\n%s", got, want)
	}
}
