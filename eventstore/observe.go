package eventstore

import (
	"context"
	"time"
)

// Written describes one append to an observer, whether it succeeded or not.
type Written struct {
	Stream string
	Events []Proposed
	Took   time.Duration
	Err    error // error of the append; nil: the events are stored
}

// Observe returns a store that calls seen after each Append, before Append returns. Many goroutines call seen, so it must not
// block. When a retried append finds its events stored already, Written.Err is nil.
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
