package eventstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// following is the state of one call of Follow, which hands the notices of a subscription (events, checkpoints and
// others) to the function handle. While a subscription is open, two goroutines share this state. The goroutine of once
// takes the notices. It counts steps up when it begins to wait for a notice, and again when it has stopped waiting. The
// goroutine of watch checks after each silence (a fixed duration) whether once still waits for the same notice:
//
//	once    Subscribe(after) ──► step ──► Next ──► step ──► handle ──► move: after is the position of the notice ─┐
//	                              ▲        steps is odd here: once waits for the next notice                      │
//	                              └────────────────────────────────────────────────────────────────────────────────┘
//	watch   after each silence:   steps has changed or is even ──► the subscription has not stalled
//	                              steps is the same and odd    ──► Missing looks in the log for an event that is overdue
//	        after one more:       steps is the same, one was found ──► once ends with ErrStalled, and Follow subscribes again
//
// Only once changes after and steps; watch reads them under mu.
type following struct {
	store   Store
	filter  Filter
	report  func(error)
	silence time.Duration
	pause   backoff

	mu sync.Mutex
	// position after which the next subscription begins: that of the newest event or checkpoint that handle has processed,
	// or at first the one given to Follow
	after Position
	steps int64 // how often the method once has begun or stopped waiting for a notice; odd: it is waiting now
}

// step records that waiting for a notice has begun or ended.
func (f *following) step() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.steps++
}

func (f *following) state() (steps int64, after Position) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.steps, f.after
}

// once follows one subscription until it ends, and advances the position. It returns why the subscription ended, or the error of
// handle.
func (f *following) once(ctx context.Context, handle func(Notice) error) (dropped, failed error) {
	ctx, end := context.WithCancelCause(ctx)
	sub, err := f.store.Subscribe(ctx, f.after, f.filter)
	if err != nil {
		end(nil)
		return err, nil
	}
	var watchdog sync.WaitGroup
	watchdog.Go(func() { end(f.watch(ctx)) })
	defer watchdog.Wait()
	defer end(nil)
	defer sub.Close()
	for {
		f.step()
		notice, err := sub.Next(ctx)
		f.step()
		if stalled := context.Cause(ctx); errors.Is(stalled, ErrStalled) {
			return stalled, nil
		}
		if err != nil {
			return err, nil
		}
		f.pause.reset()
		if err := handle(notice); err != nil {
			return nil, err
		}
		f.move(notice)
	}
}

func (f *following) move(notice Notice) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case notice.Event != nil:
		f.after = notice.Event.Position
	case notice.Checkpoint != nil:
		f.after = *notice.Checkpoint
	}
}

// watch ends with ErrStalled when the subscription has stalled. After each duration f.silence, it checks whether once has
// waited for the same notice all the time; time spent in handle is no waiting. If so, watch looks in the log for an event
// that the subscription should have brought. If there is one, and once waits for the same notice during the next
// f.silence too, the subscription has stalled.
func (f *following) watch(ctx context.Context) error {
	tick := time.NewTicker(f.silence)
	defer tick.Stop()
	var seen int64
	var missed Position // position of the event that was missing at the last look; zero: no event was missing
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		steps, after := f.state()
		silent := steps == seen && steps%2 == 1
		if !silent {
			seen, missed = steps, Position{}
			continue
		}
		if missed != (Position{}) {
			return fmt.Errorf("%w: it stands at position %d, the log goes on to %d", ErrStalled, after.Commit, missed.Commit)
		}
		var err error
		if missed, err = f.missing(ctx, after); err != nil {
			missed = Position{} // the store has not answered: the search for a missed event starts again
		}
	}
}

// missing returns the position of an event that the subscription should have brought, or passed by with a checkpoint. It returns
// zero when there is none.
func (f *following) missing(ctx context.Context, after Position) (Position, error) {
	ctx, cancel := context.WithTimeout(ctx, f.silence)
	defer cancel()
	return Missing(ctx, f.store, after, f.filter)
}
