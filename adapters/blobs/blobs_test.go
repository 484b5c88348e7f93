package blobs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/adapters/blobs"
	"moviola/commands"
)

// stores are the ways to open a store; each passes the same contract.
var stores = map[string]func(t *testing.T, dir string) *blobs.Bucket{
	"folder":              func(t *testing.T, dir string) *blobs.Bucket { return mustOpen(t, dir) },
	"folder url":          func(t *testing.T, dir string) *blobs.Bucket { return mustOpen(t, "file://"+dir) },
	"all on the shelf":    func(t *testing.T, dir string) *blobs.Bucket { return mustOpen(t, dir, "") },
	"some on the shelf":   func(t *testing.T, dir string) *blobs.Bucket { return mustOpen(t, dir, "movies/", "renders/p/", "d/n") },
	"files of an earlier": openAfterFiles,
}

// openAfterFiles opens a store whose files are put as files of their own first, as earlier versions did.
func openAfterFiles(t *testing.T, dir string) *blobs.Bucket {
	earlier := mustOpen(t, dir)
	for _, key := range everyKey {
		mustPut(t, earlier, key, "of an earlier version")
	}
	later := mustOpen(t, dir, "")
	for _, key := range everyKey {
		if got := mustRead(t, later, key); got != "of an earlier version" {
			t.Errorf("%s holds %q", key, got)
		}
		mustPut(t, later, key, "replaced")
		if err := later.Delete(t.Context(), key); err != nil {
			t.Error(err)
		}
	}
	return later
}

// everyKey are some of the keys that the rules use.
var everyKey = []string{"a/b", "d/f", "d/new", "f", "movies/default/AbCdEfGh12345678.json", "renders/p/1.mp4", "shared/file"}

// rules are the contract that every store keeps.
var rules = map[string]func(*testing.T, commands.Files){
	"stores and reads":             storesAndReads,
	"replaces whole":               replacesWhole,
	"a missing file":               missingFile,
	"seeks":                        seeks,
	"lists by prefix in order":     lists,
	"a failed Put changes nothing": failedPut,
	"an ended context":             endedContext,
	"refuses bad keys":             refusesBadKeys,
	"an open file outlives Delete": outlivesDelete,
	"many writers":                 manyWriters,
}

func TestFiles(t *testing.T) {
	t.Parallel()
	for store, open := range stores {
		for name, rule := range rules {
			t.Run(store+"/"+name, func(t *testing.T) {
				t.Parallel()
				rule(t, open(t, t.TempDir()))
			})
		}
	}
}

func storesAndReads(t *testing.T, files commands.Files) {
	for _, content := range []string{"", "x", strings.Repeat("0123456789", 100_000)} {
		mustPut(t, files, "movies/default/AbCdEfGh12345678.json", content)
		if got := mustRead(t, files, "movies/default/AbCdEfGh12345678.json"); got != content {
			t.Errorf("read %d bytes, stored %d", len(got), len(content))
		}
	}
}

func replacesWhole(t *testing.T, files commands.Files) {
	mustPut(t, files, "a/b", "a longer content")
	mustPut(t, files, "a/b", "short")
	if got := mustRead(t, files, "a/b"); got != "short" {
		t.Errorf("got %q", got)
	}
}

func missingFile(t *testing.T, files commands.Files) {
	ctx := t.Context()
	mustPut(t, files, "renders/p/1.mp4", "x")
	for _, key := range []string{"nothing", "renders/p", "renders/p/2.mp4"} {
		if _, err := files.Open(ctx, key); !errors.Is(err, commands.ErrFileNotFound) {
			t.Errorf("open %s: %v", key, err)
		}
	}
	if err := files.Delete(ctx, "renders/q/1.mp4"); err != nil {
		t.Errorf("delete what is not there: %v", err)
	}
	if err := errors.Join(files.Delete(ctx, "renders/p/1.mp4"), files.Delete(ctx, "renders/p/1.mp4")); err != nil {
		t.Errorf("delete twice: %v", err)
	}
	if _, err := files.Open(ctx, "renders/p/1.mp4"); !errors.Is(err, commands.ErrFileNotFound) {
		t.Errorf("open a deleted file: %v", err)
	}
}

func seeks(t *testing.T, files commands.Files) {
	before := time.Now().Add(-time.Minute)
	mustPut(t, files, "f", "0123456789")
	f := mustOpenFile(t, files, "f")
	if f.Size() != 10 || f.ModTime().Before(before) {
		t.Errorf("size %d, modified %s", f.Size(), f.ModTime())
	}
	for _, step := range []struct {
		offset int64
		whence int
		want   string
	}{{4, io.SeekStart, "45"}, {-1, io.SeekEnd, "9"}, {0, io.SeekStart, "01"}, {3, io.SeekCurrent, "56"}} {
		if _, err := f.Seek(step.offset, step.whence); err != nil {
			t.Fatalf("seek: %v", err)
		}
		got := make([]byte, len(step.want))
		if _, err := io.ReadFull(f, got); err != nil || string(got) != step.want {
			t.Errorf("after seek %d/%d: %q, %v", step.offset, step.whence, got, err)
		}
	}
}

func lists(t *testing.T, files commands.Files) {
	all := []string{"movies/a/1.json", "renders/p/1.jpg", "renders/p/1.mp4", "renders/p/2.mp4", "renders/pq/1.mp4"}
	for _, i := range []int{3, 0, 4, 2, 1} {
		mustPut(t, files, all[i], "x")
	}
	for prefix, want := range map[string][]string{
		"": all, "renders/p/": all[1:4], "renders/p": all[1:], "renders/p/1": all[1:3], "none/": nil, "x": nil,
	} {
		got, err := files.List(t.Context(), prefix)
		if err != nil {
			t.Errorf("list %q: %v", prefix, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("list %q (-want +got):\n%s", prefix, diff)
		}
	}
}

// failing yields some bytes and then an error.
type failing struct {
	io.Reader
	err error
}

func (f failing) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		err = f.err
	}
	return n, err
}

func failedPut(t *testing.T, files commands.Files) {
	mustPut(t, files, "d/f", "old")
	broken := errors.New("broken")
	for _, key := range []string{"d/f", "d/new"} {
		if err := files.Put(t.Context(), key, failing{strings.NewReader("new"), broken}); !errors.Is(err, broken) {
			t.Errorf("put %s: %v", key, err)
		}
	}
	if got := mustRead(t, files, "d/f"); got != "old" {
		t.Errorf("after a failed Put: %q", got)
	}
	if keys, err := files.List(t.Context(), "d/"); err != nil || !cmp.Equal([]string{"d/f"}, keys) {
		t.Errorf("after a failed Put there is %v, %v", keys, err)
	}
}

func endedContext(t *testing.T, files commands.Files) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := files.Put(ctx, "f", strings.NewReader("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("put: %v", err)
	}
	if _, err := files.Open(t.Context(), "f"); !errors.Is(err, commands.ErrFileNotFound) {
		t.Errorf("a cancelled Put left a file: %v", err)
	}
}

func refusesBadKeys(t *testing.T, files commands.Files) {
	for _, key := range []string{
		"", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/./b", "a\\b", "a\x00b", "a\nb", "\xff", "a.tmp", "a.attrs",
		"a__0x2f__b", "documents.db", "documents.db-wal", strings.Repeat("x", 231), strings.Repeat("x/", 600) + "x",
	} {
		if err := files.Put(t.Context(), key, strings.NewReader("x")); err == nil {
			t.Errorf("put %q was accepted", key)
		}
		if _, err := files.Open(t.Context(), key); err == nil || errors.Is(err, commands.ErrFileNotFound) {
			t.Errorf("open %q: %v", key, err)
		}
		if err := files.Delete(t.Context(), key); err == nil {
			t.Errorf("delete %q was accepted", key)
		}
	}
	for _, prefix := range []string{"../", "/", "a/../", "a//"} {
		if _, err := files.List(t.Context(), prefix); err == nil {
			t.Errorf("list %q was accepted", prefix)
		}
	}
}

func outlivesDelete(t *testing.T, files commands.Files) {
	mustPut(t, files, "f", "content")
	f := mustOpenFile(t, files, "f")
	if err := files.Delete(t.Context(), "f"); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Seek(3, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(f); err != nil || string(got) != "tent" {
		t.Errorf("read %q, %v", got, err)
	}
}

func manyWriters(t *testing.T, files commands.Files) {
	var writers sync.WaitGroup
	for i := range 8 {
		writers.Go(func() {
			for range 5 {
				content := strings.Repeat(fmt.Sprint(i), 50_000)
				if err := files.Put(t.Context(), "shared/file", strings.NewReader(content)); err != nil {
					t.Errorf("put: %v", err)
				}
				got := mustRead(t, files, "shared/file")
				if len(got) != 50_000 || strings.Trim(got, got[:1]) != "" {
					t.Errorf("a torn file of %d bytes", len(got))
				}
			}
		})
	}
	writers.Wait()
}

func TestTwoProcesses_ShareAFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one, other := mustOpen(t, dir), mustOpen(t, dir)
	mustPut(t, one, "a/b", "from one")
	if got := mustRead(t, other, "a/b"); got != "from one" {
		t.Errorf("the other reads %q", got)
	}
}

func TestBucket_ListSaysWhenItCannotRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bucket := mustOpen(t, dir)
	// A file where the folder should be is an error that root meets too.
	if err := os.WriteFile(filepath.Join(dir, "renders"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if keys, err := bucket.List(t.Context(), "renders/"); err == nil {
		t.Errorf("listed %v", keys)
	}
}

func TestOpen_RefusesWhatItCannotOpen(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, where := range []string{file, "nosuch://bucket?secret=hunter2"} {
		_, err := blobs.Open(t.Context(), where)
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("open %s: %v", where, err)
		}
	}
}

func mustOpen(t *testing.T, where string, shelved ...string) *blobs.Bucket {
	t.Helper()
	bucket, err := blobs.Open(t.Context(), where, shelved...)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() {
		if err := bucket.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return bucket
}

func mustPut(t *testing.T, files commands.Files, key, content string) {
	t.Helper()
	if err := files.Put(t.Context(), key, bytes.NewBufferString(content)); err != nil {
		t.Fatalf("put %s: %v", key, err)
	}
}

func mustOpenFile(t *testing.T, files commands.Files, key string) commands.File {
	t.Helper()
	f, err := files.Open(t.Context(), key)
	if err != nil {
		t.Fatalf("open %s: %v", key, err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Errorf("close %s: %v", key, err)
		}
	})
	return f
}

func mustRead(t *testing.T, files commands.Files, key string) string {
	t.Helper()
	content, err := io.ReadAll(mustOpenFile(t, files, key))
	if err != nil {
		t.Fatalf("read %s: %v", key, err)
	}
	return string(content)
}
