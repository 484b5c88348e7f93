package memory

import (
	"context"

	"moviola/eventstore"
)

// Faults are functions that a test sets to make calls fail. A nil function lets the call through; an error that a function
// returns is the call's error, wrapped. The functions run outside the store's lock, so they may call the store or wait.
type Faults struct {
	// BeforeAppendFunc runs before an append is stored. When it returns an error, nothing is stored.
	BeforeAppendFunc func(ctx context.Context, stream string, events []eventstore.Proposed) error
	// AfterAppendFunc runs after an append was stored. Its error makes the stored append look failed to the caller.
	AfterAppendFunc func(ctx context.Context, stream string, events []eventstore.Proposed) error
	// ReadFunc runs before a read of a stream or of the log yields its first event, before Head, and before a subscription
	// begins.
	ReadFunc func(ctx context.Context) error
}

func (f Faults) before(ctx context.Context, stream string, events []eventstore.Proposed) error {
	if f.BeforeAppendFunc == nil {
		return nil
	}
	return f.BeforeAppendFunc(ctx, stream, events)
}

func (f Faults) after(ctx context.Context, stream string, events []eventstore.Proposed) error {
	if f.AfterAppendFunc == nil {
		return nil
	}
	return f.AfterAppendFunc(ctx, stream, events)
}

func (f Faults) read(ctx context.Context) error {
	if f.ReadFunc == nil {
		return nil
	}
	return f.ReadFunc(ctx)
}

// Inject replaces the faults; the zero Faults removes them.
func (s *Store) Inject(faults Faults) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = faults
}

// LoseBefore makes the next n appends fail with eventstore.ErrUnavailable and store nothing.
func (s *Store) LoseBefore(n int) {
	s.Inject(Faults{BeforeAppendFunc: unavailable(n)})
}

// LoseAfter makes the next n appends fail with eventstore.ErrUnavailable after they were stored: only the answer is lost.
func (s *Store) LoseAfter(n int) {
	s.Inject(Faults{AfterAppendFunc: unavailable(n)})
}

// unavailable returns a fault that makes the first n appends fail with eventstore.ErrUnavailable.
func unavailable(n int) func(context.Context, string, []eventstore.Proposed) error {
	left := make(chan struct{}, n)
	for range n {
		left <- struct{}{}
	}
	return func(context.Context, string, []eventstore.Proposed) error {
		select {
		case <-left:
			return eventstore.ErrUnavailable
		default:
			return nil
		}
	}
}

// DropSubscriptions ends every open subscription with eventstore.ErrUnavailable, as a lost connection does.
func (s *Store) DropSubscriptions() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropped++
	s.wake()
}

func (s *Store) currentFaults() Faults {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.faults
}
