package speech_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"moviola/adapters/speech"
	"moviola/commands"
	"moviola/domain"
)

// TestSpeak_Connection: a voice that names a connection is spoken by the provider behind it, with its key and the movie's model.
func TestSpeak_Connection(t *testing.T) {
	t.Parallel()
	p := newProvider(t, func(_ int, w http.ResponseWriter) { write(t, w, twoParts()) })
	saved := func(_ context.Context, account domain.AccountID, id string) (speech.Endpoint, error) {
		switch {
		case account != "a" || id != "mine" && id != "fixed":
			return speech.Endpoint{}, domain.Errorf(domain.NotFound, "connection_not_found", "Connection %s not found", id)
		case id == "fixed":
			return speech.Endpoint{URL: p.URL, Key: "own", Model: "kokoro"}, nil
		}
		return speech.Endpoint{URL: p.URL, Key: "own"}, nil
	}
	e := newEngine(t, speech.Config{Client: p.Client(), Saved: saved, Espeak: "/nonexistent/espeak-ng"})
	for _, tt := range []struct{ connection, model, want string }{
		{"mine", "elevenlabs", "elevenlabs"}, {"mine", "azure", "tts-1"}, {"fixed", "elevenlabs", "kokoro"},
	} {
		mustSpeak(t, e, commands.SpeechRequest{Account: "a", Text: "Hello " + tt.model + tt.connection, Model: tt.model, Connection: tt.connection})
		got := <-p.requests
		var body struct{ Model string }
		if err := json.Unmarshal(got.body, &body); err != nil || body.Model != tt.want || got.key != "Bearer own" {
			t.Errorf("%s: asked for %q with key %q, %v", tt.connection, body.Model, got.key, err)
		}
	}
	var fault *domain.Error
	if _, err := e.Speak(t.Context(), commands.SpeechRequest{Account: "b", Text: "Hello", Connection: "mine"}); !errors.As(err, &fault) || fault.Message != "Connection mine not found" {
		t.Errorf("another account's connection: %v", err)
	}
	none := newEngine(t, speech.Config{})
	if _, err := none.Speak(t.Context(), commands.SpeechRequest{Text: "Hello", Connection: "mine"}); !errors.As(err, &fault) || !strings.Contains(fault.Message, "'mine' does not exist") {
		t.Errorf("without connections: %v", err)
	}
}

// TestTranscribe_Connection: for subtitles that name a connection, the provider behind it transcribes the sound, with its
// key, even if the server has a provider of its own.
func TestTranscribe_Connection(t *testing.T) {
	t.Parallel()
	p := newProvider(t, func(_ int, w http.ResponseWriter) {
		write(t, w, []byte(`{"words":[{"word":"Hello","start":0,"end":1}]}`))
	})
	saved := func(_ context.Context, account domain.AccountID, id string) (speech.Endpoint, error) {
		switch {
		case account != "a" || id != "mine" && id != "fixed":
			return speech.Endpoint{}, domain.Errorf(domain.NotFound, "connection_not_found", "Connection %s not found", id)
		case id == "fixed":
			return speech.Endpoint{URL: p.URL, Key: "own", Model: "large"}, nil
		}
		return speech.Endpoint{URL: p.URL, Key: "own"}, nil
	}
	servers := speech.Endpoint{URL: "http://127.0.0.1:1", Key: "of the server"}
	e := newEngine(t, speech.Config{Client: p.Client(), Saved: saved, Transcription: servers})
	path := soundFile(t)
	for _, tt := range []struct{ connection, model, want string }{
		{"mine", "default", "whisper-1"}, {"mine", "scribe", "scribe"}, {"fixed", "whisper", "large"},
	} {
		words, err := e.Transcribe(t.Context(), commands.TranscriptionRequest{Account: "a", Path: path, Model: tt.model, Connection: tt.connection})
		if err != nil || len(words) != 1 {
			t.Fatalf("%s: %v, %v", tt.connection, words, err)
		}
		got := <-p.requests
		if model := readForm(t, got).Value["model"]; len(model) != 1 || model[0] != tt.want || got.key != "Bearer own" {
			t.Errorf("%s: asked for %q with key %q", tt.connection, model, got.key)
		}
	}
	var fault *domain.Error
	if _, err := e.Transcribe(t.Context(), commands.TranscriptionRequest{Account: "b", Path: path, Connection: "mine"}); !errors.As(err, &fault) || fault.Message != "Connection mine not found" {
		t.Errorf("another account's connection: %v", err)
	}
	none := newEngine(t, speech.Config{Client: p.Client(), Transcription: servers})
	if _, err := none.Transcribe(t.Context(), commands.TranscriptionRequest{Path: path, Connection: "mine"}); !errors.As(err, &fault) || !strings.Contains(fault.Message, "'mine' does not exist") {
		t.Errorf("without connections: %v", err)
	}
}

// Whatever may call an endpoint needs a client.
func TestNew_needsClient(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]speech.Config{
		"speech": {Speech: speech.Endpoint{URL: "https://speech.example"}}, "transcription": {Transcription: speech.Endpoint{URL: "https://speech.example"}},
		"saved connections": {Saved: func(context.Context, domain.AccountID, string) (speech.Endpoint, error) {
			return speech.Endpoint{}, nil
		}},
	} {
		cfg.Dir, cfg.Log, cfg.Espeak = t.TempDir(), quiet(), "/nonexistent/espeak-ng"
		if _, err := speech.New(t.Context(), cfg); err == nil {
			t.Errorf("%s: there is an engine without a client", name)
		}
	}
}

// TestSpeak_slowEndpoint: however many texts an account has an endpoint of its own speak slowly, others are served.
func TestSpeak_slowEndpoint(t *testing.T) {
	t.Parallel()
	open := make(chan struct{})
	slow := newProvider(t, func(_ int, w http.ResponseWriter) {
		<-open
		write(t, w, twoParts())
	})
	p := newProvider(t, func(_ int, w http.ResponseWriter) { write(t, w, twoParts()) })
	e := remoteEngine(t, p, func(c *speech.Config) {
		c.Espeak = "/nonexistent/espeak-ng"
		c.Saved = func(context.Context, domain.AccountID, string) (speech.Endpoint, error) {
			return speech.Endpoint{URL: slow.URL}, nil
		}
	})
	var group sync.WaitGroup
	for i := range 40 {
		group.Go(func() {
			request := commands.SpeechRequest{Account: "slow", Connection: "own", Text: fmt.Sprint("Text ", i)}
			if _, err := e.Speak(t.Context(), request); err != nil {
				t.Error(err)
			}
		})
	}
	<-slow.requests
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second) // only a failure takes that long
	defer stop()
	if _, err := e.Speak(ctx, commands.SpeechRequest{Account: "other", Text: "Hello"}); err != nil {
		t.Error(err)
	}
	close(open)
	group.Wait()
}
