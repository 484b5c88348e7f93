package browser

import (
	"context"
	"time"

	"moviola/internal/pressure"
)

// spentError says that a page's time limit was reached.
type spentError struct{ limit time.Duration }

func (e *spentError) Error() string { return "the page's time is over" }

// budget is the context of a page. It ends when the page's time limit is reached, if it has not ended before. The method
// begin starts the counting of time. Two kinds of time are not counted: time in which the page waits for the receiver of
// its frames, and time in which any program of this machine waits for a processor because other programs use it. Of the
// second kind, at most as much time as the limit is left out each time that the counting begins at zero (decision 98).
type budget struct {
	context.Context
	timer *pressure.Timer
}

type budgetKey struct{}

// withBudget returns a context like ctx that also ends when the counted time (see budget) has reached limit. busy returns
// for how long, since some moment, programs have waited for a processor; nil: pressure.CPU. The returned function ends the
// context and its timer.
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

// begin starts to count time towards the page's time limit.
func (b *budget) begin() { b.timer.Start() }

// pause stops counting time towards the page's time limit until the returned function is called. With renew, counting then
// begins again at zero. If no time is being counted, for example after the limit was reached, pause does nothing.
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
