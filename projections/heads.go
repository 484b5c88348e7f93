package projections

import (
	"context"
	"sync/atomic"

	"moviola/eventstore"
)

// heads tells where the log ends. Those who ask while a look is under way are served by the next one together.
type heads struct {
	store eventstore.Store
	asked atomic.Int64
	token chan struct{} // holds the right to look, and to the fields below

	answered int64 // the last who has been served
	head     eventstore.Position
}

func newHeads(store eventstore.Store) *heads {
	h := &heads{store: store, token: make(chan struct{}, 1)}
	h.token <- struct{}{}
	return h
}

// now returns an end of the log that is not older than the question.
func (h *heads) now(ctx context.Context) (eventstore.Position, error) {
	mine := h.asked.Add(1)
	select {
	case <-h.token:
	case <-ctx.Done():
		return eventstore.Position{}, ctx.Err()
	}
	defer func() { h.token <- struct{}{} }()
	if h.answered >= mine {
		return h.head, nil
	}
	all := h.asked.Load()
	head, err := h.store.Head(ctx)
	if err == nil {
		h.answered, h.head = all, head
	}
	return head, err
}
