package speech_test

import (
	"errors"
	"net/http"
	"sync/atomic"
	"testing"

	"moviola/adapters/speech"
	"moviola/commands"
	"moviola/domain"
)

// refusing is a transport that refuses each request, as the guard does for an address inside of the service's network.
type refusing struct{ asked *atomic.Int64 }

func (r refusing) RoundTrip(*http.Request) (*http.Response, error) {
	r.asked.Add(1)
	return nil, refusedByGuard{}
}

type refusedByGuard struct{}

func (refusedByGuard) Error() string  { return "http://10.0.0.1:9 refused" }
func (refusedByGuard) Refused() bool  { return true }
func (refusedByGuard) Reason() string { return "the host is not a public address" }

// TestTranscribe_guard: an address that may not be called is said to be so at once, not tried again and called overloaded.
func TestTranscribe_guard(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	e := newEngine(t, speech.Config{Client: &http.Client{Transport: refusing{&asked}}, Transcription: speech.Endpoint{URL: "http://10.0.0.1:9/v1"}})
	_, err := e.Transcribe(t.Context(), commands.TranscriptionRequest{Path: soundFile(t)})
	var refusal *domain.Error
	if !errors.As(err, &refusal) || refusal.Message != "The speech provider at 10.0.0.1:9 is not called: the host is not a public address; change its address" {
		t.Errorf("the answer is %v", err)
	}
	if asked.Load() != 1 {
		t.Errorf("asked %d times", asked.Load())
	}
}
