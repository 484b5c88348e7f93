//go:build !race

package render_test

import (
	"math"
	"testing"
)

// A tone over three scenes of 121 frames must pass their borders unbroken; at 29.97 fps these do not fall
// on whole samples.
func TestEngine_Render_soundHasNoClicks(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.generate("tone.wav", "-f", "lavfi", "-i", "sine=f=441:d=20:r=48000")
	length := 121 / 29.97
	scene := object{"duration": length}
	out := b.mustRender(object{
		"width": 320, "height": 240, "fps": 29.97,
		"elements": []object{{"type": "audio", "src": "tone.wav", "duration": -2}},
		"scenes":   []object{scene, scene, scene},
	})
	if out.Plan.Frames != 363 || out.Plan.FPSNum*100 != out.Plan.FPSDen*2997 {
		t.Errorf("plan is %+v", out.Plan)
	}
	s := listen(t, out.Movie)
	if worst := s.click(441, 0.05, 3*length-0.05); worst > 0.002 {
		t.Errorf("the tone breaks by %.4f", worst)
	}
	if gap := s.click(441, 0, 0.05); gap > 0.05 {
		t.Errorf("the tone begins with a break of %.4f", gap)
	}
	for i := range 11 {
		if level := s.tone(441, float64(i), float64(i)+1); level < 0.11 || level > 0.14 {
			t.Errorf("the tone has level %.4f in second %d", level, i)
		}
	}
	requireEvenFrames(t, out.Movie, 363)
}

func TestEngine_Render_soundIsPlacedAndRepeated(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	// 0 to 1 s: 500 Hz, 1 to 2 s: 900 Hz.
	b.generate("two.wav", "-f", "lavfi", "-i", "sine=f=500:d=1:r=48000", "-f", "lavfi", "-i", "sine=f=900:d=1:r=48000",
		"-filter_complex", "[0][1]concat=n=2:v=0:a=1")
	out := b.mustRender(object{
		"width": 320, "height": 240, "fps": 25,
		"scenes": []object{{"duration": 8, "elements": []object{
			{"type": "audio", "src": "two.wav", "start": 0.52, "seek": 1, "duration": 1},
			{"type": "audio", "src": "two.wav", "start": 2, "duration": 6, "loop": -1},
		}}},
	})
	s := listen(t, out.Movie)
	for _, tt := range []struct {
		hz, from, to float64
		heard        bool
	}{
		{900, 0, 0.5, false}, {900, 0.54, 1.5, true}, {500, 0.54, 1.5, false}, {900, 1.54, 1.98, false},
		{500, 2.02, 2.98, true}, {900, 3.02, 3.98, true}, {500, 4.02, 4.98, true}, {900, 5.02, 5.98, true}, {500, 6.02, 6.98, true},
	} {
		level := s.tone(tt.hz, tt.from, tt.to)
		if tt.heard && level < 0.11 || !tt.heard && level > 0.004 {
			t.Errorf("%g Hz from %g to %g s has level %.4f, heard %v", tt.hz, tt.from, tt.to, level, tt.heard)
		}
	}
	// The beginning is exact: the first 10 ms after 0.52 s are as loud as the rest.
	if early := s.tone(900, 0.522, 0.532); early < 0.1 {
		t.Errorf("the sound has level %.4f at its start", early)
	}
}

func TestEngine_Render_silentMovieHasASilentTrack(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	out := b.mustRender(object{"width": 320, "height": 240, "scenes": []object{{"duration": 1}}})
	s := listen(t, out.Movie)
	if len(s) < 48000 {
		t.Errorf("the track has %d samples", len(s))
	}
	for i, v := range s {
		if v != 0 {
			t.Fatalf("sample %d is %f", i, v)
		}
	}
}

// TestEngine_Render_volume: volume multiplies a sound, and muted leaves it out.
func TestEngine_Render_volume(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.generate("tone.wav", "-f", "lavfi", "-i", "sine=f=500:d=4:r=48000")
	out := b.mustRender(object{
		"width": 320, "height": 240, "fps": 25,
		"scenes": []object{{"duration": 4, "elements": []object{
			{"type": "audio", "src": "tone.wav", "duration": 1},
			{"type": "audio", "src": "tone.wav", "start": 1, "duration": 1, "volume": 0.5},
			{"type": "audio", "src": "tone.wav", "start": 2, "duration": 1, "volume": 3},
			{"type": "audio", "src": "tone.wav", "start": 3, "duration": 1, "muted": true},
		}}},
	})
	s := listen(t, out.Movie)
	plain := s.tone(500, 0.1, 0.9)
	for second, want := range []float64{1, 0.5, 3, 0} {
		if got := s.tone(500, float64(second)+0.1, float64(second)+0.9) / plain; math.Abs(got-want) > 0.03*max(want, 1) {
			t.Errorf("from second %d the sound is %.3f times as loud, want %g", second, got, want)
		}
	}
}
