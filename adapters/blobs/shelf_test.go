package blobs_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"moviola/adapters/blobs"
	"moviola/commands"
)

// openShelf opens the database of a store beside it.
func openShelf(t *testing.T, dir string) *sqlite.Conn {
	t.Helper()
	conn, err := sqlite.OpenConn(filepath.Join(dir, "documents.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	})
	return conn
}

func mustExecute(t *testing.T, conn *sqlite.Conn, statement string) {
	t.Helper()
	if err := sqlitex.ExecuteTransient(conn, statement, nil); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// What earlier versions have put into files of their own is listed and walked through with the rest, replaced and removed.
func TestShelf_TakesOverFromFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	earlier := mustOpen(t, dir)
	for _, name := range []string{"1", "2", "3"} {
		mustPut(t, earlier, "movies/a/"+name+".json", "old "+name)
	}
	bucket := mustOpen(t, dir, "movies/")
	mustPut(t, bucket, "movies/a/2.json", "new 2")
	mustPut(t, bucket, "movies/a/4.json", "new 4")
	mustPut(t, bucket, "renders/p/1.mp4", "a film")
	want := []string{"movies/a/1.json", "movies/a/2.json", "movies/a/3.json", "movies/a/4.json"}
	if got, err := bucket.List(t.Context(), "movies/"); err != nil || !cmp.Equal(want, got) {
		t.Errorf("listed %v, %v", got, err)
	}
	seen := map[string]int{}
	err := bucket.Walk(t.Context(), "movies/a/", func(key string, written time.Time) error {
		if age := time.Since(written); age < -time.Second || age > time.Hour {
			t.Errorf("%s was written %v ago", key, age)
		}
		seen[key]++
		return nil
	})
	if err != nil || !cmp.Equal(map[string]int{want[0]: 1, want[1]: 1, want[2]: 1, want[3]: 1}, seen) {
		t.Errorf("walked through %v, %v", seen, err)
	}
	for key, want := range map[string]string{want[0]: "old 1", want[1]: "new 2", want[3]: "new 4"} {
		if got := mustRead(t, bucket, key); got != want {
			t.Errorf("%s holds %q", key, got)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "movies", "a", "*")); len(left) != 2 {
		t.Errorf("files of their own: %v", left)
	}
	for _, key := range want {
		if err := bucket.Delete(t.Context(), key); err != nil {
			t.Error(err)
		}
		if _, err := bucket.Open(t.Context(), key); !errors.Is(err, commands.ErrFileNotFound) {
			t.Errorf("%s is still there: %v", key, err)
		}
	}
	if left, err := bucket.List(t.Context(), ""); err != nil || !cmp.Equal([]string{"renders/p/1.mp4"}, left) {
		t.Errorf("%v is left, %v", left, err)
	}
}

// Walks take no more than a page at a time.
func TestShelf_WalksPageByPage(t *testing.T) {
	t.Parallel()
	bucket := mustOpen(t, t.TempDir(), "movies/")
	const n = 1203
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			for i := worker; i < n; i += 8 {
				mustPut(t, bucket, fmt.Sprintf("movies/a/%04d.json", i), "x")
			}
		})
	}
	all.Wait()
	mustPut(t, bucket, "movies/b/1.json", "x")
	var seen []string
	err := bucket.Walk(t.Context(), "movies/a/", func(key string, _ time.Time) error {
		seen = append(seen, key)
		return bucket.Delete(t.Context(), key) // in the middle of it
	})
	if err != nil || len(seen) != n || seen[n-1] != "movies/a/1202.json" {
		t.Errorf("walked through %d, %v", len(seen), err)
	}
	if left, err := bucket.List(t.Context(), "movies/"); err != nil || !cmp.Equal([]string{"movies/b/1.json"}, left) {
		t.Errorf("%v is left, %v", left, err)
	}
}

// While another process writes, a Put waits as long as its context, and then stores nothing.
func TestShelf_WaitsForAnotherProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bucket := mustOpen(t, dir, "movies/")
	other := openShelf(t, dir)
	mustExecute(t, other, "BEGIN IMMEDIATE")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := bucket.Put(ctx, "movies/a/1.json", strings.NewReader("x")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("put: %v", err)
	}
	stored := make(chan error)
	go func() { stored <- bucket.Put(t.Context(), "movies/a/2.json", strings.NewReader("x")) }()
	mustExecute(t, other, "COMMIT")
	if err := <-stored; err != nil {
		t.Error(err)
	}
	if keys, err := bucket.List(t.Context(), ""); err != nil || !cmp.Equal([]string{"movies/a/2.json"}, keys) {
		t.Errorf("stored are %v, %v", keys, err)
	}
}

// A write that fails is told to everybody who has shared it, and leaves nothing; the next one succeeds.
func TestShelf_AFailedWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bucket := mustOpen(t, dir, "movies/")
	mustPut(t, bucket, "movies/a/0.json", "old")
	other := openShelf(t, dir)
	mustExecute(t, other, `CREATE TRIGGER trouble BEFORE INSERT ON documents BEGIN SELECT RAISE(ABORT, 'no'); END`)
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			if err := bucket.Put(t.Context(), fmt.Sprintf("movies/a/%d.json", i), strings.NewReader("x")); err == nil {
				t.Errorf("put %d succeeded", i)
			}
		})
	}
	all.Wait()
	mustExecute(t, other, "DROP TRIGGER trouble")
	if keys, err := bucket.List(t.Context(), ""); err != nil || !cmp.Equal([]string{"movies/a/0.json"}, keys) {
		t.Errorf("stored are %v, %v", keys, err)
	}
	if got := mustRead(t, bucket, "movies/a/0.json"); got != "old" {
		t.Errorf("read %q", got)
	}
	mustPut(t, bucket, "movies/a/0.json", "new")
	if got := mustRead(t, bucket, "movies/a/0.json"); got != "new" {
		t.Errorf("read %q", got)
	}
}

// What was removed is not to be found in the file any more, and only its owner may read the file.
func TestShelf_RemovesForGood(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bucket := mustOpen(t, dir, "movies/")
	secret := strings.Repeat("the secret of a customer ", 300)
	mustPut(t, bucket, "movies/a/1.json", secret)
	if err := bucket.Delete(t.Context(), "movies/a/1.json"); err != nil {
		t.Fatal(err)
	}
	mustExecute(t, openShelf(t, dir), "PRAGMA wal_checkpoint(TRUNCATE)")
	info, err := os.Stat(filepath.Join(dir, "documents.db"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	content, err := os.ReadFile(filepath.Join(dir, "documents.db")) // nothing is written any more
	if err != nil || strings.Contains(string(content), "secret of a customer") {
		t.Errorf("the removed document is still there, %v", err)
	}
}

func TestShelf_RefusesAnotherLayout(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mustExecute(t, openShelf(t, dir), "PRAGMA user_version = 99")
	if _, err := blobs.Open(t.Context(), dir, "movies/"); err == nil || !strings.Contains(err.Error(), "layout") {
		t.Errorf("error %v", err)
	}
}
