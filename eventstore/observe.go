package eventstore

import (
	"context"
	"time"
)

// Written is an append as an observer sees it, whatever came of it.
type Written struct {
	Stream string
	Events []Proposed
	Took   time.Duration
	Err    error // nil: the events are stored
}

// Observe returns a store that tells seen of each call of Append before that returns. seen is called by many goroutines, and must not block.
// An append that is repeated after ErrUnavailable, and whose events turn out to be stored already, is told as any other that succeeds.
func Observe(store Store, seen func(context.Context, Written)) Store { return observed{store, seen} }

type observed struct {
	Store
	seen func(context.Context, Written)
}

// Append implements Store.
func (o observed) Append(ctx context.Context, stream string, expected Revision, events ...Proposed) (Appended, error) {
	began := time.Now()
	appended, err := o.Store.Append(ctx, stream, expected, events...)
	o.seen(ctx, Written{Stream: stream, Events: events, Took: time.Since(began), Err: err})
	return appended, err
}
