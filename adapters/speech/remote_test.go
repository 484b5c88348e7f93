package speech_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sirupsen/logrus"

	"moviola/adapters/speech"
	"moviola/commands"
	"moviola/domain"
)

// secret is a key that must not be seen anywhere but in the header.
const secret = "sk-very-secret-5e1f"

func remoteEngine(t *testing.T, p *provider, change func(*speech.Config)) *speech.Engine {
	t.Helper()
	cfg := speech.Config{
		Client:        p.Client(),
		Speech:        speech.Endpoint{URL: p.URL + "/v1", Key: secret},
		Transcription: speech.Endpoint{URL: p.URL, Key: secret},
	}
	if change != nil {
		change(&cfg)
	}
	return newEngine(t, cfg)
}

// twoParts is a sound with a pause from 0.8 to 1.5 seconds and silence at both ends.
func twoParts() []byte {
	return tones(2500*time.Millisecond, func(at time.Duration) bool {
		return at >= 200*time.Millisecond && at < 800*time.Millisecond || at >= 1500*time.Millisecond && at < 2300*time.Millisecond
	})
}

func TestSpeak_Endpoint(t *testing.T) {
	t.Parallel()
	p := newProvider(t, func(_ int, w http.ResponseWriter) { write(t, w, twoParts()) })
	e := remoteEngine(t, p, func(c *speech.Config) { c.Speech.Model, c.Espeak = "kokoro", "/nonexistent/espeak-ng" })
	spoken := mustSpeak(t, e, commands.SpeechRequest{
		Account: "a", Text: "<speak>Hello there, <break/> big wide world</speak>", Voice: "nova", Model: "elevenlabs",
		Settings: map[string]any{"speed": json.Number("1.1")},
	})
	got := <-p.requests
	if got.path != "/v1/audio/speech" || got.key != "Bearer "+secret || got.kind != "application/json" {
		t.Errorf("asked %s with key %q and %s", got.path, got.key, got.kind)
	}
	var body map[string]any
	if err := json.Unmarshal(got.body, &body); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"model": "kokoro", "voice": "nova", "input": "Hello there, big wide world", "response_format": "wav", "speed": 1.1}
	if diff := cmp.Diff(want, body); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
	if spoken.Duration != 2500*time.Millisecond || filepath.Ext(spoken.Path) != ".wav" {
		t.Errorf("%v in %s", spoken.Duration, spoken.Path)
	}
	// The phrase ends at the pause, even if the weights of its words give another time.
	if diff := cmp.Diff([]string{"200-462 Hello", "462-800 there,", "1500-1722 big", "1722-1988 wide", "1988-2300 world"}, showWords(spoken)); diff != "" {
		t.Errorf("words (-want +got):\n%s\n%v", diff, showWords(spoken))
	}
	pcm(t, spoken.Path) // the length in the file's header is right, though the stream's was not
}

// Speech of a text with pauses and rates is found again, although its words are timed without them.
func TestSpeak_EndpointKeepsWithPauses(t *testing.T) {
	t.Parallel()
	p := newProvider(t, func(_ int, w http.ResponseWriter) { write(t, w, twoParts()) })
	e := remoteEngine(t, p, nil)
	request := commands.SpeechRequest{Text: `<speak>Hello <break time="1s"/> <prosody rate="slow">wide world</prosody></speak>`}
	first := mustSpeak(t, e, request)
	if again := mustSpeak(t, e, request); again.Path != first.Path || len(p.requests) != 1 {
		t.Errorf("%d requests were made, and %s came after %s", len(p.requests), again.Path, first.Path)
	}
	if !e.AtHand(t.Context(), request) {
		t.Error("speech that was just made is not at hand")
	}
}

func TestSpeak_EndpointVoices(t *testing.T) {
	t.Parallel()
	tests := []struct{ asked, usual, want, warning string }{
		{"", "", "alloy", ""},
		{"", "af_bella", "af_bella", ""},
		{"en-GB-LibbyNeural", "af_bella", "af_bella", "The voice 'en-GB-LibbyNeural' is not available, the provider's voice 'af_bella' is used"},
		{"en-GB-LibbyNeural", "", "nova", "The voice 'en-GB-LibbyNeural' is not available, the provider's voice 'nova' is used"},
		{"de-DE-ConradNeural", "", "onyx", "The voice 'de-DE-ConradNeural' is not available, the provider's voice 'onyx' is used"},
		{"de-DE-NobodyNeural", "", "alloy", "The voice 'de-DE-NobodyNeural' is not available, the provider's voice 'alloy' is used"},
		{"shimmer", "af_bella", "shimmer", ""},
	}
	for _, tt := range tests {
		t.Run(tt.asked+"/"+tt.usual, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, func(_ int, w http.ResponseWriter) { write(t, w, twoParts()) })
			e := remoteEngine(t, p, func(c *speech.Config) { c.Speech.Voice = tt.usual })
			spoken := mustSpeak(t, e, commands.SpeechRequest{Text: "Hello", Voice: tt.asked})
			var body struct{ Voice, Model string }
			if err := json.Unmarshal((<-p.requests).body, &body); err != nil {
				t.Fatal(err)
			}
			if body.Voice != tt.want || body.Model != "tts-1" {
				t.Errorf("asked for %+v, want voice %s", body, tt.want)
			}
			if all := strings.Join(spoken.Warnings, "|"); tt.warning != "" && !strings.Contains(all, tt.warning) || strings.Contains(all, "not available") != (tt.warning != "") {
				t.Errorf("warned %q, want %q", all, tt.warning)
			}
		})
	}
}

func TestSpeak_EndpointThatAnswersMP3(t *testing.T) {
	t.Parallel()
	// 100 frames of MPEG 1, layer III, 128 kbit/s, 44.1 kHz: 417 bytes, 1152 samples each; a tag before and one after them.
	frame := append([]byte{0xff, 0xfb, 0x90, 0x00}, make([]byte, 413)...)
	file := append([]byte("ID3\x04\x00\x00\x00\x00\x00\x05....."), bytes.Repeat(frame, 100)...)
	file = append(file, "TAG"...)
	p := newProvider(t, func(_ int, w http.ResponseWriter) { write(t, w, file) })
	spoken := mustSpeak(t, remoteEngine(t, p, nil), commands.SpeechRequest{Text: "Hello world"})
	if want := 100 * 1152 * time.Second / 44100; (spoken.Duration-want).Abs() > time.Millisecond || filepath.Ext(spoken.Path) != ".mp3" {
		t.Errorf("%v in %s, want %v", spoken.Duration, spoken.Path, want)
	}
	if kept, err := os.ReadFile(spoken.Path); err != nil || !bytes.Equal(kept, file) {
		t.Errorf("the file was changed (%v)", err)
	}
	if n := len(spoken.Words); n != 2 || spoken.Words[1].End != spoken.Duration {
		t.Errorf("words %v", showWords(spoken))
	}
}

// Failures of endpoints say what to change and never what the endpoint said or who asked.
func TestEndpoint_Failures(t *testing.T) {
	t.Parallel()
	status := func(code int) func(int, http.ResponseWriter) {
		return func(_ int, w http.ResponseWriter) {
			w.WriteHeader(code)
			_, _ = io.WriteString(w, `{"error":{"message":"Incorrect API key provided: `+secret+`"}}`)
		}
	}
	tests := []struct {
		name   string
		answer func(int, http.ResponseWriter)
		tries  int
		want   string
	}{
		{"wrong key", status(401), 1, "refused its key; set the right one"},
		{"forbidden", status(403), 1, "refused its key; set the right one"},
		{"bad request", status(400), 1, "refused the request with status 400; check the"},
		{"not found", status(404), 1, "refused the request with status 404; check the"},
		{"a redirect", status(302), 1, "refused the request with status 302; check the"},
		{"too large", status(413), 1, "too large"},
		{"overloaded", status(429), 3, "cannot be reached or is overloaded; try again later"},
		{"broken", status(500), 3, "cannot be reached or is overloaded; try again later"},
		{"no answer", func(int, http.ResponseWriter) { panic(http.ErrAbortHandler) }, 3, "cannot be reached or is overloaded; try again later"},
		{"an answer of something else", func(_ int, w http.ResponseWriter) { _, _ = io.WriteString(w, "<html>"+secret) }, 1, "check its address and model"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, tt.answer)
			var logged bytes.Buffer
			log := logrus.New()
			log.SetOutput(&logged)
			log.SetLevel(logrus.TraceLevel)
			e := remoteEngine(t, p, func(c *speech.Config) { c.Log = log })
			_, speakErr := e.Speak(t.Context(), commands.SpeechRequest{Text: "Hello"})
			_, hearErr := e.Transcribe(t.Context(), commands.TranscriptionRequest{Path: soundFile(t)})
			for _, err := range []error{speakErr, hearErr} {
				var refusal *domain.Error
				if !errors.As(err, &refusal) || !strings.Contains(refusal.Message, tt.want) {
					t.Errorf("got %v, want a refusal with %q", err, tt.want)
				}
				if text := err.Error() + logged.String(); strings.Contains(text, secret) || strings.Contains(text, "/v1") {
					t.Errorf("the text %q says too much", text)
				}
			}
			if n := len(p.requests); n != 2*tt.tries {
				t.Errorf("%d requests, want %d", n, 2*tt.tries)
			}
		})
	}
}

func TestEndpoint_IsTriedAgain(t *testing.T) {
	t.Parallel()
	p := newProvider(t, func(try int, w http.ResponseWriter) {
		if try < 2 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		write(t, w, twoParts())
	})
	if spoken := mustSpeak(t, remoteEngine(t, p, nil), commands.SpeechRequest{Text: "Hello"}); len(spoken.Words) != 1 {
		t.Errorf("words %v", showWords(spoken))
	}
}

func TestEndpoint_EndsWithItsCaller(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	p := newProvider(t, func(int, http.ResponseWriter) { <-hang })
	t.Cleanup(func() { close(hang) })
	e := remoteEngine(t, p, nil)
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	go func() {
		<-p.requests
		cancel(gone)
	}()
	if _, err := e.Transcribe(ctx, commands.TranscriptionRequest{Path: soundFile(t)}); !errors.Is(err, gone) {
		t.Errorf("got %v", err)
	}
}

func TestEndpoint_TimesOut(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	p := newProvider(t, func(int, http.ResponseWriter) { <-hang })
	t.Cleanup(func() { close(hang) })
	e := remoteEngine(t, p, func(c *speech.Config) { c.Timeout = 20 * time.Millisecond })
	var refusal *domain.Error
	if _, err := e.Speak(t.Context(), commands.SpeechRequest{Text: "Hello"}); !errors.As(err, &refusal) || !strings.Contains(refusal.Message, "cannot be reached") {
		t.Errorf("got %v", err)
	}
}

func soundFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mix.wav")
	if err := os.WriteFile(path, twoParts(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTranscribe(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, answer string
		want         []string
	}{
		{"words", `{"text":"Hello, World!","words":[{"word":"hello","start":0.5,"end":0.75},{"word":"world","start":0.8,"end":1.25}]}`,
			[]string{"500-750 Hello,", "800-1250 World!"}},
		{"words with blanks and no text", `{"words":[{"word":" Hello","start":0.5,"end":0.75},{"word":" world.","start":0.8,"end":1.25}]}`,
			[]string{"500-750 Hello", "800-1250 world."}},
		{"text that differs from the words", `{"text":"So, the number is 42, right?","words":[{"word":"the","start":0,"end":1},{"word":"forty-two","start":1,"end":2},{"word":"right","start":2,"end":3}]}`,
			[]string{"0-1000 the", "1000-2000 forty-two", "2000-3000 right?"}},
		{"words inside segments", `{"segments":[{"text":"a b","start":0,"end":2,"words":[{"word":"a","start":0,"end":0.5},{"word":"b","start":1,"end":2}]}]}`,
			[]string{"0-500 a", "1000-2000 b"}},
		{"segments only", `{"text":"four even","segments":[{"text":" four even","start":1,"end":3},{"text":"bye","start":4,"end":3}]}`,
			[]string{"1000-2000 four", "2000-3000 even", "4000-4000 bye"}},
		{"silence", `{"text":"","words":[],"segments":[]}`, nil},
		{"odd times", `{"words":[{"word":"a","start":-5,"end":1e300}]}`, []string{"0-86400000 a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, func(_ int, w http.ResponseWriter) { write(t, w, []byte(tt.answer)) })
			words, err := remoteEngine(t, p, nil).Transcribe(t.Context(), commands.TranscriptionRequest{Path: soundFile(t)})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, showWords(commands.Speech{Words: words})); diff != "" {
				t.Errorf("words (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTranscribe_Request(t *testing.T) {
	t.Parallel()
	tests := []struct {
		language string
		keywords []string
		want     map[string][]string
	}{
		{"de-CH", []string{"Moviola", "ffmpeg"}, map[string][]string{"language": {"de"}, "prompt": {"Moviola, ffmpeg"}}},
		{"auto", nil, map[string][]string{}},
		{"", []string{strings.Repeat("é", 900)}, map[string][]string{"prompt": {strings.Repeat("é", 800)}}},
	}
	for _, tt := range tests {
		t.Run(tt.language, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, func(_ int, w http.ResponseWriter) { write(t, w, []byte(`{}`)) })
			path := soundFile(t)
			request := commands.TranscriptionRequest{Path: path, Language: tt.language, Keywords: tt.keywords}
			if _, err := remoteEngine(t, p, nil).Transcribe(t.Context(), request); err != nil {
				t.Fatal(err)
			}
			got := <-p.requests
			if got.path != "/v1/audio/transcriptions" || got.key != "Bearer "+secret {
				t.Errorf("asked %s with key %q", got.path, got.key)
			}
			form := readForm(t, got)
			tt.want["model"], tt.want["response_format"] = []string{"whisper-1"}, []string{"verbose_json"}
			tt.want["timestamp_granularities[]"] = []string{"word", "segment"}
			if diff := cmp.Diff(tt.want, form.Value); diff != "" {
				t.Errorf("form (-want +got):\n%s", diff)
			}
			if files := form.File["file"]; len(files) != 1 || files[0].Filename != "sound.wav" || files[0].Size != int64(len(twoParts())) {
				t.Errorf("files %+v", form.File)
			}
		})
	}
}

func readForm(t *testing.T, r received) *multipart.Form {
	t.Helper()
	_, params, err := mime.ParseMediaType(r.kind)
	if err != nil {
		t.Fatal(err)
	}
	form, err := multipart.NewReader(bytes.NewReader(r.body), params["boundary"]).ReadForm(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	return form
}

func TestTranscribe_Refuses(t *testing.T) {
	t.Parallel()
	var refusal *domain.Error
	_, err := newEngine(t, speech.Config{}).Transcribe(t.Context(), commands.TranscriptionRequest{Path: soundFile(t)})
	if !errors.As(err, &refusal) || !strings.Contains(refusal.Message, "need a transcription provider") {
		t.Errorf("without a provider: %v", err)
	}
	p := newProvider(t, func(_ int, w http.ResponseWriter) { write(t, w, []byte(`{"text":"words without times"}`)) })
	if _, err := remoteEngine(t, p, nil).Transcribe(t.Context(), commands.TranscriptionRequest{Path: soundFile(t)}); !errors.As(err, &refusal) || !strings.Contains(refusal.Message, "gives no times") {
		t.Errorf("without times: %v", err)
	}
	if _, err := remoteEngine(t, p, nil).Transcribe(t.Context(), commands.TranscriptionRequest{Path: filepath.Join(t.TempDir(), "none.wav")}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a file: %v", err)
	}
}

// TestTranscribe_cache: a sound is transcribed once, so that another attempt at the movie does not pay again.
func TestTranscribe_cache(t *testing.T) {
	t.Parallel()
	p := newProvider(t, func(_ int, w http.ResponseWriter) { write(t, w, []byte(`{"words":[{"word":"a","start":1,"end":2}]}`)) })
	e, path := remoteEngine(t, p, nil), soundFile(t)
	steps := []struct {
		request commands.TranscriptionRequest
		asked   int
	}{
		{commands.TranscriptionRequest{Path: path, Language: "de"}, 1},
		{commands.TranscriptionRequest{Path: path, Language: "de-CH"}, 1}, // the same to the provider
		{commands.TranscriptionRequest{Path: path, Language: "en"}, 2},
		{commands.TranscriptionRequest{Path: path, Language: "de", Keywords: []string{"b"}}, 3},
		{commands.TranscriptionRequest{Path: path, Language: "de", Account: "other"}, 4},
		{commands.TranscriptionRequest{Path: path, Language: "de"}, 4},
	}
	for i, step := range steps {
		words, err := e.Transcribe(t.Context(), step.request)
		if err != nil || len(words) != 1 || words[0].Start != time.Second {
			t.Fatalf("step %d: %v, %v", i, words, err)
		}
		if len(p.requests) != step.asked {
			t.Errorf("step %d: asked %d times, want %d", i, len(p.requests), step.asked)
		}
	}
}
