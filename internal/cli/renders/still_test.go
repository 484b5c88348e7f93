package renders

import (
	"math"
	"os"
	"strings"
	"testing"
)

func TestMaker_checkOutput(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		still   bool
		moment  float64
		out     string
		refused string
	}{
		{true, 0, "a.png", ""},
		{true, 2.5, "dir.d/A.JPG", ""},
		{true, 2.5, "a.jpeg", ""},
		{true, 2.5, "-", ""},
		{true, 1, "a.mp4", "a still is a .png or a .jpg"},
		{true, 1, "png", "a still is a .png or a .jpg"},
		{true, -1, "a.png", "must not be negative"},
		{true, -1, "-", "must not be negative"},
		{true, math.NaN(), "a.png", "must not be negative"},
		{false, 0, "a.mp4", ""},
		{false, 0, "dir/A.MP4", ""},
		{false, 0, "-", ""},
		{false, 0, "a.mov", "a movie is an .mp4"},
		{false, 0, "a.png", "give --still SECONDS"},
		{false, 0, "mp4", "a movie is an .mp4"},
	} {
		err := (&maker{still: row.still, moment: row.moment, out: row.out}).checkOutput()
		if (err == nil) != (row.refused == "") || err != nil && !strings.Contains(err.Error(), row.refused) {
			t.Errorf("%v %v %s: %v", row.still, row.moment, row.out, err)
		}
	}
}

// TestRenderCommand_userCache: the command makes its folder in the user's cache when it runs, not when any command runs.
func TestRenderCommand_userCache(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	RenderCommand()
	if entries, err := os.ReadDir(cache); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
}
