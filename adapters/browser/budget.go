package browser

import (
	"context"
	"time"
)

// spentError says that a page's time limit was reached.
type spentError struct{ limit time.Duration }

func (e *spentError) Error() string { return "the page's time is over" }

// budget is the context of a page with the page's time limit. Time in which the receiver of the page's frames is at work is not
// counted.
type budget struct {
	context.Context
	limit, left time.Duration
	since       time.Time
	timer       *time.Timer
}

type budgetKey struct{}

// withBudget returns a context that ends after limit.
func withBudget(ctx context.Context, limit time.Duration) (context.Context, func()) {
	inner, cancel := context.WithCancelCause(ctx)
	b := &budget{Context: inner, limit: limit, left: limit, since: time.Now()}
	b.timer = time.AfterFunc(limit, func() { cancel(&spentError{limit: limit}) })
	return b, func() {
		b.timer.Stop()
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

// pause stops counting time towards the page's time limit until the returned function is called, unless the limit is reached.
// With renew, counting then begins again at zero.
func pause(ctx context.Context, renew bool) func() {
	b, ok := ctx.Value(budgetKey{}).(*budget)
	if !ok || !b.timer.Stop() {
		return func() {}
	}
	b.left -= time.Since(b.since)
	return func() {
		if renew {
			b.left = b.limit
		}
		b.since = time.Now()
		b.timer.Reset(b.left)
	}
}
