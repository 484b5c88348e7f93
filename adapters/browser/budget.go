package browser

import (
	"context"
	"time"

	"moviola/internal/pressure"
)

// spentError says that a page's time limit was reached.
type spentError struct{ limit time.Duration }

func (e *spentError) Error() string { return "the page's time is over" }

// budget is the context of a page with the page's time limit. Counting starts with begin. Time in which the receiver of the
// page's frames is at work is not counted. Nor is time in which any program of this machine waits for a processor that
// others have; of that, no more time than the limit is left out in all (decision 98).
type budget struct {
	context.Context
	timer *pressure.Timer
}

type budgetKey struct{}

// withBudget returns a context that ends when limit has been counted. busy is that of pressure.NewTimer.
func withBudget(ctx context.Context, limit time.Duration, busy func() time.Duration) (*budget, func()) {
	inner, cancel := context.WithCancelCause(ctx)
	timer := pressure.NewTimer(limit, limit, busy, func() { cancel(&spentError{limit: limit}) })
	return &budget{inner, timer}, func() {
		timer.Stop()
		cancel(nil)
	}
}

// Value makes the budget available to descendants of the context.
func (b *budget) Value(key any) any {
	if key == (budgetKey{}) {
		return b
	}
	return b.Context.Value(key)
}

// begin counts from now on.
func (b *budget) begin() { b.timer.Start() }

// pause stops counting time towards the page's time limit until the returned function is called, unless the limit is reached.
// With renew, counting then begins again at zero.
func pause(ctx context.Context, renew bool) func() {
	b, ok := ctx.Value(budgetKey{}).(*budget)
	if !ok || !b.timer.Stop() {
		return func() {}
	}
	return func() {
		if renew {
			b.timer.Renew()
		}
		b.timer.Start()
	}
}
