package projections_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"moviola/eventstore"
	"moviola/projections"
)

// forwards is a document store that fails a test when a checkpoint goes back.
type forwards struct {
	projections.Documents
	t  *testing.T
	mu sync.Mutex
	at map[string]int64 // highest position of each checkpoint, by generation
}

func (f *forwards) Commit(ctx context.Context, b projections.Changes) error {
	err := f.Documents.Commit(ctx, b)
	if err != nil || b.Checkpoint == nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	at := b.Checkpoint.Document.(projections.Checkpoint).Commit
	if at < f.at[b.Checkpoint.ID] {
		f.t.Errorf("the checkpoint of generation %s went back from %d to %d", b.Checkpoint.ID, f.at[b.Checkpoint.ID], at)
	}
	f.at[b.Checkpoint.ID] = max(f.at[b.Checkpoint.ID], at)
	return nil
}

// follower is an event store that remembers from where it is followed.
type follower struct {
	eventstore.Store
	mu   sync.Mutex
	from []eventstore.Position
}

func (f *follower) Subscribe(ctx context.Context, after eventstore.Position, filter eventstore.Filter) (eventstore.Subscription, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.from = append(f.from, after)
	return f.Store.Subscribe(ctx, after, filter)
}

func (f *follower) followed(position eventstore.Position) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Contains(f.from, position)
}

// TestReader_CheckpointsGoForwards: whoever folds events that are folded already leaves the checkpoint where it is.
func TestReader_CheckpointsGoForwards(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	docs := &forwards{Documents: w.documents(t), t: t, at: make(map[string]int64)}
	config := w.config(docs)
	config.BatchEvents = 5
	models := mustOpen(t, config)
	start(t, models)
	waitFor(t, models, w.history(t, 10))
	if err := models.Reader.Rebuild(t.Context(), nil, "balances"); err != nil {
		t.Fatal(err)
	}
}

// TestReader_BuildGoesOn: a build goes on after a restart behind its checkpoint, and does not read the log from its beginning.
func TestReader_BuildGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	plain := w.documents(t)
	models := mustOpen(t, w.config(plain))
	stop := start(t, models)
	waitFor(t, models, w.history(t, 10))
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	pointer := reshape(t, plain, "movies", -1)
	w.clock.now = time.Now().Add(2 * time.Hour)
	slow := &sluice{Documents: w.documents(t), open: make(chan struct{})}
	slow.through.Store(3)
	docs := &forwards{Documents: slow, t: t, at: make(map[string]int64)}
	store := &follower{Store: w.store}
	config := w.config(docs)
	config.BatchEvents, config.Log = 5, eventstore.NewLog(store, eventstore.NewCodec())
	stop = start(t, mustOpen(t, config))
	eventually(t, "three batches are built", func() bool { return slow.through.Load() < 0 })
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	close(slow.open)
	built := eventstore.Position{Commit: uint64(docs.at["2"]), Prepare: uint64(docs.at["2"])}
	start(t, mustOpen(t, config))
	eventually(t, "what was built is current", func() bool { return pointerOf(t, plain).Generation > pointer.Generation })
	if !store.followed(built) {
		t.Errorf("the build began at none of %v, but at %v", built, store.from)
	}
}
