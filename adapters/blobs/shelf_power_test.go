package blobs_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"moviola/adapters/blobs"
	"moviola/commands"
	"moviola/tests/disk"
)

// nearlyMoved is how long a document is that leaves little room in the write-ahead log before it is moved into the file.
const nearlyMoved = 15 << 20

// TestShelf_DiskFull fills the disk under many hands. Who is refused learns why, and nothing of it is there; the rest can be read; once
// there is room, all goes on without a restart.
func TestShelf_DiskFull(t *testing.T) {
	t.Parallel()
	d := disk.New(t, 160)
	bucket := mustOpen(t, filepath.Join(d.Path, "files"), "movies/")
	mustPut(t, bucket, "movies/large.json", strings.Repeat("x", nearlyMoved))
	total := 0
	for round := range 4 {
		var room int64 // at first none at all
		if round > 0 {
			room = rand.Int64N(1 << 20)
		}
		d.Fill(room)
		prefix := fmt.Sprintf("movies/%d/", round)
		stored, refused := putUntilRefused(t, bucket, prefix)
		for _, key := range stored {
			if got, err := readAll(t, bucket, key); err != nil || got != content(key) {
				t.Errorf("%s was stored: %.40q, %v", key, got, err)
			}
		}
		for _, key := range refused {
			if got, err := readAll(t, bucket, key); !errors.Is(err, commands.ErrFileNotFound) {
				t.Errorf("%s was refused: %.40q, %v", key, got, err)
			}
		}
		d.MakeRoom()
		for _, key := range refused {
			mustPut(t, bucket, key, content(key))
			if got, err := readAll(t, bucket, key); err != nil || got != content(key) {
				t.Errorf("%s was stored at last: %.40q, %v", key, got, err)
			}
		}
		keys, err := bucket.List(t.Context(), prefix)
		if err != nil || len(keys) != len(stored)+len(refused) {
			t.Errorf("%d were stored and %d at last, %d are there, %v", len(stored), len(refused), len(keys), err)
		}
		for _, key := range keys {
			if err := bucket.Delete(t.Context(), key); err != nil {
				t.Error(err)
			}
		}
		total += len(stored)
	}
	if total == 0 {
		t.Error("nothing was stored")
	}
}

// TestShelf_RoomBitByBit gives a full disk a little room at a time, which is taken by whatever needs it first: the log, and at last the
// index of the log, for which one piece does not suffice any more. A document is refused until there is room for all of it.
func TestShelf_RoomBitByBit(t *testing.T) {
	t.Parallel()
	d := disk.New(t, 64)
	bucket := mustOpen(t, filepath.Join(d.Path, "files"), "movies/")
	mustPut(t, bucket, "movies/large.json", strings.Repeat("x", nearlyMoved))
	body := strings.Repeat("y", 2<<20)
	refused := errors.New("not yet stored")
	for room := int64(len(body)); refused != nil; room = 16 << 10 {
		d.Fill(room)
		refused = bucket.Put(t.Context(), "movies/1.json", strings.NewReader(body))
		got, err := readAll(t, bucket, "movies/1.json")
		switch {
		case refused == nil && (err != nil || got != body):
			t.Errorf("stored: %d bytes, %v", len(got), err)
		case refused != nil && !errors.Is(refused, syscall.ENOSPC):
			t.Errorf("put on a full disk: %v", refused)
		case refused != nil && !errors.Is(err, commands.ErrFileNotFound):
			t.Errorf("refused: %d bytes, %v", len(got), err)
		}
		d.MakeRoom()
	}
	mustPut(t, bucket, "movies/2.json", body)
}

// putUntilRefused puts documents with many hands, each until one of its own is refused, because the disk is full.
func putUntilRefused(t *testing.T, bucket *blobs.Bucket, prefix string) (stored, refused []string) {
	t.Helper()
	var (
		mu    sync.Mutex
		hands sync.WaitGroup
	)
	for hand := range 8 {
		hands.Go(func() {
			for i := 0; ; i++ {
				key := fmt.Sprintf("%s%d-%d.json", prefix, hand, i)
				err := bucket.Put(t.Context(), key, strings.NewReader(content(key)))
				mu.Lock()
				if err == nil {
					stored = append(stored, key)
				} else {
					refused = append(refused, key)
				}
				mu.Unlock()
				if err != nil && !errors.Is(err, syscall.ENOSPC) {
					t.Errorf("put %s on a full disk: %v", key, err)
				}
				if err != nil {
					return
				}
			}
		})
	}
	hands.Wait()
	return stored, refused
}
