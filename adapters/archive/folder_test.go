package archive_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"moviola/adapters/archive"
	"moviola/internal/backup"
)

// broken yields some bytes and then fails.
type broken struct{ r io.Reader }

func (b broken) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if errors.Is(err, io.EOF) {
		err = errors.New("the source broke")
	}
	return n, err
}

func TestFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "place")
	f, err := archive.NewFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	if names, err := f.List(ctx, "log/"); err != nil || len(names) > 0 {
		t.Errorf("an empty place lists %v, %v", names, err)
	}
	if _, err := f.Open(ctx, "log/a"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("open nothing: %v", err)
	}
	for name, content := range map[string]string{"log/aa/1": "one", "log/ab/2": "two", "files/aa/3": "three"} {
		if err := f.Put(ctx, name, strings.NewReader(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Put(ctx, "log/aa/1", strings.NewReader("replaced")); err != nil {
		t.Fatal(err)
	}
	if err := f.Put(ctx, "log/aa/9", broken{strings.NewReader("half")}); err == nil {
		t.Error("half a file was stored")
	}
	ended, end := context.WithCancel(ctx)
	end()
	if err := f.Put(ended, "log/aa/8", strings.NewReader("late")); !errors.Is(err, context.Canceled) {
		t.Errorf("after its context: %v", err)
	}
	names, err := f.List(ctx, "log/")
	slices.Sort(names)
	if err != nil || !slices.Equal(names, []string{"log/aa/1", "log/ab/2"}) {
		t.Errorf("listed %v, %v", names, err)
	}
	file, err := f.Open(ctx, "log/aa/1")
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(file)
	if err = errors.Join(err, file.Close()); err != nil || string(content) != "replaced" {
		t.Errorf("read %q, %v", content, err)
	}
	left := 0
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if want := map[bool]os.FileMode{true: 0o700, false: 0o600}[entry.IsDir()]; err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: mode %v, %v", path, info.Mode(), err)
		}
		if !entry.IsDir() {
			left++
		}
		return nil
	})
	if err != nil || left != 3 {
		t.Errorf("%d files, %v", left, err)
	}
}

// TestFolder_cutShort: what a backup has left that was killed while it wrote a file is removed, and not what another one may be
// writing.
func TestFolder_cutShort(t *testing.T) {
	t.Parallel()
	dir, now := t.TempDir(), time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)
	f, err := archive.NewFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Put(t.Context(), "log/aa/1", strings.NewReader("one")); err != nil {
		t.Fatal(err)
	}
	for name, age := range map[string]time.Duration{".unfinished-1": 25 * time.Hour, ".unfinished-2": time.Hour, "1": 25 * time.Hour} {
		path := filepath.Join(dir, "log", "aa", name)
		if err := os.WriteFile(path, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	a, err := backup.Create(t.Context(), backup.Config{Place: f})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Begin(t.Context(), now, "test"); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "log", "aa", "*"))
	if err != nil || len(left) != 2 || filepath.Base(left[0]) != ".unfinished-2" {
		t.Errorf("left are %v, %v", left, err)
	}
}
