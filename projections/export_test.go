package projections

import (
	"context"
	"time"

	"moviola/eventstore"
)

// What the tests of this package need of its inside.
var (
	FoldMovie   = foldMovie
	FoldBalance = foldBalance
	FoldKey     = foldKey
)

// WorkList is a work list in memory, for tests of its folds.
type WorkList struct {
	model workModel
	items map[string]*slot
}

// NewWorkList returns an empty list.
func NewWorkList(renderTimeout, abandonAfter, fileRetention time.Duration) *WorkList {
	model := workModel{
		renderTimeout: renderTimeout, abandonAfter: abandonAfter, fileRetention: fileRetention,
		zeroRetention: time.Hour, clearAgain: 30 * time.Minute,
	}
	return &WorkList{model: model, items: map[string]*slot{}}
}

// Apply folds an event into every item it touches.
func (l *WorkList) Apply(e Event) {
	for _, id := range l.model.touched(e) {
		s := l.items[id]
		if s == nil {
			s = &slot{}
			l.items[id] = s
		}
		f, _ := l.model.apply(id, s.doc, s.gone, e)
		if f.changed {
			s.doc, s.gone = f.doc, f.gone
		}
	}
}

// Forget drops the tombstones, as a sweep does.
func (l *WorkList) Forget() {
	for id, s := range l.items {
		if s.gone {
			delete(l.items, id)
		}
	}
}

// Open returns the items that are work now, by id.
func (l *WorkList) Open() map[string]WorkItem {
	open := map[string]WorkItem{}
	for id, s := range l.items {
		if item, ok := s.doc.(WorkItem); ok && !s.gone && item.State != workWaiting {
			open[id] = item
		}
	}
	return open
}

// Left counts the items that are not gone, those that wait included.
func (l *WorkList) Left() int {
	n := 0
	for _, s := range l.items {
		if s.doc != nil && !s.gone {
			n++
		}
	}
	return n
}

// The intervals of chores, for tests that turn the clock.
const (
	PointerInterval = pointerInterval
	KeepErased      = keepErased
	SweepInterval   = sweepInterval
	KeepTombstones  = keepTombstones
)

// GoOnSince lets the balances go on with documents since a shape, until the returned function is called.
func GoOnSince(shape int) (restore func()) {
	before := balanceModel.oldShape
	balanceModel.oldShape = shape
	return func() { balanceModel.oldShape = before }
}

// Heads tells where the log ends.
type Heads = heads

// NewHeads returns the Heads of a store.
func NewHeads(store eventstore.Store) *Heads { return newHeads(store) }

// Now is now.
func (h *heads) Now(ctx context.Context) (eventstore.Position, error) { return h.now(ctx) }

// TimeLeft estimates the time until the position `to` is reached. The measurement began `spent` ago at the position `from`; spent
// below 0: it has not begun.
func TimeLeft(spent time.Duration, from, at, to uint64) time.Duration {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var p pace
	if spent >= 0 {
		p.begin(now.Add(-spent), eventstore.Position{Commit: from})
	}
	return p.left(now, eventstore.Position{Commit: at}, eventstore.Position{Commit: to})
}

// ReadCheckpoint looks once how far other processes have folded.
func (r *Reader) ReadCheckpoint(ctx context.Context) error { return r.readCheckpoint(ctx) }
