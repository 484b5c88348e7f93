package projections

import (
	"context"
	"runtime"
	"sync"

	"moviola/eventstore"
)

// heads reads the end of the log. Callers that ask during a read share the next read.
type heads struct {
	store   eventstore.Store
	looking chan struct{} // a lock: has one element while a read is running

	mu   sync.Mutex
	next *headRead // the next read, which has not begun; nil: nobody waits for it
}

// headRead is one read of the end of the log. head and err are set when done is closed.
type headRead struct {
	done chan struct{}
	head eventstore.Position
	err  error
}

func newHeads(store eventstore.Store) *heads {
	return &heads{store: store, looking: make(chan struct{}, 1)}
}

// now returns an end of the log that was read after the call began.
func (h *heads) now(ctx context.Context) (eventstore.Position, error) {
	h.mu.Lock()
	mine := h.next
	if mine == nil {
		mine = &headRead{done: make(chan struct{})}
		h.next = mine
		go h.read(context.WithoutCancel(ctx), mine) // detached from ctx: other callers share the result and may wait longer
	}
	h.mu.Unlock()
	select {
	case <-mine.done:
		return mine.head, mine.err
	case <-ctx.Done():
		return eventstore.Position{}, ctx.Err()
	}
}

// read reads the end of the log when the read before has ended. Until then more callers may join.
func (h *heads) read(ctx context.Context, l *headRead) {
	defer close(l.done)
	h.looking <- struct{}{}
	defer func() { <-h.looking }()
	runtime.Gosched() // lets other goroutines ask before the read begins, and share it: a read is dearer than this pause
	h.mu.Lock()
	h.next = nil
	h.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, freshness)
	defer cancel()
	l.head, l.err = h.store.Head(ctx)
}
