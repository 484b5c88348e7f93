// Package quota bounds the bytes and files that accounts store, for each account and for all together. It checks at the time of
// writing.
package quota

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	// recount is the age at which a measurement of the stored files is too old to refuse a write, because other processes
	// write and remove files too.
	recount = 10 * time.Minute
	// pause is the minimum time between two measurements of an account's stored files, so that repeated refusals do not
	// cause repeated measurements.
	pause = time.Second
	// patience is how long a write waits for a measurement of the account's stored files. If the first measurement of an
	// account takes longer, the write is accepted, and its bytes are added to the result of the measurement.
	patience = 2 * time.Second
	// longest is the time limit of a measurement.
	longest = 10 * time.Minute
)

// Amount is a number of bytes and files.
type Amount struct{ Bytes, Files int64 }

func (a Amount) plus(b Amount) Amount  { return Amount{a.Bytes + b.Bytes, a.Files + b.Files} }
func (a Amount) minus(b Amount) Amount { return Amount{a.Bytes - b.Bytes, a.Files - b.Files} }

// unbounded reports whether a limit bounds nothing.
func (a Amount) unbounded() bool { return a == Amount{} }

// exceeded returns an error with the limit that an amount exceeds; nil: it exceeds none. 0 is no limit.
func (a Amount) exceeded(limit Amount) *FullError {
	switch {
	case limit.Bytes > 0 && a.Bytes > limit.Bytes:
		return &FullError{Limit: limit.Bytes}
	case limit.Files > 0 && a.Files > limit.Files:
		return &FullError{Limit: limit.Files, Files: true}
	}
	return nil
}

// Limits are bounds; 0: there is none.
type Limits struct{ Account, Total Amount }

// Of returns limits of account bytes and accountFiles files for each account, and of total bytes and totalFiles files for all
// accounts together.
func Of(account, total, accountFiles, totalFiles int64) Limits {
	return Limits{Account: Amount{account, accountFiles}, Total: Amount{total, totalFiles}}
}

// FullError is the error for a write that would exceed a bound.
type FullError struct {
	All   bool  // the bound of all accounts together, not the account's own
	Limit int64 // the bound that was exceeded: a number of bytes or, if Files is true, of files
	Files bool  // the limit is a number of files, not of bytes
}

// Bound returns the exceeded limit as text, for example "20 GB" or "100000 files".
func (e *FullError) Bound() string {
	if e.Files {
		return fmt.Sprintf("%d files", e.Limit)
	}
	return Size(e.Limit)
}

// Error implements error.
func (e *FullError) Error() string {
	if e.All {
		return fmt.Sprintf("all accounts together keep as much as they may: %s", e.Bound())
	}
	return fmt.Sprintf("the account keeps as much as it may: %s", e.Bound())
}

// Size returns a number of bytes as text, for example "500 MB", "1.5 GB" or "20 TB".
func Size(bytes int64) string {
	switch {
	case bytes >= 1<<40:
		return fmt.Sprintf("%.4g TB", float64(bytes)/(1<<40))
	case bytes >= 1<<30:
		return fmt.Sprintf("%.4g GB", float64(bytes)/(1<<30))
	case bytes >= 1<<20:
		return fmt.Sprintf("%.4g MB", float64(bytes)/(1<<20))
	}
	return fmt.Sprintf("%d bytes", bytes)
}

// Count is a function that measures the stored files of an account. An empty account stands for all accounts together.
type Count func(ctx context.Context, account string) (Amount, error)

// Bound enforces limits. Writes of this process are counted as they happen. The existing files of an account are measured
// at its first write. They are measured again when a write would exceed a limit, if files were removed since the last
// measurement or the last measurement is ten minutes old. A Bound is safe for concurrent use.
type Bound struct {
	limits Limits
	count  Count

	ctx      context.Context // context of all measurements; ends with Close
	stop     context.CancelFunc
	counting sync.WaitGroup

	mu      sync.Mutex
	used    map[string]*usage // usage by account; under the empty key, that of all accounts together
	refused Refusals
}

// Refusals counts the refusals since the start, by the bound that would have been exceeded: that of an account, or the
// total. A write in a Folder that is accepted after space was freed is no refusal.
type Refusals struct{ Account, Total int64 }

// Status is the state of a Bound for operators.
type Status struct {
	Limits
	// Kept is the usage of all accounts together: the result of the last measurement plus later writes, less what was
	// freed later, as far as its size is known. Until the first measurement ends, it contains only what this process has
	// written and freed. It is 0 without a total limit.
	Kept    Amount
	Refused Refusals
}

// Status returns the state of the bound.
func (b *Bound) Status() Status {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := Status{Limits: b.limits, Refused: b.refused}
	if u := b.used[""]; u != nil {
		s.Kept = u.kept.plus(u.writing)
	}
	return s
}

// usage is the known usage of one account. Bound.mu guards it.
type usage struct {
	kept    Amount    // stored amount: result of the last measurement, plus later writes, less what was freed later
	writing Amount    // amount of the writes that have not ended
	counted time.Time // time of the last measurement; zero: there was none
	removed bool      // files were removed since the last measurement began, or that measurement failed
	under   *counting // measurement that is in progress; nil: none
}

// counting is a measurement of stored files that is in progress. done is closed at its end; err is set before that.
type counting struct {
	done chan struct{}
	err  error
}

// New returns a Bound that measures stored files by calling count. Close ends the measurements in progress; it need not be
// called if count returns at once.
func New(limits Limits, count Count) *Bound {
	b := &Bound{limits: limits, count: count, used: map[string]*usage{}}
	b.ctx, b.stop = context.WithCancel(context.Background())
	return b
}

// Write is a file that is being written. It belongs to one goroutine.
type Write struct {
	bound   *Bound
	account string
	size    Amount
}

// Begin begins a write of an account with no bytes. Keep or Drop must follow. The file is counted with its first bytes.
func (b *Bound) Begin(account string) *Write { return &Write{bound: b, account: account} }

// Add counts bytes that are about to be written. If they do not fit, Add returns a *FullError and counts the refusal, but
// not the bytes.
func (w *Write) Add(ctx context.Context, bytes int64) error { return w.bound.refuse(w.try(ctx, bytes)) }

// try counts bytes that are about to be written. When it returns an error, it has counted no bytes; the error is a
// *FullError if they do not fit. Unlike Add, it does not count the refusal either.
func (w *Write) try(ctx context.Context, bytes int64) error {
	more := Amount{Bytes: bytes}
	if w.size.Files == 0 {
		more.Files = 1
	}
	if err := w.bound.add(ctx, w.account, w.bound.limits.Account, more, false); err != nil {
		return err
	}
	if err := w.bound.add(ctx, "", w.bound.limits.Total, more, true); err != nil {
		w.bound.end(w.account, w.bound.limits.Account, more, Amount{})
		return err
	}
	w.size = w.size.plus(more)
	return nil
}

// Keep ends a write whose file stays.
func (w *Write) Keep() { w.end(w.size) }

// Drop ends a write whose file does not stay.
func (w *Write) Drop() { w.end(Amount{}) }

func (w *Write) end(kept Amount) {
	w.bound.end(w.account, w.bound.limits.Account, w.size, kept)
	w.bound.end("", w.bound.limits.Total, w.size, kept)
	w.size = Amount{}
}

// Removed records that an unknown number of files of an account was removed.
func (b *Bound) Removed(account string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, name := range []string{account, ""} {
		if u := b.used[name]; u != nil {
			u.removed = true
		}
	}
}

// Known reports whether the stored files have been measured: those of the account if accounts have a limit, and those of
// all accounts together if there is a total limit. If not, a measurement starts in the background.
func (b *Bound) Known(account string) bool {
	known := true
	for _, of := range []struct {
		name  string
		limit Amount
	}{{account, b.limits.Account}, {"", b.limits.Total}} {
		if of.limit.unbounded() {
			continue
		}
		b.mu.Lock()
		u := b.usage(of.name)
		counted := !u.counted.IsZero()
		if !counted {
			b.begin(of.name, u)
		}
		b.mu.Unlock()
		known = known && counted
	}
	return known
}

// Full reports whether the total limit is known to be reached. It is false before the first measurement, after files were
// removed, and when the last measurement is as old as recount.
func (b *Bound) Full() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	u := b.used[""]
	return u != nil && !u.counted.IsZero() && !u.removed && time.Since(u.counted) < recount &&
		u.kept.plus(u.writing).plus(Amount{1, 1}).exceeded(b.limits.Total) != nil
}

func (b *Bound) usage(of string) *usage {
	u := b.used[of]
	if u == nil {
		u = &usage{}
		b.used[of] = u
	}
	return u
}

func (b *Bound) add(ctx context.Context, of string, limit, more Amount, all bool) error {
	if limit.unbounded() {
		return nil
	}
	for again := true; ; again = false {
		b.mu.Lock()
		u := b.usage(of)
		full := u.kept.plus(u.writing).plus(more).exceeded(limit)
		fits := !u.counted.IsZero() && full == nil
		if fits || !again && u.counted.IsZero() {
			// It fits, or the first measurement of the stored files takes longer than patience: the write is accepted.
			u.writing = u.writing.plus(more)
			fits = true
		}
		b.mu.Unlock()
		if fits {
			return nil
		}
		if !again {
			full.All = all
			return full
		}
		if err := b.measure(ctx, of, u); err != nil {
			return err
		}
	}
}

// refuse counts a refusal if err is a *FullError, and returns err.
func (b *Bound) refuse(err error) error {
	full := asFull(err)
	if full == nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if full.All {
		b.refused.Total++
	} else {
		b.refused.Account++
	}
	return err
}

// asFull returns the *FullError that err wraps; nil: err wraps none.
func asFull(err error) *FullError {
	var full *FullError
	errors.As(err, &full)
	return full
}

// measure starts a measurement of the stored files of an account (empty: of all accounts), or joins the one in progress,
// and waits for it for at most patience. It does nothing if the last measurement is younger than pause, or younger than
// recount and no files were removed since.
func (b *Bound) measure(ctx context.Context, of string, u *usage) error {
	b.mu.Lock()
	age := time.Since(u.counted)
	if !u.counted.IsZero() && (age < pause || age < recount && !u.removed) {
		b.mu.Unlock()
		return nil
	}
	under := b.begin(of, u)
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

// begin starts a measurement of the stored files of an account, unless one is in progress. The caller holds b.mu.
func (b *Bound) begin(of string, u *usage) *counting {
	if u.under == nil {
		under := &counting{done: make(chan struct{})}
		u.under, u.removed = under, false
		b.counting.Go(func() { b.measureNow(of, u, under) })
	}
	return u.under
}

func (b *Bound) measureNow(of string, u *usage, under *counting) {
	defer close(under.done)
	ctx, cancel := context.WithTimeout(b.ctx, longest)
	defer cancel()
	b.mu.Lock()
	before := u.kept
	b.mu.Unlock()
	found, err := b.count(ctx, of)
	b.mu.Lock()
	defer b.mu.Unlock()
	u.under = nil
	if err != nil {
		u.removed, under.err = true, fmt.Errorf("count what is kept: %w", err)
		return
	}
	// The measurement may have missed bytes that were written while it ran, so they are added. It may also have counted bytes
	// that were freed while it ran, or not: they are not subtracted, and the next measurement finds out.
	more := u.kept.minus(before)
	u.removed = u.removed || more.Bytes < 0 || more.Files < 0
	u.kept, u.counted = found.plus(Amount{max(0, more.Bytes), max(0, more.Files)}), time.Now()
}

// counted sets the stored amount of an account (empty: of all accounts) to a measured one. Writes that have not ended are
// counted in addition.
func (b *Bound) counted(of string, found Amount) {
	b.mu.Lock()
	defer b.mu.Unlock()
	u := b.usage(of)
	u.kept, u.counted, u.removed = found, time.Now(), false
}

// Close cancels the measurements in progress, and waits for them.
func (b *Bound) Close() {
	b.stop()
	b.counting.Wait()
}

func (b *Bound) end(of string, limit, written, kept Amount) {
	if limit.unbounded() {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	u := b.usage(of)
	u.writing, u.kept = u.writing.minus(written), u.kept.plus(kept)
}

// Freed records that files of a known size were removed.
func (b *Bound) Freed(account string, amount Amount) {
	gone := Amount{}.minus(amount)
	b.end(account, b.limits.Account, Amount{}, gone)
	b.end("", b.limits.Total, Amount{}, gone)
}
