//go:build !race

package render_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"moviola/adapters/render"
)

// truePeak is what ebur128 says of a file: integrated loudness in LUFS and true peak in dBTP.
func truePeak(t *testing.T, path string) (integrated, peak float64) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "ffmpeg", "-nostats", "-hide_banner", "-i", path, "-map", "0:a", "-af", "ebur128=peak=true",
		"-f", "null", "-").CombinedOutput()
	if err != nil {
		t.Fatalf("measure %s: %v: %s", path, err, out)
	}
	last := func(pattern string) float64 {
		all := regexp.MustCompile(pattern).FindAllSubmatch(out, -1)
		if len(all) == 0 {
			t.Fatalf("no %s in %s", pattern, out)
		}
		value, err := strconv.ParseFloat(string(all[len(all)-1][1]), 64)
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	return last(`I:\s+(\S+) LUFS`), last(`Peak:\s+(\S+) dBFS`)
}

// loudMix is sounds that are heard at once.
type loudMix struct {
	name   string
	sounds []string // as lavfi describes them
}

// loudMixes are mixes beyond full scale, or close to it, of so many seconds.
func loudMixes(seconds int) []loudMix {
	expr := func(e string) string { return fmt.Sprintf("aevalsrc=exprs='%s':d=%d:s=48000", e, seconds) }
	noise := func(options string) string { return fmt.Sprintf("anoisesrc=d=%d:r=48000:%s", seconds, options) }
	speech := "(random(0)*2-1)*exp(-8*mod(t,0.21))*(0.5+0.5*sin(2*PI*1.3*t))+0.6*sin(2*PI*(140+30*sin(2*PI*3*t))*t)*exp(-3*mod(t,0.4))"
	music := "0.5*sin(2*PI*110*t)+0.4*sin(2*PI*220.5*t)+0.3*sin(2*PI*331*t)+0.3*sin(2*PI*1760*t)*exp(-6*mod(t,0.5))+" +
		"1.2*sin(2*PI*55*t)*exp(-9*mod(t,0.5))+0.4*(random(1)*2-1)*exp(-30*mod(t+0.25,0.5))"
	full := func(hz float64) string { return expr(fmt.Sprintf("sin(2*PI*%g*t)", hz)) }
	return []loudMix{
		{"white noise", []string{noise("c=white:a=1:seed=1")}},
		{"pink noise", []string{noise("c=pink:a=1:seed=2")}},
		{"brown noise", []string{noise("c=brown:a=1:seed=3")}},
		{"blue noise", []string{noise("c=blue:a=1:seed=4,volume=15dB")}},
		{"violet noise", []string{noise("c=violet:a=1:seed=5,volume=20dB,volume=20dB")}},
		{"clicks", []string{expr("if(lt(mod(t,0.25),1/48000),1,0)")}},
		{"clicks both ways", []string{expr("if(lt(mod(t,0.1),1/48000),1,if(lt(mod(t+0.05,0.1),1/48000),-1,0))")}},
		{"bursts", []string{expr("if(lt(mod(t,0.5),0.02),random(0)*2-1,0)")}},
		{"three full-scale tones", []string{full(440), full(554.37), full(659.25)}},
		{"three high tones", []string{full(9001), full(11003), full(14007)}},
		{"a tone at a quarter of the rate", []string{expr("sin(2*PI*12000*t+PI/4)")}},
		{"a low tone", []string{full(40), full(41)}},
		{"a square wave", []string{expr("sgn(sin(2*PI*441*t))")}},
		{"a square wave, low", []string{expr("sgn(sin(2*PI*50*t))")}},
		{"a sawtooth", []string{expr("2*mod(t*331,1)-1")}},
		{"speech on music", []string{expr(speech), expr(music)}},
		{"music at full scale", []string{expr(music)}},
		{"speech on noise", []string{expr(speech), noise("c=pink:a=1:seed=6")}},
		{"a sweep", []string{expr("sin(2*PI*(20*t+2400*t*t))")}},
		{"sides that differ", []string{expr("sgn(sin(2*PI*700*t))|random(0)*2-1"), full(100)}},
	}
}

func asJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

func TestEngine_Render_truePeakIsAtMostMinusOne(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	// One of each kind by default: noise, clicks, tones, and speech on music.
	seconds, usual := 1, []string{"white noise", "clicks both ways", "three full-scale tones", "speech on music"}
	long := os.Getenv("MOVIOLA_TEST_LONG") != ""
	if long {
		seconds = 2
	}
	for i, mix := range loudMixes(seconds) {
		if !long && !slices.Contains(usual, mix.name) {
			continue
		}
		t.Run(mix.name, func(t *testing.T) {
			var elements []object
			for j, source := range mix.sounds {
				name := fmt.Sprintf("%d-%d.wav", i, j)
				b.generate(name, "-f", "lavfi", "-i", source, "-c:a", "pcm_f32le")
				elements = append(elements, object{"type": "audio", "src": name})
			}
			out := b.mustRender(object{"width": 64, "height": 64, "scenes": []object{{"elements": elements}}})
			integrated, peak := truePeak(t, out.Movie)
			t.Logf("%.1f LUFS, %.1f dBTP", integrated, peak)
			if peak > -1.0 {
				t.Errorf("true peak %.1f dBTP", peak)
			}
			if peak < -12 {
				t.Errorf("true peak %.1f dBTP: held down more than it needs", peak)
			}
			l := out.File.Loudness
			if l == nil || math.Abs(l.TruePeak-peak) > 0.15 || l.Integrated == nil || math.Abs(*l.Integrated-integrated) > 0.15 {
				t.Errorf("loudness is %s, measured: %.1f LUFS, %.1f dBTP", asJSON(l), integrated, peak)
			}
		})
	}
}

// A mix that keeps the limit by itself is given to the encoder as it is.
func TestEngine_Render_quietMixIsNotTouched(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.generate("music.wav", "-f", "lavfi", "-i",
		"aevalsrc=exprs='0.5*sin(2*PI*110*t)+0.2*sin(2*PI*1760*t)|0.4*sin(2*PI*331*t)+0.1*(random(1)*2-1)':d=2:s=48000", "-c:a", "pcm_s16le")
	out := b.mustRender(object{"width": 64, "height": 64, "scenes": []object{{"elements": []object{{"type": "audio", "src": "music.wav"}}}}})
	want := filepath.Join(t.TempDir(), "want.m4a")
	args := append([]string{"-v", "error", "-i", filepath.Join(b.media.dir, "music.wav"), "-af", "aformat=sample_fmts=fltp"}, render.SoundEncoder...)
	if out, err := exec.CommandContext(t.Context(), "ffmpeg", append(args, want)...).CombinedOutput(); err != nil {
		t.Fatalf("encode: %v: %s", err, out)
	}
	if got, want := samplesOf(t, out.Movie), samplesOf(t, want); !bytes.Equal(got, want) {
		t.Errorf("the sound is another one than the mix: %d and %d bytes", len(got), len(want))
	}
}

// samplesOf is a file's sound, decoded.
func samplesOf(t *testing.T, path string) []byte {
	t.Helper()
	raw, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-i", path, "-map", "0:a", "-f", "f32le", "-").Output()
	if err != nil {
		t.Fatalf("decode %s: %v", path, err)
	}
	return raw
}
