package chores_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/handlers/background/chores"
)

// storedFiles are files, with the times when they were written.
type storedFiles map[string]time.Time

func (s storedFiles) Walk(_ context.Context, prefix string, visit func(string, time.Time) error) error {
	for key, written := range s {
		if len(key) >= len(prefix) && key[:len(prefix)] == prefix {
			if err := visit(key, written); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s storedFiles) Delete(_ context.Context, key string) error {
	delete(s, key)
	return nil
}

func (s storedFiles) keys() map[string]bool {
	keys := map[string]bool{}
	for key := range s {
		keys[key] = true
	}
	return keys
}

// library names some keys from the start, and others once it has caught up.
type library struct {
	named, later map[string]bool
	err          error
}

func (l *library) Names(_ context.Context, key string) (bool, error) { return l.named[key], l.err }

func (l *library) catchUp(context.Context) error {
	for key := range l.later {
		l.named[key] = true
	}
	return nil
}

func TestMedia(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	old, young := now.Add(-2*time.Hour), now.Add(-time.Minute)
	files := storedFiles{
		"media/a/kept": old, "media/a/moving": old, "media/a/stray": old, "media/a/just-stored": young, "renders/p/1.mp4": old,
	}
	l := &library{named: map[string]bool{"media/a/kept": true}, later: map[string]bool{"media/a/moving": true}}
	if err := chores.Media(files, l, l.catchUp).Do(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"media/a/kept": true, "media/a/moving": true, "media/a/just-stored": true, "renders/p/1.mp4": true}
	if diff := cmp.Diff(want, files.keys()); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	l.err = errors.New("the store is away")
	if err := chores.Media(files, l, l.catchUp).Do(t.Context(), now); !errors.Is(err, l.err) {
		t.Errorf("error %v", err)
	}
}

func TestOld(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	files := storedFiles{"preloads/a/1": now.Add(-73 * time.Hour), "preloads/a/2": now.Add(-71 * time.Hour), "media/a/1": now.Add(-99 * time.Hour)}
	if err := chores.Old("prepared assets", "preloads/", 72*time.Hour, files).Do(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]bool{"preloads/a/2": true, "media/a/1": true}, files.keys()); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}
