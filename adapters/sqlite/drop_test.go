package sqlite_test

import (
	"path/filepath"
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
		err := docs.Commit(t.Context(), projections.Batch{Writes: []projections.Write{{
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
