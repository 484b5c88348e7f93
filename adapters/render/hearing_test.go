package render_test

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"moviola/adapters/render"
	"moviola/commands"
	"moviola/domain/caption"
	_ "moviola/tests/property"
)

// sounds makes peaks of so many seconds, loud but for quiet moments of half a second around the given ones.
func sounds(seconds int, quiet ...float64) []float32 {
	peaks := make([]float32, 100*seconds)
	for i := range peaks {
		peaks[i] = 0.5
	}
	for _, at := range quiet {
		for i := int(100*at) - 25; i < int(100*at)+25; i++ {
			peaks[i] = 0.001
		}
	}
	return peaks
}

func TestStretches(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		peaks []float32
		want  [][2]float64
	}{
		{"short", sounds(60, 30), [][2]float64{{0, 60}}},
		{"just short enough", sounds(600, 570), [][2]float64{{0, 600}}},
		{"a pause", sounds(700, 100, 560), [][2]float64{{0, 560}, {560, 700}}},
		{"two pauses", sounds(1500, 580, 1150), [][2]float64{{0, 580}, {580, 1150}, {1150, 1500}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			near := cmp.Comparer(func(a, b float64) bool { return a-b < 0.25 && b-a < 0.25 }) // anywhere in the pause
			if diff := cmp.Diff(tt.want, render.Stretches(tt.peaks), near); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestStretches_cover: whatever the sound, it is heard without gap or overlap, in parts that providers take.
func TestStretches_cover(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		peaks := make([]float32, rapid.IntRange(0, 300_000).Draw(t, "length"))
		step := rapid.IntRange(1, 5000).Draw(t, "step")
		for i := range peaks {
			peaks[i] = float32(i/step%7) / 7
		}
		at := 0.0
		for _, s := range render.Stretches(peaks) {
			if s[0] != at || s[1] < at || s[1]-s[0] > 600 {
				t.Fatalf("a stretch from %v to %v after %v", s[0], s[1], at)
			}
			at = s[1]
		}
		if at != float64(len(peaks))/100 {
			t.Fatalf("heard up to %v of %v", at, len(peaks))
		}
	})
}

func TestMoved(t *testing.T) {
	t.Parallel()
	word := func(text string, start, end time.Duration) caption.Word {
		return caption.Word{Text: text, Start: start, End: end}
	}
	got := render.Moved(10, 12, []caption.Word{
		word("in", 0, time.Second), word("at the edge", 1500*time.Millisecond, 3*time.Second), word("made up behind the end", 2*time.Second, 3*time.Second),
	})
	want := []caption.Word{word("in", 10*time.Second, 11*time.Second), word("at the edge", 11500*time.Millisecond, 12*time.Second)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// listener hears one word in each file, where it stops being silent, and keeps how large the files are.
type listener struct {
	t     *testing.T
	sizes []int64
}

func (l *listener) Transcribe(_ context.Context, request commands.TranscriptionRequest) ([]caption.Word, error) {
	info, err := os.Stat(request.Path)
	if err != nil {
		return nil, err
	}
	l.sizes = append(l.sizes, info.Size())
	start := firstSound(l.t, request.Path)
	return []caption.Word{{Text: "w" + strconv.Itoa(len(l.sizes)), Start: start, End: start + 100*time.Millisecond}}, nil
}

// firstSound is when a file stops being silent.
func firstSound(t *testing.T, path string) time.Duration {
	t.Helper()
	said, err := exec.CommandContext(t.Context(), "ffmpeg", "-nostdin", "-i", path, "-af", "silencedetect=noise=-40dB:d=0.2", "-f", "null", "-").CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(said), "silence_end: ")
	if !ok {
		return 0
	}
	seconds, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	if err != nil {
		t.Fatal(err)
	}
	return time.Duration(seconds * float64(time.Second))
}
