package eventstore_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/eventstore"
	"moviola/eventstore/memory"
)

// TestFollow_dropped drops the subscription between any two events: each is seen once, in order.
func TestFollow_dropped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, log := newLog()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var seen []eventstore.Revision
		ended := make(chan error, 1)
		go func() {
			ended <- eventstore.Follow(ctx, store, eventstore.Position{}, eventstore.Filter{}, func(n eventstore.Notice) error {
				if n.Event != nil {
					seen = append(seen, n.Event.Revision)
				}
				return nil
			})
		}()
		for i := range 5 {
			mustAppend(t, log, eventstore.Revision(i)-1, grant(i, 1))
			if i%2 == 0 {
				synctest.Wait() // seen, then dropped; otherwise dropped with the event on its way
			}
			store.DropSubscriptions()
		}
		<-time.After(time.Minute) // the bubble's clock: long enough for every pause
		synctest.Wait()
		if diff := cmp.Diff([]eventstore.Revision{0, 1, 2, 3, 4}, seen); diff != "" {
			t.Errorf("seen (-want +got):\n%s", diff)
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("ended with %v", err)
		}
	})
}

// TestFollow_pauses counts the subscriptions tried while the store is away for a minute.
func TestFollow_pauses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := memory.New()
		var tries atomic.Int32
		store.Inject(memory.Faults{ReadFunc: func(context.Context) error {
			tries.Add(1)
			return eventstore.ErrUnavailable
		}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := eventstore.Follow(ctx, store, eventstore.Position{}, eventstore.Filter{}, func(eventstore.Notice) error { return nil })
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("ended with %v", err)
		}
		if n := tries.Load(); n < 60 || n > 130 {
			t.Errorf("%d tries in a minute", n)
		}
	})
}

// TestFollow_pauseShrinks: after an outage that made the pauses long, the next drop is answered quickly again.
func TestFollow_pauseShrinks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, log := newLog()
		store.Inject(memory.Faults{ReadFunc: func(context.Context) error { return eventstore.ErrUnavailable }})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		seen := make(chan eventstore.Revision)
		go func() {
			_ = eventstore.Follow(ctx, store, eventstore.Position{}, eventstore.Filter{}, func(n eventstore.Notice) error {
				if n.Event != nil {
					seen <- n.Event.Revision
				}
				return nil
			})
		}()
		<-time.After(time.Minute)
		store.Inject(memory.Faults{})
		mustAppend(t, log, eventstore.NoStream, grant(0, 1))
		<-seen
		dropped := time.Now()
		store.DropSubscriptions()
		mustAppend(t, log, 0, grant(1, 1))
		<-seen
		if took := time.Since(dropped); took > 50*time.Millisecond {
			t.Errorf("back after %v", took)
		}
	})
}

func TestFollow_handleFails(t *testing.T) {
	t.Parallel()
	store, log := newLog()
	mustAppend(t, log, eventstore.NoStream, grant(0, 1), grant(1, 1))
	enough := errors.New("enough")
	err := eventstore.Follow(t.Context(), store, eventstore.Position{}, eventstore.Filter{Categories: []string{"ledger"}}, func(n eventstore.Notice) error {
		return enough
	})
	if err != enough {
		t.Errorf("ended with %v", err)
	}
}

// deaf is a store whose subscriptions hear nothing when told so, as behind a connection that is broken and not closed.
type deaf struct {
	*memory.Store
	now        atomic.Bool
	subscribed atomic.Int32
}

func (d *deaf) Subscribe(ctx context.Context, after eventstore.Position, filter eventstore.Filter) (eventstore.Subscription, error) {
	d.subscribed.Add(1)
	sub, err := d.Store.Subscribe(ctx, after, filter)
	return &deafSubscription{Subscription: sub, store: d}, err
}

type deafSubscription struct {
	eventstore.Subscription
	store *deaf
}

func (s *deafSubscription) Next(ctx context.Context) (eventstore.Notice, error) {
	notice, err := s.Subscription.Next(ctx)
	if s.store.now.Load() {
		<-ctx.Done()
		return eventstore.Notice{}, ctx.Err()
	}
	return notice, err
}

// TestFollow_stall: a subscription that hears nothing of what the log has is reported and opened again; one that has nothing to hear
// is left alone, however long.
func TestFollow_stall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &deaf{Store: memory.New()}
		log := eventstore.NewLog(store, eventstore.NewCodec())
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		seen := make(chan eventstore.Revision, 10)
		drops := make(chan error, 10)
		go func() {
			_ = eventstore.Follow(ctx, store, eventstore.Position{}, eventstore.Filter{Categories: []string{"ledger"}}, func(n eventstore.Notice) error {
				if n.Event != nil {
					seen <- n.Event.Revision
				}
				return nil
			}, eventstore.OnDrop(func(err error) { drops <- err }), eventstore.StallAfter(5*time.Second))
		}()
		mustAppend(t, log, eventstore.NoStream, grant(0, 1))
		<-seen
		<-time.After(time.Hour) // nothing happens
		other := eventstore.Proposed{ID: eventstore.EventID("other-1", grant(0, 1)), Type: "Other"}
		if _, err := store.Append(ctx, "other-1", eventstore.NoStream, other); err != nil { // nothing that concerns it
			t.Fatal(err)
		}
		<-time.After(time.Hour)
		if n := store.subscribed.Load(); n != 1 {
			t.Fatalf("%d subscriptions in two quiet hours, want 1", n)
		}
		store.now.Store(true)
		mustAppend(t, log, 0, grant(1, 1))
		appended := time.Now()
		if err := <-drops; !errors.Is(err, eventstore.ErrStalled) {
			t.Errorf("dropped with %v, want %v", err, eventstore.ErrStalled)
		}
		store.now.Store(false)
		if revision := <-seen; revision != 1 {
			t.Errorf("event %d came, want 1", revision)
		}
		if took := time.Since(appended); took > 20*time.Second {
			t.Errorf("the stall lasted %v", took)
		}
	})
}

// TestFollow_slow: the time that a handler takes is no stall.
func TestFollow_slow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, log := newLog()
		mustAppend(t, log, eventstore.NoStream, grant(0, 1), grant(1, 1), grant(2, 1))
		enough := errors.New("enough")
		err := eventstore.Follow(t.Context(), store, eventstore.Position{}, eventstore.Filter{}, func(n eventstore.Notice) error {
			<-time.After(time.Hour)
			if n.CaughtUp {
				return enough
			}
			return nil
		}, eventstore.OnDrop(func(err error) { t.Errorf("dropped: %v", err) }))
		if !errors.Is(err, enough) {
			t.Errorf("ended with %v", err)
		}
	})
}

// TestFollow_reportsDrops: an outage is told of.
func TestFollow_reportsDrops(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, _ := newLog()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		drops := make(chan error, 10)
		go func() {
			_ = eventstore.Follow(ctx, store, eventstore.Position{}, eventstore.Filter{}, func(eventstore.Notice) error { return nil },
				eventstore.OnDrop(func(err error) { drops <- err }))
		}()
		synctest.Wait()
		store.DropSubscriptions()
		if err := <-drops; !errors.Is(err, eventstore.ErrUnavailable) {
			t.Errorf("dropped with %v, want %v", err, eventstore.ErrUnavailable)
		}
	})
}
