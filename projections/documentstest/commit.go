package documentstest

import (
	"context"
	"errors"
	"sync"
	"testing"

	"moviola/projections"
)

func wantStale(t *testing.T, docs projections.Documents, w projections.Write) {
	t.Helper()
	err := docs.Commit(t.Context(), projections.Changes{Writes: []projections.Write{w}})
	if !errors.Is(err, projections.ErrStale) {
		t.Errorf("a write of %s at version %d ended with %v, not ErrStale", w.ID, w.Loaded, err)
	}
}

func checkpointLast(t *testing.T, open Open) {
	docs := withThings(t, open)
	place := func(loaded, rank int64) *projections.Write {
		w := write("checkpoint", loaded, thing{Rank: rank})
		return &w
	}
	err := docs.Commit(t.Context(), projections.Changes{
		Writes:     []projections.Write{write("a", 0, thing{Rank: 1}), write("b", 0, thing{Rank: 1})},
		Checkpoint: place(0, 1),
	})
	if err != nil {
		t.Fatalf("commit: %v", err)
	}
	stale := projections.Changes{
		Writes:     []projections.Write{write("c", 0, thing{Rank: 1}), write("a", 5, thing{Rank: 5}), write("b", 1, thing{Rank: 2})},
		Checkpoint: place(1, 2),
	}
	if err := docs.Commit(t.Context(), stale); !errors.Is(err, projections.ErrStale) {
		t.Fatalf("a batch with one stale document ended with %v", err)
	}
	if stored, doc := mustGet(t, docs, "checkpoint"); stored.Version != 1 || doc.Rank != 1 {
		t.Errorf("the checkpoint moved without its documents: version %d, %+v", stored.Version, doc)
	}
	if _, doc := mustGet(t, docs, "a"); doc.Rank != 1 {
		t.Errorf("the stale document was written: %+v", doc)
	}
	late := projections.Changes{Writes: []projections.Write{write("d", 0, thing{})}, Checkpoint: place(0, 7)}
	if err := docs.Commit(t.Context(), late); !errors.Is(err, projections.ErrStale) {
		t.Errorf("a batch with a stale checkpoint ended with %v", err)
	}
	if err := docs.Commit(t.Context(), projections.Changes{Checkpoint: place(1, 3)}); err != nil {
		t.Errorf("a checkpoint alone: %v", err)
	}
	if err := docs.Commit(t.Context(), projections.Changes{}); err != nil {
		t.Errorf("an empty batch: %v", err)
	}
}

// contention makes several processes increment one document. The final count must include every accepted increment.
func contention(t *testing.T, open Open) {
	const writers, counts = 4, 10
	var done sync.WaitGroup
	for range writers {
		docs := withThings(t, open)
		done.Go(func() {
			if err := countUp(t.Context(), docs, counts); err != nil {
				t.Errorf("count: %v", err)
			}
		})
	}
	done.Wait()
	stored, doc := mustGet(t, withThings(t, open), "counter")
	if doc.Rank != writers*counts || stored.Version != writers*counts {
		t.Errorf("counted to %d at version %d, not %d", doc.Rank, stored.Version, writers*counts)
	}
}

// countUp increments the counter n times.
func countUp(ctx context.Context, docs projections.Documents, n int) error {
	for counted := 0; counted < n; {
		found, err := docs.Get(ctx, things.Name, "counter")
		if err != nil {
			return err
		}
		var doc thing
		stored, ok := found["counter"]
		if ok {
			if err := stored.Body.Decode(&doc); err != nil {
				return err
			}
		}
		doc.Rank++
		err = docs.Commit(ctx, projections.Changes{Writes: []projections.Write{write("counter", stored.Version, doc)}})
		switch {
		case err == nil:
			counted++
		case !errors.Is(err, projections.ErrStale):
			return err
		}
	}
	return nil
}

func unindexable(t *testing.T, open Open) {
	docs := open(t)
	odd := projections.Collection{Name: "odd",
		Indexes: []projections.Index{{Name: "by", Fields: []projections.Field{{Name: "share"}}}}}
	lacking := projections.Collection{Name: "lacking",
		Indexes: []projections.Index{{Name: "by", Fields: []projections.Field{{Name: "skipped"}}}}}
	if err := docs.Declare(t.Context(), odd, lacking); err != nil {
		t.Fatalf("declare: %v", err)
	}
	for _, c := range []string{odd.Name, lacking.Name} {
		err := docs.Commit(t.Context(), projections.Changes{Writes: []projections.Write{{Collection: c, ID: "a",
			Document: thing{Share: 1.5}}}})
		if err == nil {
			t.Errorf("%s took it", c)
		}
		if found, err := docs.Get(t.Context(), c, "a"); err != nil || len(found) != 0 {
			t.Errorf("%s has it: %v, %v", c, found, err)
		}
	}
}
