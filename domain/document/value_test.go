package document_test

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"moviola/domain/document"
)

// TestRate_Frame pins the rounding of decision 28 where floats would go wrong.
func TestRate_Frame(t *testing.T) {
	t.Parallel()
	tests := []struct {
		duration string
		fps      string
		want     int64
	}{
		{"0.1", "25", 3},   // 2.5, half up
		{"0.02", "25", 1},  // 0.5
		{"0.019", "25", 0}, // 0.475
		{"0.3", "25", 8},   // 7.5; 0.1 three times summed after rounding would be 9
		{"1.005", "100", 101},
		{"0.016666666666666666", "30", 0}, // just under half a frame
		{"1.001", "29.97", 30},            // 29.99997
		{"3600", "29.97", 107892},
		{"0.50", "1", 1},
	}
	for _, tt := range tests {
		m := mustParse(t, `{"fps":"`+tt.fps+`","scenes":[{"duration":`+tt.duration+`}]}`)
		if got := m.FPS.Frame(m.Scenes[0].Length.Value); got != tt.want {
			t.Errorf("%s s at %s fps: got frame %d, want %d", tt.duration, tt.fps, got, tt.want)
		}
	}
}

func TestRate_Credits(t *testing.T) {
	t.Parallel()
	for frames, want := range map[int64]int64{0: 0, 1: 1, 25: 1, 26: 2, 50: 2, 51: 3} {
		if got := (document.Rate{Num: 25, Den: 1}).Credits(frames); got != want {
			t.Errorf("%d frames at 25 fps: got %d credits, want %d", frames, got, want)
		}
	}
	// 2997 frames at 29.97 fps are 100 s exactly: one frame more is the 101st second.
	ntsc := document.Rate{Num: 2997, Den: 100}
	if ntsc.Credits(2997) != 100 || ntsc.Credits(2998) != 101 {
		t.Errorf("got %d and %d credits, want 100 and 101", ntsc.Credits(2997), ntsc.Credits(2998))
	}
}

// TestRate_Inverse: a number of frames, turned into seconds and back, is the same number.
func TestRate_Inverse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rate := document.Rate{Num: rapid.Int64Range(1, 120_000).Draw(t, "num"), Den: rapid.SampledFrom([]int64{1, 2, 100, 125, 1000}).Draw(t, "den")}
		n := rapid.Int64Range(0, 10_000_000).Draw(t, "frames")
		if got := rate.Frame(rate.Seconds(n)); got != n {
			t.Fatalf("%d frames at %v came back as %d", n, rate, got)
		}
	})
}

func TestSecondsOfFloat(t *testing.T) {
	t.Parallel()
	for f, want := range map[float64]string{
		4.004: "4.004000000", 0.1: "0.100000000", math.Inf(1): "1000000000.000000000", math.Inf(-1): "-1000000000.000000000",
		math.NaN(): "0.000000000", 1e-300: "0.000000000",
	} {
		if got := document.SecondsOfFloat(f).String(); got != want {
			t.Errorf("SecondsOfFloat(%v) = %s, want %s", f, got, want)
		}
	}
}

// TestParseNumber_short: short numbers, which are read another way, are what longer texts for the same are.
func TestParseNumber_short(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "0", "-0", "5", "-7.25", "0.1", ".5", "5.", "-.5", "-", ".", "1-2", "--1", "99999999", "-9999999", "3.1415926", "0.0000001", "1.2.3"} {
		n, ok := document.ParseNumber(text)
		m, same := document.ParseNumber(text + strings.Repeat(" ", 10))
		if n != m || ok != same {
			t.Errorf("%q: %v, %v, and with spaces %v, %v", text, n, ok, m, same)
		}
	}
}
