package blobs_test

import (
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

	"moviola/adapters/blobs"
)

// A folder that was kept open and has been removed meanwhile, by whichever process, is made again.
func TestBucket_PutsWhereAFolderWasTidiedAway(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bucket, other := mustOpen(t, dir), mustOpen(t, dir)
	for range 3 {
		mustPut(t, bucket, "movies/a/1.json", "x")
		if err := other.Delete(t.Context(), "movies/a/1.json"); err != nil {
			t.Fatal(err)
		}
		if err := other.Tidy(t.Context(), time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(dir, "movies", "a")); !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("the folder is still there: %v", err)
		}
	}
	mustPut(t, bucket, "movies/a/1.json", "y")
	if got := mustRead(t, other, "movies/a/1.json"); got != "y" {
		t.Errorf("read %q", got)
	}
}

func TestBucket_PutsIntoMoreFoldersThanItKeepsOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bucket := mustOpen(t, dir)
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			for i := range 100 {
				key := fmt.Sprintf("movies/%d/%d.json", (worker*100+i)%600, worker)
				if err := bucket.Put(t.Context(), key, strings.NewReader(key)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for i := range 600 {
		if written, err := bucket.List(t.Context(), fmt.Sprintf("movies/%d/", i)); err != nil || len(written) == 0 {
			t.Errorf("folder %d holds %v, %v", i, written, err)
		}
	}
	descriptors, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	if len(descriptors) > 2*256+100 { // the rest is the other tests'

		t.Errorf("%d open descriptors", len(descriptors))
	}
}

// endless yields bytes until its context ends, which it does itself after a while.
type endless struct {
	end  context.CancelFunc
	left int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left -= len(p); e.left < 0 {
		e.end()
	}
	return len(p), nil
}

func TestBucket_AnEndedPutLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bucket := mustOpen(t, dir)
	mustPut(t, bucket, "renders/p/1.mp4", "old")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := bucket.Put(ctx, "renders/p/1.mp4", &endless{end: cancel, left: 3 << 20})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("put: %v", err)
	}
	if err := bucket.Put(t.Context(), "renders/p/1.mp4", failing{strings.NewReader("part"), io.ErrUnexpectedEOF}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("put: %v", err)
	}
	left, err := os.ReadDir(filepath.Join(dir, "renders", "p"))
	if err != nil || len(left) != 1 {
		t.Errorf("the folder holds %v, %v", left, err)
	}
	if got := mustRead(t, bucket, "renders/p/1.mp4"); got != "old" {
		t.Errorf("read %q", got)
	}
}

// TestBucket_longNames: the longest name fits however many files the process has written.
func TestBucket_longNames(t *testing.T) {
	t.Parallel()
	bucket := mustOpen(t, t.TempDir())
	blobs.Written(36 * 36 * 36 * 36 * 36)
	mustPut(t, bucket, "a/"+strings.Repeat("x", 230), "content")
}
