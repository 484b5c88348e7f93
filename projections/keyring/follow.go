package keyring

import (
	"context"
	"fmt"
	"sync"
	"time"

	"moviola/domain/account"
	"moviola/domain/key"
	"moviola/eventstore"
)

// followed selects the events that change which keys are valid.
var followed = eventstore.Filter{Categories: []string{key.StreamCategory, account.StreamCategory}}

// Run follows the log until ctx ends, and then returns nil. While it runs, keys need not be read for every request.
// During outages of the event store it retries, and after at most a second the cache is not trusted. Call it once.
func (r *Ring) Run(ctx context.Context) error {
	end, err := r.log.End(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return fmt.Errorf("follow the keys: %w", err)
	}
	r.begin(end)
	var probing sync.WaitGroup
	defer probing.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	probing.Go(func() { r.probe(ctx) })
	err = eventstore.Follow(ctx, r.log.Store(), end, followed, r.handle, eventstore.StallAfter(trust),
		eventstore.OnDrop(func(err error) {
			r.logger.WithError(err).Warn("subscription to API keys ended; it is opened again, and while it misses events, " +
				"each key is read from the log")
		}))
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// begin starts at a position in the log and empties the cache: entries from before may be outdated.
func (r *Ring) begin(end eventstore.Position) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.handled = end
	r.keys.clear()
	r.accounts.clear()
}

// handle removes from the cache what an event has changed.
func (r *Ring) handle(notice eventstore.Notice) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case notice.Event != nil:
		switch category, id := eventstore.SplitStream(notice.Event.Stream); category {
		case key.StreamCategory:
			r.keys.forget(id)
		case account.StreamCategory:
			r.accounts.forget(id)
		}
		r.handled = notice.Event.Position
	case notice.Checkpoint != nil:
		r.handled = *notice.Checkpoint
	}
	return nil
}

func (r *Ring) place() eventstore.Position {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.handled
}

// probe compares the subscription with the end of the log, at intervals while keys are looked up, until ctx ends. A
// subscription that hangs reports no error, but this comparison detects it.
func (r *Ring) probe(ctx context.Context) {
	tick := time.NewTicker(probeInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if !r.asked.Swap(false) {
			continue
		}
		began := r.now()
		if missing, err := r.missing(ctx); err == nil && missing == (eventstore.Position{}) {
			r.proven.Store(&began)
		}
	}
}

// missing returns the position of an event that the subscription has not brought yet, zero when there is none.
func (r *Ring) missing(ctx context.Context) (eventstore.Position, error) {
	ctx, cancel := context.WithTimeout(ctx, trust)
	defer cancel()
	return eventstore.Missing(ctx, r.log.Store(), r.place(), followed)
}
