package scratch_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/adapters/scratch"
)

var (
	now    = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	before = now.Add(-72 * time.Hour)
)

// put writes a file, and makes it and the folders above it as old as said.
func put(t *testing.T, dir, path string, age time.Duration) {
	t.Helper()
	full := filepath.Join(dir, path)
	err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o700), os.WriteFile(full, nil, 0o600))
	for at := full; at != dir && err == nil; at = filepath.Dir(at) {
		err = os.Chtimes(at, now.Add(-age), now.Add(-age))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// paths are the files and the empty folders below a folder.
func paths(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		inside, err := filepath.Rel(dir, path)
		if entry.IsDir() {
			inside += "/"
		}
		found = append(found, inside)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestTidy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const old, young = 73 * time.Hour, 71 * time.Hour
	put(t, dir, "jobs/a/1/part.mp4", old)
	put(t, dir, "jobs/b/1/part.mp4", young)
	put(t, dir, "cache/x/old", old)
	put(t, dir, "cache/x/young", young)
	put(t, dir, "top", old)
	if err := os.Symlink(filepath.Join(dir, "cache"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := scratch.Tidy(t.Context(), dir, before); err != nil {
		t.Fatal(err)
	}
	want := []string{"cache/", "cache/x/", "cache/x/young", "jobs/", "jobs/b/", "jobs/b/1/", "jobs/b/1/part.mp4", "link"}
	if diff := cmp.Diff(want, paths(t, dir)); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}

func TestTidy_errors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := scratch.Tidy(t.Context(), filepath.Join(dir, "none"), before); err != nil {
		t.Errorf("no folder: %v", err)
	}
	put(t, dir, "old", 100*time.Hour)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := scratch.Tidy(ended, dir, before); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if err := scratch.Tidy(t.Context(), filepath.Join(dir, "old"), before); err == nil {
		t.Error("tidied a file")
	}
	if got := paths(t, dir); len(got) != 1 {
		t.Errorf("left %v", got)
	}
}
