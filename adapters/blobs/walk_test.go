package blobs_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestBucket_Tidy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bucket := mustOpen(t, dir)
	mustPut(t, bucket, "renders/p/1.mp4", "whole")
	stranded := filepath.Join(dir, "renders", "p", "2.mp4.18f.tmp")
	if err := os.WriteFile(stranded, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if keys, _ := bucket.List(t.Context(), ""); !cmp.Equal([]string{"renders/p/1.mp4"}, keys) {
		t.Errorf("a half-written file is listed: %v", keys)
	}
	for _, step := range []struct {
		before time.Time
		left   bool
	}{{time.Now().Add(-time.Hour), true}, {time.Now().Add(time.Hour), false}} {
		if err := bucket.Tidy(t.Context(), step.before); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(stranded); (err == nil) != step.left {
			t.Errorf("after Tidy(%s): %v", step.before, err)
		}
	}
	if got := mustRead(t, bucket, "renders/p/1.mp4"); got != "whole" {
		t.Errorf("Tidy touched a whole file: %q", got)
	}
}

// TestBucket_TidyRemovesEmptyFolders: a movie whose files are gone leaves no folder behind.
func TestBucket_TidyRemovesEmptyFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bucket := mustOpen(t, dir)
	for _, key := range []string{"renders/gone/1.mp4", "renders/kept/1.mp4"} {
		mustPut(t, bucket, key, "x")
	}
	if err := bucket.Delete(t.Context(), "renders/gone/1.mp4"); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		before time.Time
		left   int
	}{{time.Now().Add(-time.Hour), 2}, {time.Now().Add(time.Hour), 1}} {
		if err := bucket.Tidy(t.Context(), step.before); err != nil {
			t.Fatal(err)
		}
		if left, err := os.ReadDir(filepath.Join(dir, "renders")); err != nil || len(left) != step.left {
			t.Errorf("after Tidy(%s): %v, %v", step.before, left, err)
		}
	}
}

// TestBucket_Walk sees every file with its age, and no half-written one.
func TestBucket_Walk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bucket := mustOpen(t, dir)
	for _, key := range []string{"renders/p/1.mp4", "renders/p/1.jpg", "renders/q/2.mp4", "movies/a/p.json"} {
		mustPut(t, bucket, key, "x")
	}
	if err := os.WriteFile(filepath.Join(dir, "renders", "p", "2.mp4.18f.tmp"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	past := time.Now().Add(-48 * time.Hour).Truncate(time.Second)
	if err := os.Chtimes(filepath.Join(dir, "renders", "q", "2.mp4"), past, past); err != nil {
		t.Fatal(err)
	}
	walk := func(prefix string) (map[string]bool, error) {
		old := map[string]bool{}
		err := bucket.Walk(t.Context(), prefix, func(key string, written time.Time) error {
			old[key] = written.Equal(past)
			return nil
		})
		return old, err
	}
	for prefix, want := range map[string]map[string]bool{
		"renders/": {"renders/p/1.mp4": false, "renders/p/1.jpg": false, "renders/q/2.mp4": true},
		"movies/":  {"movies/a/p.json": false},
		"none/":    {},
		"":         {"renders/p/1.mp4": false, "renders/p/1.jpg": false, "renders/q/2.mp4": true, "movies/a/p.json": false},
	} {
		if got, err := walk(prefix); err != nil || !cmp.Equal(want, got) {
			t.Errorf("%q: %v, %v", prefix, got, err)
		}
	}
	if _, err := walk("renders"); err == nil {
		t.Error("walked half a name")
	}
	stop := errors.New("enough")
	if err := bucket.Walk(t.Context(), "", func(string, time.Time) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := bucket.Walk(ended, "", func(string, time.Time) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestBucket_RemoveAbandoned takes away what a process has left half-written that is gone, and not what is being written.
func TestBucket_RemoveAbandoned(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bucket := mustOpen(t, dir)
	stranded := filepath.Join(dir, "movie.mp4.1.tmp")
	young := filepath.Join(dir, "movie.mp4.2.tmp")
	old := time.Now().Add(-time.Minute)
	for _, path := range []string{stranded, young} {
		if err := os.WriteFile(path, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(stranded, old, old); err != nil {
		t.Fatal(err)
	}
	from, to := io.Pipe()
	put := make(chan error, 1)
	go func() { put <- bucket.Put(t.Context(), "slow.mp4", from) }()
	if _, err := to.Write([]byte("first half, ")); err != nil { // the file is there and locked
		t.Fatal(err)
	}
	written, err := filepath.Glob(filepath.Join(dir, "slow.mp4.*.tmp"))
	if err != nil || len(written) != 1 {
		t.Fatalf("%q, %v", written, err)
	}
	if err := os.Chtimes(written[0], old, old); err != nil {
		t.Fatal(err)
	}
	if err := bucket.RemoveAbandoned(t.Context()); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*.tmp"))
	if diff := cmp.Diff([]string{young, written[0]}, left); err != nil || diff != "" {
		t.Errorf("left (-want +got):\n%s, %v", diff, err)
	}
	if _, err := to.Write([]byte("second half")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(to.Close(), <-put); err != nil {
		t.Errorf("what was being written: %v", err)
	}
}
