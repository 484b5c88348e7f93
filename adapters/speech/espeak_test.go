//go:build !race

package speech_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/adapters/speech"
	"moviola/commands"
	"moviola/domain"
)

// events are the starts of words as espeak-ng's library reports them to programs that link it: a measure that has nothing in
// common with ours. They were written down once, for one version. Words that it does not report are null.
type events struct {
	Version string `json:"version"`
	Cases   []struct {
		Voice  string `json:"voice"`
		Text   string `json:"text"`
		Starts []*int `json:"starts_ms"`
	} `json:"cases"`
}

func TestSpeak_WordTimesAgreeWithTheLibrary(t *testing.T) {
	t.Parallel()
	needEspeak(t)
	raw, err := os.ReadFile("testdata/word_events.json")
	if err != nil {
		t.Fatal(err)
	}
	var known events
	if err := json.Unmarshal(raw, &known); err != nil {
		t.Fatal(err)
	}
	e := newEngine(t, speech.Config{})
	if e.Version() != known.Version {
		t.Skipf("the times were written down for %q, installed is %q", known.Version, e.Version())
	}
	worst, sum, n := 0.0, 0.0, 0
	for i, c := range known.Cases {
		// The times are those of the languages' own voices. A woman's differs from them by a little, and its times are warped from theirs.
		voice, most := strings.ToLower(c.Voice[:strings.LastIndex(c.Voice, "-")]), 80.0
		if i%3 == 0 {
			voice, most = c.Voice, 160
		}
		spoken := mustSpeak(t, e, commands.SpeechRequest{Text: c.Text, Voice: voice})
		if len(spoken.Words) != len(c.Starts) {
			t.Fatalf("%q: %d words, want %d", c.Text, len(spoken.Words), len(c.Starts))
		}
		for i, start := range c.Starts {
			if start == nil {
				continue
			}
			off := math.Abs(float64(spoken.Words[i].Start.Milliseconds() - int64(*start)))
			worst, sum, n = max(worst, off), sum+off, n+1
			if off > most {
				t.Errorf("%s: %q begins at %v, by the library at %d ms", voice, spoken.Words[i].Text, spoken.Words[i].Start, *start)
			}
		}
	}
	t.Logf("%d words: mean %.1f ms, worst %.0f ms off", n, sum/float64(n), worst)
}

// Words between pauses must begin and end where the sound does.
func TestSpeak_WordTimesFollowTheEnergy(t *testing.T) {
	t.Parallel()
	needEspeak(t)
	spoken := mustSpeak(t, newEngine(t, speech.Config{}), commands.SpeechRequest{
		Text: `One. <break time="1s"/> Banana. <break time="700ms"/> Remarkable. <break time="2s"/> Zoo!`,
	})
	samples, rate := pcm(t, spoken.Path)
	heard := loudParts(samples, rate)
	if len(heard) != 4 || len(spoken.Words) != 4 {
		t.Fatalf("heard %v, words %v", heard, showWords(spoken))
	}
	for i, w := range spoken.Words {
		if off := (w.Start - heard[i][0]).Abs(); off > 40*time.Millisecond {
			t.Errorf("%s begins at %v, its sound at %v", w.Text, w.Start, heard[i][0])
		}
		if off := (w.End - heard[i][1]).Abs(); off > 60*time.Millisecond {
			t.Errorf("%s ends at %v, its sound at %v", w.Text, w.End, heard[i][1])
		}
	}
	if gap := spoken.Words[1].Start - spoken.Words[0].End; gap < time.Second || gap > 1600*time.Millisecond {
		t.Errorf("the pause of a second lasts %v", gap)
	}
	if want := time.Duration(len(samples)) * time.Second / time.Duration(rate); (spoken.Duration - want).Abs() > time.Millisecond {
		t.Errorf("duration %v, the file has %v", spoken.Duration, want)
	}
}

func TestSpeak_Sound(t *testing.T) {
	t.Parallel()
	needEspeak(t)
	spoken := mustSpeak(t, newEngine(t, speech.Config{}), commands.SpeechRequest{Text: "The quick brown fox jumps over the lazy dog, again and again."})
	samples, rate := pcm(t, spoken.Path)
	peak, sum := 0.0, 0.0
	for _, v := range samples {
		peak, sum = max(peak, math.Abs(float64(v))), sum+float64(v)*float64(v)
	}
	if rms := 20 * math.Log10(math.Sqrt(sum/float64(len(samples)))/32768); rate != 22050 || rms < -28 || rms > -14 || peak > 32700 || peak < 8000 {
		t.Errorf("rate %d, level %.1f dB, peak %.0f", rate, rms, peak)
	}
	if d := spoken.Duration; d < 3*time.Second || d > 6*time.Second {
		t.Errorf("twelve words take %v", d)
	}
	if ffprobe, err := exec.LookPath("ffprobe"); err == nil {
		out, err := exec.CommandContext(t.Context(), ffprobe, "-v", "error", "-show_entries", "stream=codec_name,channels", "-of", "csv=p=0", spoken.Path).Output()
		if got := strings.TrimSpace(string(out)); err != nil || got != "pcm_s16le,1" {
			t.Errorf("ffprobe says %q, %v", got, err)
		}
	}
}

func TestSpeak_Words(t *testing.T) {
	t.Parallel()
	needEspeak(t)
	e := newEngine(t, speech.Config{})
	tests := []struct {
		name, text, voice string
		want              string
	}{
		{"punctuation stays with its word", `"Yes," she said — no!`, "", `"Yes,"|she|said|—|no!`},
		{"run together by the voice", "out of the blue", "", "out|of|the|blue"},
		{"numbers and signs", "It's 50% off at $9.99 & more", "", "It's|50%|off|at|$9.99|&|more"},
		{"phonemes and commands of the engine are text", "a [[h@l'oU]] \x01250S b", "", "a|[|[h@l'oU]|]|250S|b"},
		{"an option is text", "--version -w /tmp/x", "", "--version|-w|/tmp/x"},
		{"chinese", "你好，世界。", "zh-CN-XiaoxiaoNeural", "你|好，|世|界。"},
		{"emoji", "good 😀 day", "", "good|😀|day"},
		{"ssml", `<speak version="1.0"><voice name="en-US-A">Hello <emphasis>big</emphasis> world &amp; all</voice></speak>`, "", "Hello|big|world|&|all"},
		{"ssml with prosody and a substitute", `<speak><p>One <prosody rate="slow" pitch="+10%">two</prosody></p><sub alias="World Wide Web">WWW</sub></speak>`, "", "One|two|World|Wide|Web"},
		{"a less-than sign is no markup", "if 3 < 5 then", "", "if|3|<|5|then"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			spoken := mustSpeak(t, e, commands.SpeechRequest{Text: tt.text, Voice: tt.voice})
			var texts []string
			at := time.Duration(0)
			for _, w := range spoken.Words {
				texts = append(texts, w.Text)
				if w.Start < at || w.End < w.Start || w.End > spoken.Duration {
					t.Errorf("%q is from %v to %v, after %v, of %v", w.Text, w.Start, w.End, at, spoken.Duration)
				}
				at = w.Start
			}
			if diff := cmp.Diff(tt.want, strings.Join(texts, "|")); diff != "" {
				t.Errorf("words (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSpeak_LongText(t *testing.T) {
	t.Parallel()
	needEspeak(t)
	text := strings.TrimSpace(strings.Repeat("This is sentence number one, and it goes on for a while. ", 60)) // several passages
	spoken := mustSpeak(t, newEngine(t, speech.Config{}), commands.SpeechRequest{Text: text})
	if n := len(strings.Fields(text)); len(spoken.Words) != n {
		t.Fatalf("%d words, want %d", len(spoken.Words), n)
	}
	var first []time.Duration
	for _, w := range spoken.Words {
		if w.Text == "This" {
			first = append(first, w.Start)
		}
	}
	for i := 2; i < len(first); i++ {
		if step, usual := first[i]-first[i-1], first[1]-first[0]; (step - usual).Abs() > 400*time.Millisecond {
			t.Errorf("sentence %d begins %v after the one before it, others %v", i, step, usual)
		}
	}
}

// Decision 27.
func TestSpeak_Voices(t *testing.T) {
	t.Parallel()
	needEspeak(t)
	e := newEngine(t, speech.Config{})
	tests := []struct{ voice, model, warning string }{
		{"", "", ""},
		{"", "azure", ""},
		{"de", "azure", ""},
		{"en-US", "", ""},
		{"en-GB-LibbyNeural", "", "The voice 'en-GB-LibbyNeural' is not available, the built-in female voice for en-gb is used"},
		{"en-US-EmmaMultilingualNeural", "azure", "The voice 'en-US-EmmaMultilingualNeural' is not available, the built-in female voice for en-us is used"},
		{"de-AT-JonasNeural", "", "The voice 'de-AT-JonasNeural' is not available, the built-in male voice for de is used"},
		{"pt-BR-FranciscaNeural", "", "The voice 'pt-BR-FranciscaNeural' is not available, the built-in female voice for pt-br is used"},
		{"es-MX-DaliaNeural", "", "The voice 'es-MX-DaliaNeural' is not available, the built-in female voice for es-419 is used"},
		{"zh-HK-HiuMaanNeural", "", "The voice 'zh-HK-HiuMaanNeural' is not available, the built-in female voice for yue is used"},
		{"de-DE-NobodyNeural", "", "The voice 'de-DE-NobodyNeural' is not available, the built-in voice for de is used"},
		{"xx-XX-NobodyNeural", "", "The voice 'xx-XX-NobodyNeural' is not available, the built-in voice for en-gb is used"},
		{"Rachel", "", "The voice 'Rachel' is not available, the built-in voice for en-gb is used"},
		{"../../etc", "", "The voice '../../etc' is not available, the built-in voice for en-gb is used"},
		{"", "playht", "The voice model 'playht' is unknown, the built-in voice is used"},
	}
	for _, tt := range tests {
		t.Run(tt.voice+tt.model, func(t *testing.T) {
			t.Parallel()
			spoken := mustSpeak(t, e, commands.SpeechRequest{Text: "Test one two", Voice: tt.voice, Model: tt.model})
			if got := strings.Join(spoken.Warnings, ";"); got != tt.warning {
				t.Errorf("warned %q, want %q", got, tt.warning)
			}
			if len(spoken.Words) != 3 {
				t.Errorf("words %v", showWords(spoken))
			}
		})
	}
}

func TestSpeak_SettingsChangeTheSpeed(t *testing.T) {
	t.Parallel()
	needEspeak(t)
	e := newEngine(t, speech.Config{})
	length := func(settings map[string]any) time.Duration {
		return mustSpeak(t, e, commands.SpeechRequest{Text: "The quick brown fox jumps over the lazy dog", Settings: settings}).Duration
	}
	usual := length(nil)
	slow := length(map[string]any{"voice_settings": map[string]any{"speed": json.Number("0.7")}})
	fast := length(map[string]any{"speed": "1.2"})
	if slow < usual*6/5 || fast > usual*19/20 {
		t.Errorf("slow %v, usual %v, fast %v", slow, usual, fast)
	}
}

func TestSpeak_Refuses(t *testing.T) {
	t.Parallel()
	needEspeak(t)
	e := newEngine(t, speech.Config{})
	tests := []struct {
		name    string
		request commands.SpeechRequest
		want    string
	}{
		{"no text", commands.SpeechRequest{Text: "  \n "}, "needs a text with words to speak"},
		{"no words", commands.SpeechRequest{Text: "... !!! <break/>"}, "needs a text with words to speak"},
		{"too long", commands.SpeechRequest{Text: strings.Repeat("word ", 5000)}, "at most 20000 characters"},
		{"elevenlabs", commands.SpeechRequest{Text: "Hello", Model: "elevenlabs"}, "'elevenlabs' needs a speech provider"},
		{"elevenlabs of another kind", commands.SpeechRequest{Text: "Hello", Model: "elevenlabs-flash-v2-5"}, "'elevenlabs-flash-v2-5' needs a speech provider"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := e.Speak(t.Context(), tt.request)
			var refusal *domain.Error
			if !errors.As(err, &refusal) || !strings.Contains(refusal.Message, tt.want) {
				t.Errorf("got %v, want a refusal with %q", err, tt.want)
			}
		})
	}
}

func TestSpeak_WithoutEspeak(t *testing.T) {
	t.Parallel()
	e := newEngine(t, speech.Config{Espeak: "/nonexistent/espeak-ng"})
	var refusal *domain.Error
	if _, err := e.Speak(t.Context(), commands.SpeechRequest{Text: "Hello"}); !errors.As(err, &refusal) || !strings.Contains(refusal.Message, "install espeak-ng") {
		t.Errorf("got %v", err)
	}
	if e.Version() != "" {
		t.Errorf("version %q", e.Version())
	}
}
