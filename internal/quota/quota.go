// Package quota bounds how many bytes accounts keep somewhere, each of them and all together, at the moment of writing.
package quota

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	// recount is how old a count may be: other processes write and remove too.
	recount = 10 * time.Minute
	// pause is the least time between two counts: whoever is refused again and again does not have everything counted again and again.
	pause = time.Second
	// patience is how long a write waits for a count, and longest how long one may take. Where an account is counted for the first time, what
	// is written meanwhile is let through, and counts afterwards.
	patience = 2 * time.Second
	longest  = 10 * time.Minute
)

// Limits are bounds in bytes; 0: there is none.
type Limits struct{ Account, Total int64 }

// FullError says that a bound would be exceeded.
type FullError struct {
	All   bool  // the bound of all accounts together, not the account's own
	Limit int64 // bytes
}

// Error implements error.
func (e *FullError) Error() string {
	if e.All {
		return fmt.Sprintf("all accounts together keep as much as they may: %s", Size(e.Limit))
	}
	return fmt.Sprintf("the account keeps as much as it may: %s", Size(e.Limit))
}

// Size is a number of bytes for people: 500 MB, 20 GB, 1.5 GB.
func Size(bytes int64) string {
	switch {
	case bytes >= 1<<30:
		return fmt.Sprintf("%.4g GB", float64(bytes)/(1<<30))
	case bytes >= 1<<20:
		return fmt.Sprintf("%.4g MB", float64(bytes)/(1<<20))
	}
	return fmt.Sprintf("%d bytes", bytes)
}

// Count measures how many bytes an account keeps; empty: all accounts.
type Count func(ctx context.Context, account string) (int64, error)

// Bound holds limits. What this process writes is counted as it is written; what is there is measured when an account first writes, and again
// when it would exceed a bound after something was removed, or after ten minutes. It is safe for concurrent use.
type Bound struct {
	limits Limits
	count  Count

	ctx      context.Context // of what is being counted; ends with Close
	stop     context.CancelFunc
	counting sync.WaitGroup

	mu      sync.Mutex
	used    map[string]*usage // by account; empty: all
	refused Refusals
}

// Refusals counts writes that were refused since the start.
type Refusals struct{ Account, Total int64 }

// Status is what operators see of a Bound.
type Status struct {
	Limits
	// Kept is what all accounts together keep, in bytes, as counted last and written since. It is 0 without a bound for all, and until somebody
	// has written.
	Kept    int64
	Refused Refusals
}

// Status returns the state of the bound.
func (b *Bound) Status() Status {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := Status{Limits: b.limits, Refused: b.refused}
	if u := b.used[""]; u != nil {
		s.Kept = u.kept + u.writing
	}
	return s
}

// usage is what is known of one account. It is guarded by Bound.mu.
type usage struct {
	kept    int64     // measured, and written since
	writing int64     // by writes that have not ended
	counted time.Time // zero: never
	removed bool      // something was, since then
	under   *counting // nil: it is not being counted
}

// counting is a count that is under way. err is set when done is closed.
type counting struct {
	done chan struct{}
	err  error
}

// New returns a Bound. Close ends what it has begun; one that counts at once needs none.
func New(limits Limits, count Count) *Bound {
	b := &Bound{limits: limits, count: count, used: map[string]*usage{}}
	b.ctx, b.stop = context.WithCancel(context.Background())
	return b
}

// Write is something that is being written. It belongs to one goroutine.
type Write struct {
	bound   *Bound
	account string
	size    int64
}

// Begin begins a write of an account, of no bytes. Keep or Drop must follow.
func (b *Bound) Begin(account string) *Write { return &Write{bound: b, account: account} }

// Add counts bytes that are about to be written. A *FullError says that there is no room for them; then they are not counted.
func (w *Write) Add(ctx context.Context, bytes int64) error {
	if err := w.bound.add(ctx, w.account, w.bound.limits.Account, bytes, false); err != nil {
		return err
	}
	if err := w.bound.add(ctx, "", w.bound.limits.Total, bytes, true); err != nil {
		w.bound.end(w.account, w.bound.limits.Account, bytes, 0)
		return err
	}
	w.size += bytes
	return nil
}

// Keep says that all was written and stays.
func (w *Write) Keep() { w.end(w.size) }

// Drop says that nothing of it stays.
func (w *Write) Drop() { w.end(0) }

func (w *Write) end(kept int64) {
	w.bound.end(w.account, w.bound.limits.Account, w.size, kept)
	w.bound.end("", w.bound.limits.Total, w.size, kept)
	w.size = 0
}

// Removed says that something of an account was removed, nobody knows how much.
func (b *Bound) Removed(account string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, name := range []string{account, ""} {
		if u := b.used[name]; u != nil {
			u.removed = true
		}
	}
}

func (b *Bound) usage(of string) *usage {
	u := b.used[of]
	if u == nil {
		u = &usage{}
		b.used[of] = u
	}
	return u
}

func (b *Bound) add(ctx context.Context, of string, limit, bytes int64, all bool) error {
	if limit == 0 {
		return nil
	}
	for again := true; ; again = false {
		b.mu.Lock()
		u := b.usage(of)
		fits := !u.counted.IsZero() && u.kept+u.writing+bytes <= limit
		if fits || !again && u.counted.IsZero() { // what takes long to count the first time keeps nobody waiting
			u.writing += bytes
			fits = true
		}
		b.mu.Unlock()
		if fits {
			return nil
		}
		if !again {
			b.refuse(all)
			return &FullError{All: all, Limit: limit}
		}
		if err := b.measure(ctx, of, u); err != nil {
			return err
		}
	}
}

func (b *Bound) refuse(all bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if all {
		b.refused.Total++
		return
	}
	b.refused.Account++
}

// measure has counted what an account keeps, unless that was done just now or would come out the same, and waits a little for it.
func (b *Bound) measure(ctx context.Context, of string, u *usage) error {
	b.mu.Lock()
	age := time.Since(u.counted)
	if !u.counted.IsZero() && (age < pause || age < recount && !u.removed) {
		b.mu.Unlock()
		return nil
	}
	under := u.under
	if under == nil {
		under = &counting{done: make(chan struct{})}
		u.under, u.removed = under, false
		b.counting.Go(func() { b.measureNow(of, u, under) })
	}
	b.mu.Unlock()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-under.done:
		return under.err
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (b *Bound) measureNow(of string, u *usage, under *counting) {
	defer close(under.done)
	ctx, cancel := context.WithTimeout(b.ctx, longest)
	defer cancel()
	b.mu.Lock()
	before := u.kept
	b.mu.Unlock()
	bytes, err := b.count(ctx, of)
	b.mu.Lock()
	defer b.mu.Unlock()
	u.under = nil
	if err != nil {
		u.removed, under.err = true, fmt.Errorf("count what is kept: %w", err)
		return
	}
	u.kept, u.counted = bytes+u.kept-before, time.Now() // what came meanwhile may have been missed
}

// Close ends what is being counted, and waits for that.
func (b *Bound) Close() {
	b.stop()
	b.counting.Wait()
}

func (b *Bound) end(of string, limit, written, kept int64) {
	if limit == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	u := b.usage(of)
	u.writing -= written
	u.kept += kept
}

// Freed says that so many bytes of an account were removed.
func (b *Bound) Freed(account string, bytes int64) {
	b.end(account, b.limits.Account, 0, -bytes)
	b.end("", b.limits.Total, 0, -bytes)
}
