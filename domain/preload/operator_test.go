package preload_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/preload"
)

// TestBatch_Drop: an item that has no result fails, and the last one closes the batch.
func TestBatch_Drop(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	b := preload.New()
	if got := b.Drop(0, "op", at); got != nil {
		t.Errorf("of no batch: %v", got)
	}
	b.Apply(preload.Requested{Account: "a", Items: []preload.Item{{ID: "x", Held: 10}, {ID: "y"}}, At: at})
	b.Apply(preload.ItemStarted{Index: 1, Attempt: 1, Worker: "w", At: at})
	failed := func(index, attempt int) preload.ItemFinished {
		return preload.ItemFinished{Index: index, Attempt: attempt, Worker: "op", At: at,
			Result: preload.Result{Error: "The item was given up by the operator of this service. Please request it again."}}
	}
	for _, step := range []struct {
		index int
		want  []domain.Event
	}{{2, nil}, {1, []domain.Event{failed(1, 1)}}, {1, nil}, {0, []domain.Event{failed(0, 0), preload.Finished{At: at}}}, {0, nil}} {
		got := b.Drop(step.index, "op", at)
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("item %d (-want +got):\n%s", step.index, diff)
		}
		for _, event := range got {
			b.Apply(event)
		}
	}
}
