package keyring

import (
	"context"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// keepAbsent is how many streams are known not to exist at most: those that were asked for last.
const keepAbsent = 4096

// shelf keeps what was read from streams, a bounded number of them: the ones that were used last. Streams that do not exist are kept
// apart: made-up ones must not drive out others.
type shelf[T any] struct {
	turns chan struct{} // one place for each read that may go on at the same time
	read  func(ctx context.Context, id string) (value T, exists bool, err error)

	mu     sync.Mutex
	kept   *simplelru.LRU[string, T]
	absent *simplelru.LRU[string, T]
	reads  map[string]*reading[T] // the reads that still count
}

// reading is a read that goes on, and what came of it once done is closed.
type reading[T any] struct {
	done  chan struct{}
	value T
	err   error
}

func newShelf[T any](keep int, turns chan struct{}, read func(ctx context.Context, id string) (T, bool, error)) *shelf[T] {
	return &shelf[T]{turns: turns, read: read, kept: newLRU[T](keep), absent: newLRU[T](keepAbsent), reads: map[string]*reading[T]{}}
}

func newLRU[T any](keep int) *simplelru.LRU[string, T] {
	lru, err := simplelru.NewLRU[string, T](keep, nil)
	if err != nil {
		panic("keyring: a shelf without places: " + err.Error())
	}
	return lru
}

// get returns what stands at a stream: when it is trusted, what is kept, or what another call is reading; otherwise it is read.
func (s *shelf[T]) get(ctx context.Context, id string, trusted bool) (T, error) {
	s.mu.Lock()
	if trusted {
		for _, known := range []*simplelru.LRU[string, T]{s.kept, s.absent} {
			if value, ok := known.Get(id); ok {
				s.mu.Unlock()
				return value, nil
			}
		}
	}
	r := s.reads[id]
	if r == nil || !trusted {
		r = &reading[T]{done: make(chan struct{})}
		s.reads[id] = r
		// The read is for everybody who waits for it: it goes on when the first of them has gone.
		go s.fetch(context.WithoutCancel(ctx), id, r)
	}
	s.mu.Unlock()
	select {
	case <-r.done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// fetch reads a stream, and keeps what it says unless it has changed meanwhile.
func (s *shelf[T]) fetch(ctx context.Context, id string, r *reading[T]) {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	defer close(r.done)
	exists := false
	select {
	case s.turns <- struct{}{}:
		r.value, exists, r.err = s.read(ctx, id)
		<-s.turns
	case <-ctx.Done():
		r.err = ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reads[id] != r {
		return // the stream has changed, or a later read is on its way
	}
	delete(s.reads, id)
	switch {
	case r.err != nil:
	case exists:
		s.kept.Add(id, r.value)
	default:
		s.absent.Add(id, r.value)
	}
}

// forget drops what is kept of a stream, and what is being read: it may be what stood there before.
func (s *shelf[T]) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept.Remove(id)
	s.absent.Remove(id)
	delete(s.reads, id)
}

// clear forgets everything.
func (s *shelf[T]) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept.Purge()
	s.absent.Purge()
	s.reads = map[string]*reading[T]{}
}
