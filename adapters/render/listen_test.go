package render_test

import (
	"encoding/binary"
	"math"
	"os/exec"
	"testing"
)

// sound is what a movie plays, mono, 48000 samples a second.
type sound []float64

func listen(t testing.TB, path string) sound {
	t.Helper()
	raw, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-i", path, "-map", "0:a",
		"-ac", "1", "-ar", "48000", "-f", "s16le", "-").Output()
	if err != nil {
		t.Fatalf("decode sound: %v", err)
	}
	s := make(sound, len(raw)/2)
	for i := range s {
		s[i] = float64(int16(binary.LittleEndian.Uint16(raw[2*i:]))) / 32768
	}
	return s
}

// tone is the amplitude of a tone between two times in seconds.
func (s sound) tone(hz, from, to float64) float64 {
	a, b := int(from*48000), min(int(to*48000), len(s))
	var re, im float64
	for i := a; i < b; i++ {
		sin, cos := math.Sincos(2 * math.Pi * hz * float64(i) / 48000)
		re += s[i] * cos
		im += s[i] * sin
	}
	return 2 * math.Hypot(re, im) / float64(b-a)
}

// click is the largest step between two times that a pure tone would not make.
func (s sound) click(hz float64, from, to float64) float64 {
	worst := 0.0
	turn := 2 * math.Cos(2*math.Pi*hz/48000)
	for i := int(from*48000) + 1; i < int(to*48000)-1; i++ {
		worst = math.Max(worst, math.Abs(s[i-1]+s[i+1]-turn*s[i]))
	}
	return worst
}
