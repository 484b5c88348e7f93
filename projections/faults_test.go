package projections_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"

	"moviola/projections"
)

var errAway = errors.New("the document store is away")

// faulty is a document store without transactions that fails now and then, before, amid and after a commit, as MongoDB does when
// its connection is cut.
type faulty struct {
	projections.Documents
	mu     sync.Mutex
	random *rand.Rand
	share  float64 // of the calls that fail
	failed int
}

func newFaulty(docs projections.Documents, seed uint64, share float64) *faulty {
	return &faulty{Documents: docs, random: rand.New(rand.NewPCG(seed, 1)), share: share}
}

// set changes the share of the calls that fail.
func (f *faulty) set(share float64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.share = share
}

func (f *faulty) fails() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.random.Float64() >= f.share {
		return false
	}
	f.failed++
	return true
}

func (f *faulty) Get(ctx context.Context, collection string, ids ...string) (map[string]projections.Stored, error) {
	if f.fails() {
		return nil, errAway
	}
	return f.Documents.Get(ctx, collection, ids...)
}

func (*faulty) Atomic() bool { return false }

// Commit writes one document after the other, in an order of its own, and the checkpoint last.
func (f *faulty) Commit(ctx context.Context, batch projections.Changes) error {
	f.mu.Lock()
	order := f.random.Perm(len(batch.Writes))
	f.mu.Unlock()
	stale := false
	for _, i := range order {
		if f.fails() {
			return errAway
		}
		err := f.Documents.Commit(ctx, projections.Changes{Writes: []projections.Write{batch.Writes[i]}})
		if err != nil && !errors.Is(err, projections.ErrStale) {
			return err
		}
		stale = stale || err != nil
	}
	switch {
	case stale:
		return projections.ErrStale
	case f.fails():
		return errAway
	case batch.Checkpoint == nil:
		return nil
	}
	if err := f.Documents.Commit(ctx, projections.Changes{Checkpoint: batch.Checkpoint}); err != nil {
		return err
	}
	if f.fails() {
		return errAway // it was written, but the answer was lost
	}
	return nil
}

func (f *faulty) failures() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failed
}

// counting counts the pages that are read.
type counting struct {
	projections.Documents
	mu    sync.Mutex
	pages int
}

func (c *counting) Page(ctx context.Context, collection string, q projections.Query) ([]projections.Stored, error) {
	c.mu.Lock()
	c.pages++
	c.mu.Unlock()
	return c.Documents.Page(ctx, collection, q)
}

func (c *counting) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pages
}

func (c *counting) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pages = 0
}
