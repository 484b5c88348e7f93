package assets_test

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"moviola/adapters/assets"
	"moviola/commands"
	"moviola/domain"
)

// TestCache_Made: what a provider has made for one host is taken by another that shares no folder with it, by the same account, until it lapses
// or the account is forgotten.
func TestCache_Made(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			store := open(t)
			s := newSite(t, commands.Media{}, func(c *assets.Config) { c.Shared = store })
			file := filepath.Join(t.TempDir(), "voice.wav")
			if err := os.WriteFile(file, []byte("spoken"), 0o600); err != nil {
				t.Fatal(err)
			}
			for key, path := range map[string]string{"speech-1": file, "words-1": ""} {
				if err := s.KeepMade(t.Context(), "account", key, []byte("note of "+key), path); err != nil {
					t.Fatal(err)
				}
			}
			b, dir := s.other(t, store), t.TempDir()
			note, path, err := b.TakeMade(t.Context(), "account", "speech-1", dir)
			content, readErr := os.ReadFile(path)
			if err != nil || readErr != nil || string(note) != "note of speech-1" || string(content) != "spoken" || filepath.Dir(path) != dir ||
				!strings.HasPrefix(filepath.Base(path), ".new-") {
				t.Errorf("took %q, %q in %s, %v, %v", note, content, path, err, readErr)
			}
			if note, path, err := b.TakeMade(t.Context(), "account", "words-1", dir); err != nil || path != "" || string(note) != "note of words-1" {
				t.Errorf("took %q in %q, %v", note, path, err)
			}
			absent := func(when string, account, key string) {
				t.Helper()
				if _, _, err := b.TakeMade(t.Context(), domain.AccountID(account), key, dir); !errors.Is(err, commands.ErrFileNotFound) {
					t.Errorf("%s: %v", when, err)
				}
			}
			absent("another account", "stranger", "speech-1")
			absent("another key", "account", "speech-2")
			if err := s.SweepShared(t.Context(), time.Now().Add(71*time.Hour)); err != nil {
				t.Fatal(err)
			}
			if _, _, err := b.TakeMade(t.Context(), "account", "speech-1", dir); err != nil {
				t.Errorf("swept before its time: %v", err)
			}
			if err := s.Forget("account"); err != nil {
				t.Fatal(err)
			}
			absent("forgotten", "account", "speech-1")
			absent("forgotten", "account", "words-1")
		})
	}
}

func TestCache_Made_damaged(t *testing.T) {
	dir := t.TempDir()
	store := openStore(t, (&url.URL{Scheme: "file", Path: dir}).String())
	s := newSite(t, commands.Media{}, func(c *assets.Config) { c.Shared = store })
	file := filepath.Join(t.TempDir(), "voice.wav")
	if err := os.WriteFile(file, []byte("spoken"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.KeepMade(t.Context(), "account", "speech-1", []byte("note"), file); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "sources", "*", "files", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("stored %v, %v", files, err)
	}
	into := t.TempDir()
	for _, content := range []string{"other!", "spoken and more", ""} {
		if err := os.WriteFile(files[0], []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, path, err := s.TakeMade(t.Context(), "account", "speech-1", into); err == nil {
			t.Errorf("%q is taken: %s", content, path)
		}
	}
	if left, err := os.ReadDir(into); err != nil || len(left) > 0 {
		t.Errorf("it leaves %v, %v", left, err)
	}
}
