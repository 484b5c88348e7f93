package speech_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/adapters/speech"
	"moviola/commands"
	"moviola/domain"
	"moviola/internal/quota"
)

func TestSpeak_IsCached(t *testing.T) {
	t.Parallel()
	p := newProvider(t, func(_ int, w http.ResponseWriter) { write(t, w, twoParts()) })
	dir := t.TempDir()
	one := remoteEngine(t, p, func(c *speech.Config) { c.Dir = dir })
	first := mustSpeak(t, one, commands.SpeechRequest{Account: "a", Text: "Hello there", Voice: "en-US-JennyNeural"})
	if first.Cached {
		t.Error("what was never spoken before comes from the cache")
	}
	first.Cached = true // repetitions of the request come from the cache

	again := []struct {
		name    string
		engine  *speech.Engine
		request commands.SpeechRequest
		asks    bool
	}{
		{"the same", one, commands.SpeechRequest{Account: "a", Text: "Hello there", Voice: "en-US-JennyNeural"}, false},
		{"blanks do not matter", one, commands.SpeechRequest{Account: "a", Text: " Hello\n there ", Voice: "en-US-JennyNeural"}, false},
		{"after a restart", remoteEngine(t, p, func(c *speech.Config) { c.Dir = dir }), commands.SpeechRequest{Account: "a", Text: "Hello there", Voice: "en-US-JennyNeural"}, false},
		{"another account", one, commands.SpeechRequest{Account: "b", Text: "Hello there", Voice: "en-US-JennyNeural"}, true},
		{"another text", one, commands.SpeechRequest{Account: "a", Text: "Hello here", Voice: "en-US-JennyNeural"}, true},
		{"another voice", one, commands.SpeechRequest{Account: "a", Text: "Hello there", Voice: "shimmer"}, true},
		{"another speed", one, commands.SpeechRequest{Account: "a", Text: "Hello there", Voice: "en-US-JennyNeural", Settings: map[string]any{"speed": 1.1}}, true},
		{"another model of the provider", remoteEngine(t, p, func(c *speech.Config) { c.Dir, c.Speech.Model = dir, "tts-2" }), commands.SpeechRequest{Account: "a", Text: "Hello there", Voice: "en-US-JennyNeural"}, true},
	}
	for _, tt := range again {
		before := len(p.requests)
		got := mustSpeak(t, tt.engine, tt.request)
		if asked := len(p.requests) > before; asked != tt.asks {
			t.Errorf("%s: asked the provider: %v", tt.name, asked)
		}
		if !tt.asks {
			if diff := cmp.Diff(first, got); diff != "" {
				t.Errorf("%s (-first +again):\n%s", tt.name, diff)
			}
		}
	}
}

func TestSpeak_DamageIsNoticed(t *testing.T) {
	t.Parallel()
	damages := map[string]func(path, note string) error{
		"changed file": func(path, _ string) error { return os.WriteFile(path, twoParts()[:1000], 0o600) },
		"lost file":    func(path, _ string) error { return os.Remove(path) },
		"changed note": func(_, note string) error { return os.WriteFile(note, []byte("{"), 0o600) },
		"a note that points elsewhere": func(_, note string) error {
			return os.WriteFile(note, []byte(`{"file":"../../etc/passwd","hash":"x"}`), 0o600)
		},
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, func(_ int, w http.ResponseWriter) { write(t, w, twoParts()) })
			e := remoteEngine(t, p, nil)
			first := mustSpeak(t, e, commands.SpeechRequest{Text: "Hello"})
			notes, err := filepath.Glob(filepath.Join(filepath.Dir(first.Path), "*.json"))
			if err != nil || len(notes) != 1 {
				t.Fatalf("notes %v, %v", notes, err)
			}
			if err := damage(first.Path, notes[0]); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(first, mustSpeak(t, e, commands.SpeechRequest{Text: "Hello"})); diff != "" {
				t.Errorf("(-first +again):\n%s", diff)
			}
			if n := len(p.requests); n != 2 {
				t.Errorf("%d requests, want 2", n)
			}
			pcm(t, first.Path)
		})
	}
}

func TestSpeak_IsSharedByWhoAskAtOnce(t *testing.T) {
	t.Parallel()
	open := make(chan struct{})
	p := newProvider(t, func(_ int, w http.ResponseWriter) {
		<-open
		write(t, w, twoParts())
	})
	e := remoteEngine(t, p, nil)
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			if _, err := e.Speak(t.Context(), commands.SpeechRequest{Text: "Hello"}); err != nil {
				t.Errorf("speak: %v", err)
			}
		})
	}
	<-p.requests
	close(open)
	all.Wait()
	if n := len(p.requests); n != 0 {
		t.Errorf("%d more requests", n)
	}
}

// A use of cached speech sets the modification times of its files, by which the least recently used files are removed.
func TestSpeak_UseIsNoted(t *testing.T) {
	t.Parallel()
	p := newProvider(t, func(_ int, w http.ResponseWriter) { write(t, w, twoParts()) })
	e := remoteEngine(t, p, nil)
	dir := filepath.Dir(mustSpeak(t, e, commands.SpeechRequest{Text: "Hello"}).Path)
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 2 {
		t.Fatalf("files %v, %v; want sound and note", files, err)
	}
	then := time.Now().Add(-100 * time.Hour)
	for _, path := range files {
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
	}
	mustSpeak(t, e, commands.SpeechRequest{Text: "Hello"})
	for _, path := range files {
		if info, err := os.Stat(path); err != nil || time.Since(info.ModTime()) > time.Hour {
			t.Errorf("%s: changed %v, %v", filepath.Base(path), info.ModTime(), err)
		}
	}
	if n := len(p.requests); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

// Forget removes the cached files of one account; other accounts keep theirs.
func TestForget(t *testing.T) {
	t.Parallel()
	p := newProvider(t, func(_ int, w http.ResponseWriter) { write(t, w, twoParts()) })
	e := remoteEngine(t, p, nil)
	one, two := commands.SpeechRequest{Account: "one", Text: "Hello"}, commands.SpeechRequest{Account: "two", Text: "Hello"}
	mustSpeak(t, e, one)
	mustSpeak(t, e, two)
	for range 2 {
		if err := e.Forget("one"); err != nil {
			t.Fatal(err)
		}
	}
	if mustSpeak(t, e, one).Cached || !mustSpeak(t, e, two).Cached {
		t.Error("not the one account was forgotten")
	}
}

// TestSpeak_room: speech beyond the bound of the cache is refused while the cached speech is in use. Cached speech that was
// not used for an hour is removed in its favour.
func TestSpeak_room(t *testing.T) {
	t.Parallel()
	p := newProvider(t, func(_ int, w http.ResponseWriter) { write(t, w, twoParts()) })
	for name, row := range map[string]struct {
		most quota.Amount
		says string
	}{
		"files": {quota.Amount{Files: 2}, "come to 2 files, as much as they may"},
		"bytes": {quota.Amount{Bytes: int64(len(twoParts()) * 3 / 2)}, "bytes, as much as they may"},
	} {
		dir := t.TempDir()
		e := remoteEngine(t, p, func(c *speech.Config) { c.Dir, c.Room = dir, quota.Limits{Account: row.most} })
		say := func(account domain.AccountID, text string) (commands.Speech, error) {
			return e.Speak(t.Context(), commands.SpeechRequest{Account: account, Text: text, Voice: "en-US-JennyNeural"})
		}
		first, err := say("a", "Hello there")
		if err != nil {
			t.Fatal(err)
		}
		var refusal *domain.Error
		if _, err := say("a", "Hello here"); !errors.As(err, &refusal) || !strings.Contains(refusal.Message, row.says) {
			t.Errorf("%s: beyond the bound: %v, want %s", name, err, row.says)
		}
		if _, err := say("b", "Hello here"); err != nil {
			t.Errorf("%s: another account: %v", name, err)
		}
		long := time.Now().Add(-time.Hour)
		all, err := filepath.Glob(filepath.Join(filepath.Dir(first.Path), "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range all {
			if err := os.Chtimes(path, long, long); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := say("a", "Hello you"); err != nil {
			t.Errorf("%s: after an hour: %v", name, err)
		}
	}
}
