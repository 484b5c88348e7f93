package media_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"moviola/tests/studio"
)

// surround makes tones on the channels of a layout, in their order, each as loud as the given share of full.
func surround(layout string, hz []int, level float64) []string {
	tones := make([]string, len(hz))
	for i, f := range hz {
		tones[i] = fmt.Sprintf("%g*sin(2*PI*%d*t)", level, f)
	}
	return []string{"-f", "lavfi", "-i", fmt.Sprintf("aevalsrc=exprs='%s':channel_layout=%s:duration=2:sample_rate=48000", strings.Join(tones, "|"), layout)}
}

// heard is a movie of one sound.
func heard(src string) studio.Object {
	return studio.Object{"width": 64, "height": 64, "scenes": studio.List{studio.Object{"elements": studio.List{studio.Object{"type": "audio", "src": src}}}}}
}

// TestSound_channels: every channel is heard, at its side, and nothing is clipped.
func TestSound_channels(t *testing.T) {
	t.Parallel()
	s := studio.New(t)
	type place struct {
		hz          int
		left, right bool
	}
	tests := []struct {
		name, layout string
		args         []string
		channels     []place
	}{
		{"mono.wav", "mono", nil, []place{{500, true, true}}},
		{"stereo.flac", "stereo", nil, []place{{500, true, false}, {800, false, true}}},
		{"quad.wav", "quad", nil, []place{{500, true, false}, {800, false, true}, {1100, true, false}, {1400, false, true}}},
		{"film.mp4", "5.1", []string{"-c:a", "aac", "-b:a", "512k"},
			[]place{{500, true, false}, {800, false, true}, {1100, true, true}, {60, true, true}, {1700, true, false}, {2000, false, true}}},
		{"film.mkv", "5.1", []string{"-c:a", "ac3", "-b:a", "640k"},
			[]place{{500, true, false}, {800, false, true}, {1100, true, true}, {60, true, true}, {1700, true, false}, {2000, false, true}}},
		{"cinema.mkv", "7.1", []string{"-c:a", "pcm_s24le"},
			[]place{{500, true, false}, {800, false, true}, {1100, true, true}, {60, true, true}, {1700, true, false}, {2000, false, true}, {2300, true, false}, {2600, false, true}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := s.For(t)
			var hz []int
			for _, c := range tt.channels {
				hz = append(hz, c.hz)
			}
			s.Generate(tt.name, append(surround(tt.layout, hz, 0.1), tt.args...)...)
			sound := studio.Listen(t, s.MustRender(heard(s.URL+"/"+tt.name)).Movie)
			left, right := sound.Left[24000:72000], sound.Right[24000:72000]
			for _, c := range tt.channels {
				l, r := studio.Tone(left, float64(c.hz)), studio.Tone(right, float64(c.hz))
				if (l > 0.02) != c.left || (r > 0.02) != c.right || max(l, r) > 0.13 {
					t.Errorf("%d Hz: %.3f left, %.3f right", c.hz, l, r)
				}
			}
		})
	}
}

// TestSound_isNotClipped: however loud a source or a mix of them is, its wave stays a wave.
func TestSound_isNotClipped(t *testing.T) {
	t.Parallel()
	s := studio.New(t)
	s.Generate("loud.wav", append(surround("5.1", []int{500, 500, 500, 60, 500, 500}, 0.95), "-c:a", "pcm_f32le")...)
	s.Generate("one.wav", "-f", "lavfi", "-i", "sine=f=500:d=2:r=48000,volume=7.6")
	one := studio.Object{"type": "audio", "src": s.URL + "/one.wav"}
	mixed := studio.Object{"width": 64, "height": 64, "scenes": studio.List{studio.Object{"elements": studio.List{one, one, one}}}}
	louder := studio.Object{"width": 64, "height": 64, "scenes": studio.List{studio.Object{"elements": studio.List{
		studio.Object{"type": "audio", "src": s.URL + "/one.wav", "volume": 10}}}}}
	for name, movie := range map[string]studio.Object{"all channels": heard(s.URL + "/loud.wav"), "three at once": mixed, "ten times as loud": louder} {
		sound := studio.Listen(t, s.MustRender(movie).Movie)
		left := sound.Left[24000:72000]
		if peak := studio.Peak(left); peak > 1.0 {
			t.Errorf("%s: the peak is %.3f", name, peak)
		}
		// A wave that is cut has its third and fifth harmonic; one that is turned down has not.
		base := studio.Tone(left, 500)
		if harmonics := math.Hypot(studio.Tone(left, 1500), studio.Tone(left, 2500)); base < 0.7 || harmonics > 0.03*base {
			t.Errorf("%s: the tone has %.3f, its harmonics %.3f", name, base, harmonics)
		}
	}
}
