package browser

import (
	"bytes"
	"context"
	"os"
	"strconv"
	"sync"
	"time"
)

// spentError says that a page's time limit was reached.
type spentError struct{ limit time.Duration }

func (e *spentError) Error() string { return "the page's time is over" }

// budget is the context of a page with the page's time limit. Counting starts with begin. Time in which the receiver of the
// page's frames is at work is not counted. Nor is time in which any program of this machine waits for a processor that
// others have; of that, no more time than the limit is left out in all (decision 98).
type budget struct {
	context.Context
	cancel context.CancelCauseFunc
	limit  time.Duration
	busy   func() time.Duration // how long, since some moment, someone has waited for a processor

	mu      sync.Mutex
	timer   *time.Timer   // runs while time is counted; nil: time is not counted
	left    time.Duration // until the limit is reached, at the time since
	spared  time.Duration // time left out because the machine was busy
	since   time.Time
	waiting time.Duration // value of busy at the time since
}

type budgetKey struct{}

// withBudget returns a context that ends when limit has been counted.
func withBudget(ctx context.Context, limit time.Duration, busy func() time.Duration) (*budget, func()) {
	inner, cancel := context.WithCancelCause(ctx)
	b := &budget{Context: inner, cancel: cancel, limit: limit, left: limit, busy: busy}
	return b, func() {
		b.stop()
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
func (b *budget) begin() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.since, b.waiting = time.Now(), b.busy()
	b.timer = time.AfterFunc(b.left, b.expire)
}

// stop ends the counting, and reports whether time was counted until now.
func (b *budget) stop() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.timer == nil {
		return false
	}
	b.timer.Stop() // expire may run already: it finds no timer
	b.timer = nil
	b.count()
	return true
}

// count takes the time since begin, or since its own last call, off what is left, except for the time when the machine was
// busy. The caller holds mu.
func (b *budget) count() {
	now, waiting := time.Now(), b.busy()
	passed := now.Sub(b.since)
	spared := min(passed, waiting-b.waiting, b.limit-b.spared)
	b.spared += spared
	b.left -= passed - spared
	b.since, b.waiting = now, waiting
}

// leastWait is how much must be left of a budget, when its timer has run out, for expire to wait again. With less, the time
// is over.
const leastWait = 10 * time.Millisecond

// expire ends the context, unless some of the time was not to be counted.
func (b *budget) expire() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.timer == nil {
		return
	}
	if b.count(); b.left >= leastWait {
		b.timer.Reset(b.left)
		return
	}
	b.timer = nil
	b.cancel(&spentError{limit: b.limit})
}

// pause stops counting time towards the page's time limit until the returned function is called, unless the limit is reached.
// With renew, counting then begins again at zero.
func pause(ctx context.Context, renew bool) func() {
	b, ok := ctx.Value(budgetKey{}).(*budget)
	if !ok || !b.stop() {
		return func() {}
	}
	return func() {
		if renew {
			b.left, b.spared = b.limit, 0
		}
		b.begin()
	}
}

// cpuPressure returns how long, since the machine was started, programs have waited for a processor that others had, as the
// kernel counts it (Pressure Stall Information); 0 if it does not.
func cpuPressure() time.Duration {
	text, err := os.ReadFile("/proc/pressure/cpu")
	if err != nil {
		return 0
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	_, total, _ := bytes.Cut(line, []byte("total=")) // "some avg10=0.00 avg60=0.00 avg300=0.00 total=…", in microseconds
	n, err := strconv.ParseInt(string(total), 10, 64)
	if err != nil {
		return 0
	}
	return time.Duration(n) * time.Microsecond
}
