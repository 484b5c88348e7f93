package processors

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"moviola/commands"
)

// The pauses between retries, doubled from the first to the longest, each shortened at random by up to a quarter.
const (
	firstPause   = 250 * time.Millisecond
	longestPause = 15 * time.Second
)

// pause computes the pauses of one series of retries.
type pause struct{ next time.Duration }

func newPause() *pause { return &pause{next: firstPause} }

// wait pauses. When ctx ends first, it returns the cause.
func (p *pause) wait(ctx context.Context) error {
	d := p.next - rand.N(p.next/4)
	p.next = min(2*p.next, longestPause)
	return sleep(ctx, d)
}

// grace returns a context that outlives ctx for a short time. It is for steps that are nearly done when the process shuts down,
// and whose outcome would be unknown if they were cancelled.
func (p *Processors) grace(ctx context.Context) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(p.limits.Release)
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

// untilDone retries do until it succeeds, has nothing to do, or ctx ends. It calls complain with every error.
func untilDone(ctx context.Context, do func(context.Context) error, complain func(error)) error {
	for pause := newPause(); ; {
		err := do(ctx)
		if err == nil || errors.Is(err, commands.ErrNothingToDo) {
			return err
		}
		if ctx.Err() != nil {
			return errors.Join(err, context.Cause(ctx))
		}
		complain(err)
		if err := pause.wait(ctx); err != nil {
			return err
		}
	}
}
