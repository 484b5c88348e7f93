package mp4file_test

import (
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"moviola/adapters/render/mp4file"
	"moviola/internal/h264"
)

// sums are the hashes of the frames of a file; what the decoder complains about fails the test.
func sums(t *testing.T, path string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "warning", "-err_detect", "explode", "-nostdin", "-i", path, "-fps_mode", "passthrough", "-f", "framemd5", "-").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var all []string
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, ",")
		if len(fields) != 6 {
			t.Fatalf("%s: %s", filepath.Base(path), line)
		}
		all = append(all, strings.TrimSpace(fields[5]))
	}
	return all
}

// Windows that are cut out of the file of one encoder show its frames, bit by bit, and what rests in them is repeated.
func TestReel_Cut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	made := filepath.Join(dir, "reel.mp4")
	out, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-nostdin", "-f", "lavfi", "-i", "testsrc2=s=202x98:r=25", "-frames:v", "31",
		"-c:v", "libx264", "-preset", "veryfast", "-weightb", "0", "-profile:v", "high", "-pix_fmt", "yuv420p", "-flags", "+cgop",
		"-force_key_frames", "expr:eq(n,13)+eq(n,14)+eq(n,16)", made).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := sums(t, made)
	reel, err := mp4file.OpenReel(made)
	if err != nil || reel.Frames() != 31 {
		t.Fatalf("%v", err)
	}
	for _, w := range []struct {
		from, to int
		holds    []h264.Hold
	}{{0, 13, nil}, {13, 14, []h264.Hold{{More: 20}}}, {14, 16, nil}, {16, 31, []h264.Hold{{First: 11, Last: 14, More: 7}}}} {
		path := filepath.Join(dir, "window.mp4")
		if err := reel.Cut(w.from, w.to, w.holds, path); err != nil {
			t.Errorf("%d to %d: %v", w.from, w.to, err)
			continue
		}
		shown := slices.Clone(want[w.from:w.to])
		got := sums(t, path)
		for _, h := range w.holds { // the repeats follow the last of the group that ends one; what rests shows no other picture
			if len(got) != len(shown)+h.More {
				t.Errorf("%d to %d: %d frames", w.from, w.to, len(got))
				continue
			}
			got = slices.Delete(got, h.Last+1, h.Last+1+h.More)
		}
		if len(w.holds) == 0 || w.from == 13 { // moving frames stand in for a rest in the other
			if !slices.Equal(got, shown) {
				t.Errorf("%d to %d: other frames", w.from, w.to)
			}
		}
	}
	for _, w := range [][2]int{{1, 13}, {0, 12}, {13, 13}, {16, 32}} {
		if err := reel.Cut(w[0], w[1], nil, filepath.Join(dir, "none.mp4")); !errors.Is(err, mp4file.ErrTrack) {
			t.Errorf("%d to %d: %v", w[0], w[1], err)
		}
	}
}
