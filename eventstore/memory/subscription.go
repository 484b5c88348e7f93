package memory

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"moviola/eventstore"
)

// subscription is a cursor into the store's log: it holds no events, so a slow reader costs nothing.
type subscription struct {
	store  *Store
	ctx    context.Context // the context given to Subscribe; the subscription ends with it
	once   sync.Once
	closed chan struct{}
	drops  int // the store's count of drops when the subscription began

	mu     sync.Mutex
	filter eventstore.Filter
	next   int // index in the store's field log of the next event to be examined
	// index in the store's field log up to which the reader was told, by an event or checkpoint, that everything was examined
	reported int
	live     bool // CaughtUp was delivered
}

var errClosed = errors.New("the subscription is closed")

// Subscribe implements eventstore.Store.
func (s *Store) Subscribe(
	ctx context.Context, after eventstore.Position, filter eventstore.Filter,
) (eventstore.Subscription, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("subscribe: %w", err)
	}
	if err := s.currentFaults().read(ctx); err != nil {
		return nil, fmt.Errorf("subscribe: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	first := firstAfter(s.log, after)
	return &subscription{
		store: s, ctx: ctx, closed: make(chan struct{}), drops: s.dropped, filter: filter, next: first, reported: first,
	}, nil
}

// Close implements eventstore.Subscription.
func (s *subscription) Close() { s.once.Do(func() { close(s.closed) }) }

// Next implements eventstore.Subscription.
func (s *subscription) Next(ctx context.Context) (eventstore.Notice, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if err := s.ended(ctx); err != nil {
			return eventstore.Notice{}, err
		}
		notice, ok, changed := s.step()
		if ok {
			return notice, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
		case <-s.ctx.Done():
		case <-s.closed:
		}
	}
}

// ended returns why the subscription has ended; nil: it has not. It also closes a subscription that was dropped or whose
// context has ended, so that later calls of Next fail too.
func (s *subscription) ended(ctx context.Context) error {
	if err := errors.Join(ctx.Err(), s.ctx.Err()); err != nil {
		s.Close()
		return fmt.Errorf("wait for the next event: %w", err)
	}
	select {
	case <-s.closed:
		return errClosed
	default:
	}
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	if s.store.dropped != s.drops {
		s.Close()
		return fmt.Errorf("the subscription was dropped: %w", eventstore.ErrUnavailable)
	}
	return nil
}

// step returns the next notice. When there is none yet, it returns a channel that is closed when there may be one. The channel is
// read under the same lock as the log, so no wake-up is lost.
func (s *subscription) step() (eventstore.Notice, bool, <-chan struct{}) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	log := s.store.log
	for s.next < len(log) {
		event := log[s.next]
		s.next++
		if s.filter.Matches(event) {
			s.reported = s.next
			event = copyOf(event)
			return eventstore.Notice{Event: &event}, true, nil
		}
	}
	switch {
	case s.reported < s.next:
		s.reported = s.next
		position := log[s.next-1].Position
		return eventstore.Notice{Checkpoint: &position}, true, nil
	case !s.live:
		s.live = true
		return eventstore.Notice{CaughtUp: true}, true, nil
	default:
		return eventstore.Notice{}, false, s.store.changed
	}
}
