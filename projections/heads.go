package projections

import (
	"context"
	"runtime"
	"sync"

	"moviola/eventstore"
)

// heads tells where the log ends. Those who ask while a look is under way are served by the next one together.
type heads struct {
	store   eventstore.Store
	looking chan struct{} // has an element while a look is under way

	mu   sync.Mutex
	next *look // that has not begun; nil: nobody waits for one
}

// look is one question to the log. head and err are set when done is closed.
type look struct {
	done chan struct{}
	head eventstore.Position
	err  error
}

func newHeads(store eventstore.Store) *heads {
	return &heads{store: store, looking: make(chan struct{}, 1)}
}

// now returns an end of the log that is not older than the question.
func (h *heads) now(ctx context.Context) (eventstore.Position, error) {
	h.mu.Lock()
	mine := h.next
	if mine == nil {
		mine = &look{done: make(chan struct{})}
		h.next = mine
		go h.look(context.WithoutCancel(ctx), mine) // for others too, who may wait longer
	}
	h.mu.Unlock()
	select {
	case <-mine.done:
		return mine.head, mine.err
	case <-ctx.Done():
		return eventstore.Position{}, ctx.Err()
	}
}

// look asks the log, after the look before. Until then others come along.
func (h *heads) look(ctx context.Context, l *look) {
	defer close(l.done)
	h.looking <- struct{}{}
	defer func() { <-h.looking }()
	runtime.Gosched() // those who are about to ask come along too: a look costs more than an answer
	h.mu.Lock()
	h.next = nil
	h.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, freshness)
	defer cancel()
	l.head, l.err = h.store.Head(ctx)
}
