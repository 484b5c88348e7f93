package sqlite_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"moviola/adapters/sqlite"
	"moviola/projections"
)

var things = projections.Collection{Name: "things"}

// fill writes documents of some size.
func fill(t *testing.T, docs *sqlite.Documents, count int) {
	t.Helper()
	if err := docs.Declare(t.Context(), things); err != nil {
		t.Fatal(err)
	}
	var batch projections.Changes
	for i := range count {
		batch.Writes = append(batch.Writes, projections.Write{
			Collection: things.Name, ID: fmt.Sprint(i), Document: map[string]any{"text": string(bytes.Repeat([]byte{'x'}, 2000))},
		})
	}
	if err := docs.Commit(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
}

// damage overwrites a part of a file.
func damage(t *testing.T, path string, from, length int64) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.WriteAt(bytes.Repeat([]byte{0xA5}, int(length)), from)
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
}

// filled is the path of a closed file with documents, and its length.
func filled(t *testing.T) (string, int64) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "read-models.db")
	docs, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	fill(t, docs, 200)
	if err := docs.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, info.Size()
}

func asideOf(t *testing.T, path string) int {
	t.Helper()
	found, err := filepath.Glob(path + ".damaged-*Z")
	if err != nil {
		t.Fatal(err)
	}
	return len(found)
}

// TestOpen_damaged: a file that cannot be opened is set aside, and a new one can be used at once.
func TestOpen_damaged(t *testing.T) {
	t.Parallel()
	for name, length := range map[string]int64{"its beginning": 4096, "all of it": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, size := filled(t)
			if length == 0 {
				length = size
			}
			damage(t, path, 0, length)
			docs := mustOpen(t, path)
			if docs.Aside() == "" || asideOf(t, path) != 1 {
				t.Errorf("set aside as %q, %d files", docs.Aside(), asideOf(t, path))
			}
			fill(t, docs, 1)
		})
	}
	t.Run("not at all", func(t *testing.T) {
		t.Parallel()
		path, _ := filled(t)
		if docs := mustOpen(t, path); docs.Aside() != "" || asideOf(t, path) != 0 {
			t.Errorf("set aside as %q", docs.Aside())
		}
	})
}

// TestDocuments_damagedLater has a bad page that is met while two have the file open: the one that meets it says so, the other writes nothing
// any more, and both get one new file.
func TestDocuments_damagedLater(t *testing.T) {
	t.Parallel()
	path, size := filled(t)
	damage(t, path, 4096, size-4096)
	one, other := mustOpen(t, path), mustOpen(t, path)
	if err := other.Declare(t.Context()); err != nil {
		t.Fatalf("nothing was noticed yet: %v", err)
	}
	_, err := readAll(t, one)
	if !errors.Is(err, sqlite.ErrDamaged) {
		t.Fatalf("reading the damaged page: %v", err)
	}
	<-one.Damaged()
	if err := other.Declare(t.Context()); !errors.Is(err, sqlite.ErrDamaged) {
		t.Errorf("the other writes on: %v", err)
	}
	<-other.Damaged()

	again := mustOpen(t, path)
	if again.Aside() == "" || asideOf(t, path) != 1 {
		t.Fatalf("set aside as %q, %d files", again.Aside(), asideOf(t, path))
	}
	fill(t, again, 3)
	otherAgain := mustOpen(t, path)
	if otherAgain.Aside() != "" || asideOf(t, path) != 1 {
		t.Error("the new file was set aside as well")
	}
	for _, docs := range []*sqlite.Documents{one, other} { // they are late, and take nothing away
		if err := docs.Close(); err != nil {
			t.Error(err)
		}
	}
	if n, err := readAll(t, otherAgain); n != 3 || err != nil {
		t.Errorf("%d documents, %v", n, err)
	}
}

func readAll(t *testing.T, docs *sqlite.Documents) (int, error) {
	t.Helper()
	if err := docs.Declare(t.Context(), things); err != nil {
		return 0, err
	}
	page, err := docs.Page(t.Context(), things.Name, projections.Query{Index: projections.IDIndex, Limit: projections.MaxPage})
	return len(page), err
}
