package claims

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"moviola/commands"
)

// The pauses between retries: each is double the one before, from the first to the longest, and
// shortened at random by up to a quarter.
const (
	firstPause   = 250 * time.Millisecond
	longestPause = 15 * time.Second
)

// Pause computes the pauses of one series of retries.
type Pause struct{ next time.Duration }

// NewPause begins a series of retries.
func NewPause() *Pause { return &Pause{next: firstPause} }

// Wait sleeps for the next pause of a series of retries, and then returns nil. When ctx ends during the pause, Wait returns
// the cause of ctx at once.
func (p *Pause) Wait(ctx context.Context) error {
	d := p.next - rand.N(p.next/4)
	p.next = min(2*p.next, longestPause)
	return Sleep(ctx, d)
}

// Grace returns a context that outlives ctx, at most by the given time. It is for steps that should not be cut short when
// ctx ends, for example because their outcome would then be unknown.
func Grace(ctx context.Context, atMost time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(atMost)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel(context.Cause(ctx))
		case <-longer.Done():
		}
	})
	return longer, func() {
		stop()
		cancel(context.Canceled)
	}
}

// UntilDone retries do until do succeeds, returns ErrNothingToDo, or ctx ends. It calls complain with every error after
// which it waits for another try.
func UntilDone(ctx context.Context, do func(context.Context) error, complain func(error)) error {
	for pause := NewPause(); ; {
		err := do(ctx)
		if err == nil || errors.Is(err, commands.ErrNothingToDo) {
			return err
		}
		if ctx.Err() != nil {
			return errors.Join(err, context.Cause(ctx))
		}
		complain(err)
		if err := pause.Wait(ctx); err != nil {
			return err
		}
	}
}

// Sleep waits for d, or until ctx ends.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
