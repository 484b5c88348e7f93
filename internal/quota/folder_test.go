package quota_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/internal/quota"
)

// store puts a file of so many bytes, that was used so many hours ago, into the folder of an account.
func store(t *testing.T, f *quota.Folder, dir, name string, size, hours int) error {
	t.Helper()
	account, _, _ := strings.Cut(name, "/")
	path := filepath.Join(dir, filepath.FromSlash(name))
	return f.Store(t.Context(), account, int64(size), func() error {
		used := time.Now().Add(-time.Duration(hours) * time.Hour)
		return errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, make([]byte, size), 0o600), os.Chtimes(path, used, used))
	})
}

// names are the files below a folder.
func names(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			name, _ := filepath.Rel(dir, path)
			all = append(all, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

// TestFolder: at a bound of an account its least recently used files are removed, at a total bound those of all accounts. A
// file is removed with its notes. Files in use stay, and then the write is refused. Only such a write is counted as refused.
func TestFolder(t *testing.T) {
	t.Parallel()
	type file struct {
		name        string
		size, hours int
	}
	before := []file{{"a/old.mp4", 400, 50}, {"a/old.json", 10, 9}, {"a/new.mp4", 400, 10}, {"a/new.json", 10, 1}, {"b/x", 100, 60}}
	for name, row := range map[string]struct {
		limits quota.Limits
		write  file
		left   []string
		full   *quota.FullError
	}{
		"there is room": {
			quota.Limits{Account: quota.Amount{Bytes: 1000}}, file{"a/z", 180, 0}, []string{"a/new.json", "a/new.mp4", "a/old.json", "a/old.mp4", "a/z", "b/x"}, nil,
		},
		"bytes of the account": {
			quota.Limits{Account: quota.Amount{Bytes: 1000}}, file{"a/z", 181, 0}, []string{"a/new.json", "a/new.mp4", "a/z", "b/x"}, nil,
		},
		"files of the account": {
			quota.Limits{Account: quota.Amount{Files: 4}}, file{"a/z", 1, 0}, []string{"a/new.json", "a/new.mp4", "a/z", "b/x"}, nil,
		},
		"bytes of all": {
			quota.Limits{Total: quota.Amount{Bytes: 1000}}, file{"a/z", 100, 0}, []string{"a/new.json", "a/new.mp4", "a/old.json", "a/old.mp4", "a/z"}, nil,
		},
		"files of all": {
			quota.Limits{Total: quota.Amount{Files: 5}}, file{"c/z", 100, 0}, []string{"a/new.json", "a/new.mp4", "a/old.json", "a/old.mp4", "c/z"}, nil,
		},
		"bytes of the account, and then of all": {
			quota.Limits{Account: quota.Amount{Bytes: 850}, Total: quota.Amount{Bytes: 550}}, file{"a/z", 90, 0}, []string{"a/new.json", "a/new.mp4", "a/z"}, nil,
		},
		"larger than everything": {
			quota.Limits{Account: quota.Amount{Bytes: 1000}}, file{"a/z", 1001, 0}, []string{"a/new.json", "a/new.mp4", "b/x"}, &quota.FullError{Limit: 1000},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for _, f := range before {
				if err := store(t, quota.NewFolder(dir, quota.Limits{}, 0), dir, f.name, f.size, f.hours); err != nil {
					t.Fatal(err)
				}
			}
			f := quota.NewFolder(dir, row.limits, 2*time.Hour)
			err := store(t, f, dir, row.write.name, row.write.size, row.write.hours)
			var full *quota.FullError
			errors.As(err, &full)
			if diff := cmp.Diff(row.full, full); diff != "" || (err == nil) != (row.full == nil) {
				t.Errorf("%v %s", err, diff)
			}
			if diff := cmp.Diff(row.left, names(t, dir)); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			var refused quota.Refusals
			if row.full != nil {
				refused.Account = 1
			}
			if diff := cmp.Diff(refused, f.Status().Refused); diff != "" {
				t.Errorf("refusals (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFolder_Writer: bytes are counted as they are written, and no longer when the file is dropped.
func TestFolder_Writer(t *testing.T) {
	t.Parallel()
	f := quota.NewFolder(t.TempDir(), quota.Limits{Account: quota.Amount{Bytes: 100}}, 0)
	for range 3 {
		w := f.Begin("a")
		var to strings.Builder
		if _, err := fmt.Fprint(w.Writer(t.Context(), &to), strings.Repeat("x", 90)); err != nil || to.Len() != 90 {
			t.Fatal(to.Len(), err)
		}
		if _, err := fmt.Fprint(w.Writer(t.Context(), &to), strings.Repeat("x", 11)); err == nil || to.Len() != 90 {
			t.Errorf("%d bytes were written: %v", to.Len(), err)
		}
		w.Drop()
	}
}

// TestFolder_Sweep: Sweep removes the files that were not used since a time, but no unfinished ones.
func TestFolder_Sweep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := quota.NewFolder(dir, quota.Limits{Account: quota.Amount{Bytes: 100}}, time.Hour)
	for name, hours := range map[string]int{"a/old.wav": 30, "a/new.wav": 20, "a/" + quota.Unfinished + "x": 40} {
		if err := store(t, f, dir, name, 30, hours); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Sweep(t.Context(), time.Now().Add(-25*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a/" + quota.Unfinished + "x", "a/new.wav"}, names(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// TestFolder_Sweep_together: of several sweeps at the same time each file is subtracted once.
func TestFolder_Sweep_together(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := quota.NewFolder(dir, quota.Limits{Account: quota.Amount{Bytes: 1 << 20}, Total: quota.Amount{Bytes: 1 << 20}}, time.Hour)
	for n := range 300 {
		if err := store(t, f, dir, fmt.Sprintf("a/%d.wav", n), 30, 30); err != nil {
			t.Fatal(err)
		}
	}
	if err := store(t, f, dir, "a/new.wav", 30, 0); err != nil {
		t.Fatal(err)
	}
	start := make(chan struct{})
	var sweeps sync.WaitGroup
	for range 8 {
		sweeps.Go(func() {
			<-start
			if err := f.Sweep(t.Context(), time.Now().Add(-time.Hour)); err != nil {
				t.Error(err)
			}
		})
	}
	close(start)
	sweeps.Wait()
	if got, want := f.Status().Kept, (quota.Amount{Bytes: 30, Files: 1}); got != want {
		t.Errorf("kept %+v, want %+v", got, want)
	}
}
