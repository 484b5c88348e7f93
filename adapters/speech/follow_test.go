package speech_test

import (
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"moviola/adapters/speech"
	"moviola/commands"
	"moviola/domain/caption"
)

// A provider is imitated by another voice at another speed, whose own word times are known.
func TestSpeak_FollowsTheProvider(t *testing.T) {
	t.Parallel()
	needEspeak(t)
	const text = "Welcome to our weekly product update. Today we will walk through three new features, show you how they work, and explain " +
		"why your team is going to love them. First, the dashboard: it now loads twice as fast as before."
	for voice, speed := range map[string]float64{"en-gb-scotland": 1.25, "en-029": 0.8, "en-gb-x-rp": 1} {
		t.Run(voice, func(t *testing.T) {
			t.Parallel()
			truth := mustSpeak(t, newEngine(t, speech.Config{}), commands.SpeechRequest{
				Text: `<speak><break time="700ms"/>` + text + `</speak>`, Voice: voice, Settings: map[string]any{"speed": speed},
			})
			file, err := os.ReadFile(truth.Path)
			if err != nil {
				t.Fatal(err)
			}
			p := newProvider(t, func(_ int, w http.ResponseWriter) { write(t, w, file) })
			got := mustSpeak(t, remoteEngine(t, p, nil), commands.SpeechRequest{Text: text, Voice: "nova"})
			if len(got.Words) != len(truth.Words) {
				t.Fatalf("%d words, want %d", len(got.Words), len(truth.Words))
			}
			sum, worst := 0.0, 0.0
			last := time.Duration(0)
			for i, w := range got.Words {
				off := math.Abs(float64((w.Start - truth.Words[i].Start).Milliseconds()))
				sum, worst = sum+off, max(worst, off)
				if w.Text != truth.Words[i].Text || w.Start < last || w.End < w.Start || w.End > got.Duration {
					t.Errorf("%q from %v to %v, after %v", w.Text, w.Start, w.End, last)
				}
				last = w.Start
			}
			mean := sum / float64(len(got.Words))
			t.Logf("mean %.0f ms, worst %.0f ms off", mean, worst)
			if mean > 60 || worst > 250 || len(got.Warnings) > 0 {
				t.Errorf("mean %.0f ms, worst %.0f ms off; warned %v", mean, worst, got.Warnings)
			}
		})
	}
}

// Another synthesiser, with a pace and pauses of its own: what follows a pause must be found where the sound begins again.
func TestSpeak_FollowsAnotherSynthesiser(t *testing.T) {
	t.Parallel()
	needEspeak(t)
	const text = "Welcome to our weekly product update. Today we will walk through three new features, show you how they work, and " +
		"explain why your team is going to love them. First, the dashboard: it now loads twice as fast as before."
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "text"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "flite=textfile=text:voice=kal", "-c:a", "pcm_s16le", "kal.wav")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("ffmpeg has no flite, the only other synthesiser at hand: %v: %s", err, out)
	}
	file, err := os.ReadFile(filepath.Join(dir, "kal.wav"))
	if err != nil {
		t.Fatal(err)
	}
	p := newProvider(t, func(_ int, w http.ResponseWriter) { write(t, w, file) })
	got := mustSpeak(t, remoteEngine(t, p, nil), commands.SpeechRequest{Text: text, Voice: "nova"})
	samples, rate := pcm(t, got.Path)
	heard := loudParts(samples, rate)
	if len(heard) != 4 {
		t.Fatalf("the sound has parts %v, want 4", heard)
	}
	for i, word := range []string{"Welcome", "Today", "and", "it"} {
		found := slices.IndexFunc(got.Words, func(w caption.Word) bool { return w.Text == word })
		if off := (got.Words[found].Start - heard[i][0]).Abs(); i > 0 && off > 60*time.Millisecond {
			t.Errorf("%q is at %v, its sound begins at %v", word, got.Words[found].Start, heard[i][0])
		}
	}
}

// Without the built-in voice the words' times are estimated, which is said.
func TestSpeak_EstimatesWithoutBuiltInVoice(t *testing.T) {
	t.Parallel()
	p := newProvider(t, func(_ int, w http.ResponseWriter) { write(t, w, twoParts()) })
	e := remoteEngine(t, p, func(c *speech.Config) { c.Espeak = "/nonexistent/espeak-ng" })
	got := mustSpeak(t, e, commands.SpeechRequest{Text: "Hello there, big wide world. One, two, three."})
	last := time.Duration(0)
	for _, w := range got.Words {
		if w.Start < last || w.End < w.Start || w.End > got.Duration {
			t.Errorf("%q from %v to %v, after %v", w.Text, w.Start, w.End, last)
		}
		last = w.Start
	}
	if len(got.Words) != 8 || len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "estimated") {
		t.Errorf("words %v, warned %v", showWords(got), got.Warnings)
	}
}
