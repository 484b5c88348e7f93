package speech_test

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/adapters/assets"
	"moviola/adapters/blobs"
	"moviola/adapters/speech"
	"moviola/commands"
	"moviola/domain"
	"moviola/domain/caption"
)

type noProber struct{}

func (noProber) Probe(context.Context, string, string) (commands.Media, error) {
	return commands.Media{}, commands.ErrNotMedia
}

// hosts returns what two hosts of an installation have in common: a storage.
func hosts(t *testing.T) (one, other *assets.Cache) {
	t.Helper()
	store, err := blobs.Open(t.Context(), (&url.URL{Scheme: "file", Path: t.TempDir()}).String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	host := func() *assets.Cache {
		c, err := assets.New(assets.Config{Client: http.DefaultClient, Dir: t.TempDir(), Prober: noProber{}, Shared: store})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	return host(), host()
}

// TestSpeak_OtherHost: what an endpoint has spoken for one host is not spoken again for another that shares no folder with it, though the endpoint
// is gone by then.
func TestSpeak_OtherHost(t *testing.T) {
	t.Parallel()
	one, other := hosts(t)
	p := newProvider(t, func(_ int, w http.ResponseWriter) { write(t, w, twoParts()) })
	request := commands.SpeechRequest{Account: "a", Text: "Hello there", Voice: "en-US-JennyNeural"}
	first := mustSpeak(t, remoteEngine(t, p, func(c *speech.Config) { c.Made = one }), request)
	p.Close()
	second := remoteEngine(t, p, func(c *speech.Config) { c.Made, c.Log = other, quiet() })
	got := mustSpeak(t, second, request)
	if got.Path == first.Path || !got.Cached {
		t.Errorf("it comes from %s, cached %v", got.Path, got.Cached)
	}
	if left, err := os.Stat(got.Path); err != nil || left.Size() == 0 {
		t.Errorf("its file: %v, %v", left, err)
	}
	got.Path, got.Cached = first.Path, first.Cached
	if diff := cmp.Diff(first, got); diff != "" {
		t.Errorf("(-first +other host):\n%s", diff)
	}
	for _, differs := range []commands.SpeechRequest{
		{Account: "b", Text: request.Text, Voice: request.Voice}, {Account: "a", Text: "Hello here", Voice: request.Voice},
	} {
		if _, err := second.Speak(t.Context(), differs); err == nil {
			t.Errorf("%+v was never spoken", differs)
		}
	}
}

// TestTranscribe_OtherHost: a sound that an endpoint has transcribed for one host is not transcribed again for another.
func TestTranscribe_OtherHost(t *testing.T) {
	t.Parallel()
	one, other := hosts(t)
	p := newProvider(t, func(_ int, w http.ResponseWriter) {
		write(t, w, []byte(`{"words":[{"word":"Hello","start":0,"end":1}]}`))
	})
	request := commands.TranscriptionRequest{Account: "a", Path: soundFile(t)}
	var heard [2][]caption.Word
	for i, store := range []*assets.Cache{one, other} {
		words, err := remoteEngine(t, p, func(c *speech.Config) { c.Made, c.Log = store, quiet() }).Transcribe(t.Context(), request)
		if err != nil || len(words) != 1 {
			t.Fatalf("host %d: %v, %v", i, words, err)
		}
		heard[i] = words
		if i == 0 {
			p.Close()
		}
	}
	if diff := cmp.Diff(heard[0], heard[1]); diff != "" {
		t.Errorf("(-first +other host):\n%s", diff)
	}
}

// damagedStore has a copy of a speech, but its note cannot be read.
type damagedStore struct{}

func (damagedStore) KeepMade(context.Context, domain.AccountID, string, []byte, string) error {
	return nil
}

func (damagedStore) TakeMade(_ context.Context, _ domain.AccountID, _, dir string) (note []byte, path string, err error) {
	path = filepath.Join(dir, ".new-copy")
	return []byte("no JSON"), path, os.WriteFile(path, []byte("sound"), 0o600)
}

// TestSpeak_DamagedCopy: of a copy that cannot be used nothing is left.
func TestSpeak_DamagedCopy(t *testing.T) {
	t.Parallel()
	p := newProvider(t, func(_ int, w http.ResponseWriter) { write(t, w, twoParts()) })
	got := mustSpeak(t, remoteEngine(t, p, func(c *speech.Config) { c.Made, c.Log = damagedStore{}, quiet() }), commands.SpeechRequest{Account: "a", Text: "Hello"})
	left, err := os.ReadDir(filepath.Dir(got.Path))
	if err != nil || len(left) != 2 {
		t.Errorf("the folder has %v, %v", left, err)
	}
}
