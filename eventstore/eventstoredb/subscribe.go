package eventstoredb

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"

	"moviola/eventstore"
)

const (
	noticesAhead = 16  // maximum of notices that are prefetched
	searchWindow = 256 // number of events that the server searches between two checkpoints
)

// subscription forwards the notices of the client's subscription. The client's subscription ends when the connection is lost,
// and the client does not resume it; then this subscription ends too.
type subscription struct {
	ctx context.Context // the context given to Subscribe
	// derived from ctx; also ends with Close, with the pool, and after Next has found that the notices have ended
	inner   context.Context
	cancel  context.CancelFunc
	notices chan eventstore.Notice
	left    <-chan struct{} // closed when the pool abandons the client for another leader: Next must no longer wait

	mu  sync.Mutex
	err error // why the subscription ended by itself
}

var errSubscriptionClosed = errors.New("the subscription is closed")

// Subscribe implements eventstore.Store.
func (s *Store) Subscribe(
	ctx context.Context, after eventstore.Position, filter eventstore.Filter,
) (eventstore.Subscription, error) {
	options := esdb.SubscribeToAllOptions{
		From:            esdb.Start{}, // set in any case, because the client's default is the end of the log
		Filter:          toFilter(filter),
		MaxSearchWindow: searchWindow, CheckpointInterval: 1,
	}
	if after != (eventstore.Position{}) {
		options.From = esdb.Position{Commit: after.Commit, Prepare: after.Prepare}
	}
	inner, cancel := context.WithCancel(ctx)
	sub := &subscription{ctx: ctx, inner: inner, cancel: cancel, notices: make(chan eventstore.Notice, noticesAhead)}
	if err := s.pool.follow(sub, options); err != nil {
		cancel()
		return nil, fmt.Errorf("subscribe to the log: %w", err)
	}
	return sub, nil
}

func toFilter(filter eventstore.Filter) *esdb.SubscriptionFilter {
	if len(filter.Categories) == 0 {
		return esdb.ExcludeSystemEventsFilter()
	}
	prefixes := make([]string, len(filter.Categories))
	for i, category := range filter.Categories {
		prefixes[i] = category + "-"
	}
	return &esdb.SubscriptionFilter{Type: esdb.StreamFilterType, Prefixes: prefixes}
}

// follow opens a subscription and waits until the server has confirmed it. The goroutine that calls the client runs as long as
// the subscription, and the client stays in use.
func (p *pool) follow(sub *subscription, options esdb.SubscribeToAllOptions) error {
	permit, err := p.admit(sub.ctx, p.calls)
	if err != nil {
		return err
	}
	sub.left = permit.session.left
	// permit (a slot and a use of the client) is given back when the server has answered SubscribeToAll. The subscription
	// goes on using the client until it ends, so it is a user of its own.
	permit.session.acquire()
	confirmed := make(chan error, 1)
	stop := context.AfterFunc(p.life, sub.Close)
	launched := p.launch(func() {
		defer stop()
		defer permit.session.release()
		received, err := guarded(func() (*esdb.Subscription, error) {
			return permit.session.client.SubscribeToAll(withPass(sub.inner, permit.session.pass), options)
		})
		permit.giveBack()
		p.watch(permit.session, err)
		confirmed <- err
		if err == nil {
			p.watch(permit.session, sub.pump(received))
		}
	})
	if !launched {
		permit.session.release()
		permit.giveBack()
		return errClosed
	}
	select {
	case err := <-confirmed:
		return outcomeError(sub.ctx, err)
	case <-sub.ctx.Done():
		return sub.ctx.Err()
	case <-permit.lost:
		return errLost
	case <-permit.session.left:
		return errLost
	case <-p.life.Done():
		return errClosed
	}
}

// pump forwards notices until the subscription ends, and returns why it ended.
func (s *subscription) pump(received *esdb.Subscription) error {
	defer func() { _ = received.Close() }() // Close always returns nil
	for {
		event, err := guarded(func() (*esdb.SubscriptionEvent, error) { return received.Recv(), nil })
		if err == nil && event.SubscriptionDropped != nil {
			err = event.SubscriptionDropped.Error
		}
		if err != nil {
			s.mu.Lock()
			s.err = err
			s.mu.Unlock()
			close(s.notices)
			return err
		}
		notice, ok := toNotice(event)
		if !ok {
			continue
		}
		select {
		case s.notices <- notice:
		case <-s.inner.Done():
			return nil
		}
	}
}

// toNotice converts an event of the client; false for an event that subscribers do not see.
func toNotice(event *esdb.SubscriptionEvent) (eventstore.Notice, bool) {
	switch {
	case event.EventAppeared != nil:
		recorded := fromClient(event.EventAppeared.OriginalEvent())
		return eventstore.Notice{Event: &recorded}, !isSystem(recorded.Type)
	case event.CheckPointReached != nil:
		position := eventstore.Position{Commit: event.CheckPointReached.Commit, Prepare: event.CheckPointReached.Prepare}
		return eventstore.Notice{Checkpoint: &position}, true
	case event.CaughtUp != nil:
		return eventstore.Notice{CaughtUp: true}, true
	default:
		return eventstore.Notice{FellBehind: event.FellBehind != nil}, event.FellBehind != nil
	}
}

// Next implements eventstore.Subscription. Notices that were received before the connection was lost are still delivered,
// but may be dropped when the pool abandons the client for another leader.
func (s *subscription) Next(ctx context.Context) (eventstore.Notice, error) {
	if err := errors.Join(ctx.Err(), s.inner.Err()); err != nil {
		return eventstore.Notice{}, s.ended(ctx)
	}
	select {
	case notice, ok := <-s.notices:
		if ok {
			return notice, nil
		}
	case <-ctx.Done():
	case <-s.inner.Done():
	case <-s.left:
		s.cancel()
		return eventstore.Notice{}, fmt.Errorf("the subscription was dropped: %w", errLost)
	}
	return eventstore.Notice{}, s.ended(ctx)
}

// ended returns why the subscription has ended. It also cancels the subscription, so that later calls of Next fail too.
func (s *subscription) ended(ctx context.Context) error {
	defer s.cancel()
	if err := errors.Join(ctx.Err(), s.ctx.Err()); err != nil {
		return fmt.Errorf("wait for the next event: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil || s.inner.Err() != nil {
		return errSubscriptionClosed
	}
	return fmt.Errorf("the subscription was dropped: %w", translate(s.err))
}

// Close implements eventstore.Subscription.
func (s *subscription) Close() { s.cancel() }
