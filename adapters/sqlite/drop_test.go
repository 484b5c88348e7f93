package sqlite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"moviola/projections"
)

// TestDocuments_dropGoesOn: commits go on while a large collection is dropped.
func TestDocuments_dropGoesOn(t *testing.T) {
	t.Parallel()
	docs := mustOpen(t, filepath.Join(t.TempDir(), "read.db"))
	fill(t, docs, 20_000)
	other := projections.Collection{Name: "others"}
	if err := docs.Declare(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	var dropped atomic.Bool
	ended := make(chan error, 1)
	go func() {
		err := docs.Drop(t.Context(), things.Name)
		dropped.Store(true)
		ended <- err
	}()
	commits := int64(0)
	for !dropped.Load() {
		err := docs.Commit(t.Context(), projections.Changes{Writes: []projections.Write{{
			Collection: other.Name, ID: "one", Loaded: commits, Document: map[string]any{"text": "x"},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		commits++
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if commits < 5 { // one before the drop began, one after it
		t.Errorf("%d commits while 20,000 documents were dropped", commits)
	}
	fill(t, docs, 1)
	if n, err := readAll(t, docs); n != 1 || err != nil {
		t.Errorf("%d documents after the drop, %v", n, err)
	}
}

// TestDocuments_shrinks: the file gives back the room of a dropped collection, also where others stand behind it.
func TestDocuments_shrinks(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "read.db")
	docs := mustOpen(t, path)
	fill(t, docs, 10_000)
	other := projections.Collection{Name: "others"}
	if err := docs.Declare(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	var batch projections.Changes
	for i := range 500 {
		batch.Writes = append(batch.Writes, projections.Write{
			Collection: other.Name, ID: fmt.Sprint(i), Document: map[string]any{"text": strings.Repeat("x", 2000)},
		})
	}
	if err := docs.Commit(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	if err := docs.Drop(t.Context(), things.Name); err != nil {
		t.Fatal(err)
	}
	if err := docs.Shrink(t.Context()); err != nil {
		t.Fatal(err)
	}
	page, err := docs.Page(t.Context(), other.Name, projections.Query{Index: projections.IDIndex, Limit: projections.MaxPage})
	if err != nil || len(page) != 500 {
		t.Fatalf("%d documents are left of 500, %v", len(page), err)
	}
	if err := docs.Close(); err != nil { // copies the write-ahead log into the file
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if most := int64(10 << 20); info.Size() > most { // 1 MB of documents and 4 MiB of free pages, after more than 20 MB
		t.Errorf("the file has %d bytes, the most is %d", info.Size(), most)
	}
}
