package keyring

import (
	"context"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// keepAbsent is the maximum of streams cached as not existing: the most recently looked up.
const keepAbsent = 4096

// streamCache is a cache of states read from streams, bounded to the most recently used. Streams that do not exist have a cache
// of their own: requests with made-up ids must not evict existing streams.
type streamCache[T any] struct {
	turns chan struct{} // holds an element for each running read; its capacity limits them
	read  func(ctx context.Context, id string) (value T, exists bool, err error)

	mu     sync.Mutex
	kept   *simplelru.LRU[string, T]
	absent *simplelru.LRU[string, T]
	// running reads, by stream; a read whose stream changes is removed, because its result may be outdated
	reads map[string]*reading[T]
}

// reading is a running read. Its result is set when done is closed.
type reading[T any] struct {
	done  chan struct{}
	value T
	err   error
}

func newStreamCache[T any](
	keep int, turns chan struct{}, read func(ctx context.Context, id string) (T, bool, error),
) *streamCache[T] {
	return &streamCache[T]{
		turns: turns, read: read, kept: newLRU[T](keep), absent: newLRU[T](keepAbsent), reads: map[string]*reading[T]{},
	}
}

func newLRU[T any](keep int) *simplelru.LRU[string, T] {
	lru, err := simplelru.NewLRU[string, T](keep, nil)
	if err != nil {
		panic("keyring: a cache without places: " + err.Error())
	}
	return lru
}

// get returns the state of a stream. trusted says that the cache is known to follow the log: then get uses the cache, or
// joins a running read. If there is neither, or without trusted, get reads the stream.
func (s *streamCache[T]) get(ctx context.Context, id string, trusted bool) (T, error) {
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
		// All waiting callers share the read, so it must not be cancelled with the context of the first.
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

// fetch reads a stream, and caches the state unless the stream has changed meanwhile.
func (s *streamCache[T]) fetch(ctx context.Context, id string, r *reading[T]) {
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
		return // The result is not cached: the stream has changed since the read began, or a later read has begun.
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

// forget removes a stream from the cache, and makes running reads invalid: they may return the state before the change.
func (s *streamCache[T]) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept.Remove(id)
	s.absent.Remove(id)
	delete(s.reads, id)
}

// clear empties the cache and makes all running reads invalid.
func (s *streamCache[T]) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept.Purge()
	s.absent.Purge()
	s.reads = map[string]*reading[T]{}
}
