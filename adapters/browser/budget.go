package browser

import (
	"context"
	"time"
)

// spentError is the end of a page's time.
type spentError struct{ limit time.Duration }

func (e *spentError) Error() string { return "the page's time is over" }

// budget is the context of a page, which ends with the page's time. That of others, who take its frames, does not count.
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

// Value lets the budget be found again in what descends from it.
func (b *budget) Value(key any) any {
	if key == (budgetKey{}) {
		return b
	}
	return b.Context.Value(key)
}

// pause stops the page's time, if it is not over, until the function it returns is called. The page then gets its whole time
// again when renew is set.
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
