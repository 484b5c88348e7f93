package blobs_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"moviola/adapters/blobs"
)

// A backup is taken while the folder is in use, and put into another one under the database's name.
func TestBackup(t *testing.T) {
	t.Parallel()
	dir, restored, to := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "documents 1.db")
	bucket := mustOpen(t, dir, "movies/")
	for i := range 10 {
		mustPut(t, bucket, fmt.Sprintf("movies/a/%d.json", i), fmt.Sprint(i))
	}
	n, err := blobs.Backup(t.Context(), dir, to)
	if err != nil || n != 10 {
		t.Fatalf("%d documents, %v", n, err)
	}
	mustPut(t, bucket, "movies/a/1.json", "later")
	if _, err := blobs.Backup(t.Context(), dir, to); err == nil {
		t.Error("a backup was overwritten")
	}
	info, err := os.Stat(to)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := os.Rename(to, filepath.Join(restored, "documents.db")); err != nil {
		t.Fatal(err)
	}
	again := mustOpen(t, restored, "movies/")
	if got := mustRead(t, again, "movies/a/1.json"); got != "1" {
		t.Errorf("restored %q", got)
	}
	mustPut(t, again, "movies/a/1.json", "new")
}

func TestBackup_OfNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	to := filepath.Join(dir, "copy.db")
	if _, err := blobs.Backup(t.Context(), dir, to); err == nil {
		t.Error("nothing was backed up")
	}
	left, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}
