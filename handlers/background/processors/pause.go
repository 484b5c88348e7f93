package processors

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"moviola/commands"
)

// The pauses between tries of something that may pass, doubled from the first to the longest, with up to a quarter of jitter off.
const (
	firstPause   = 250 * time.Millisecond
	longestPause = 15 * time.Second
)

// pause counts the pauses of one series of tries.
type pause struct{ next time.Duration }

func newPause() *pause { return &pause{next: firstPause} }

// wait pauses, or returns why ctx has ended.
func (p *pause) wait(ctx context.Context) error {
	d := p.next - rand.N(p.next/4)
	p.next = min(2*p.next, longestPause)
	return sleep(ctx, d)
}

// grace returns a context that outlives ctx a little: for steps that are nearly done when a process is told to stop, and whose
// outcome would be unknown if they were cut.
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

// untilDone repeats do until it succeeds, has nothing to do, or ctx ends; complain is told every failure.
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
