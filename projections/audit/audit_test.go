package audit_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/domain/movie"
	"moviola/domain/preload"
	"moviola/eventstore"
	"moviola/eventstore/memory"
	"moviola/projections/audit"
)

const (
	alice = domain.AccountID("alice")
	bob   = domain.AccountID("bob")
)

var t0 = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

// history writes logs.
type history struct {
	t     *testing.T
	store *memory.Store
	log   *eventstore.Log
}

func newHistory(t *testing.T) *history {
	t.Helper()
	store := memory.New()
	return &history{t: t, store: store, log: eventstore.NewLog(store, eventstore.NewCodec())}
}

// add appends events to a stream's end.
func (h *history) add(stream string, events ...domain.Event) {
	h.t.Helper()
	last, err := h.log.Last(context.Background(), stream)
	if err == nil {
		_, err = h.log.Append(context.Background(), stream, last.Revision, eventstore.Meta{Account: alice, Time: t0}, events...)
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *history) money(account domain.AccountID, events ...domain.Event) {
	h.t.Helper()
	h.add(ledger.Stream(account), events...)
}

// The parts of histories.
func granted(reference string, n int64) ledger.CreditsGranted {
	return ledger.CreditsGranted{Reference: reference, Amount: n, At: t0}
}
func held(p domain.ProjectID, n int64) ledger.CreditsHeld {
	return ledger.CreditsHeld{Project: p, Amount: n, At: t0}
}
func charged(p domain.ProjectID, n int64) ledger.CreditsCharged {
	return ledger.CreditsCharged{Project: p, Amount: n, At: t0}
}
func released(p domain.ProjectID, n int64) ledger.CreditsReleased {
	return ledger.CreditsReleased{Project: p, Amount: n, Reason: "failed", At: t0}
}
func submitted(account domain.AccountID) movie.Submitted {
	return movie.Submitted{Account: account, At: t0}
}
func success(credits int64) movie.RenderFinished {
	return movie.RenderFinished{Attempt: 1, Worker: "w", Success: true, Credits: credits, At: t0}
}

// sound is a history in which everything happens that may: what is paid for, what fails, what is counted, and what is open.
func sound(t *testing.T) *history {
	t.Helper()
	h := newHistory(t)
	h.money(alice, granted("opening", 100), held("paid", 5))
	h.add(movie.Stream("paid"), submitted(alice), movie.RenderStarted{Attempt: 1, Worker: "w", At: t0})
	h.money(alice, ledger.CreditsHoldChanged{Project: "paid", Attempt: 1, Before: 5, Amount: 7, At: t0})
	h.add(movie.Stream("paid"), success(7))
	h.money(alice, charged("paid", 7), held("late", 3), held("lost", 2), held("cached", 4))
	h.add(movie.Stream("late"), submitted(alice), movie.RenderTimedOut{At: t0})
	h.add(movie.Stream("lost"), movie.SubmissionAbandoned{Account: alice, At: t0})
	h.money(alice, released("late", 3), released("lost", 2))
	h.add(movie.Stream("late"), success(0), movie.FileDeleted{Reason: movie.Expired, At: t0})
	h.add(movie.Stream("cached"), submitted(alice), movie.RenderFinished{Attempt: 1, Worker: "w", Success: true, CachedFrom: "paid", At: t0})
	h.money(alice, released("cached", 4), held("batch/0", 10), held("batch/2", 10), held("never/0", 1))
	h.add(preload.Stream("batch"), preload.Requested{Account: alice, Items: []preload.Item{{ID: "a", Held: 10}, {ID: "b"}, {ID: "c", Held: 10}}, At: t0},
		preload.ItemFinished{Index: 0, Attempt: 1, Result: preload.Result{Generated: true, Credits: 8}, At: t0},
		preload.ItemFinished{Index: 2, Attempt: 1, Result: preload.Result{Error: "no"}, At: t0})
	h.add(preload.Stream("never"), preload.Finished{At: t0})
	h.money(alice, ledger.CreditsHoldChanged{Project: "batch/0", Attempt: 1, Before: 10, Amount: 8, At: t0}, charged("batch/0", 8),
		released("batch/2", 10), released("never/0", 1))
	h.money(alice, held("open", 6))
	h.add(movie.Stream("open"), submitted(alice))
	h.money(bob, ledger.MovieCounted{Project: "kept", Period: "2026-11", At: t0}, ledger.DraftCounted{Project: "back", Period: "2026-11", At: t0})
	counted := submitted(bob)
	counted.Counted = true
	h.add(movie.Stream("kept"), counted, success(0))
	h.add(movie.Stream("back"), counted, movie.Cancelled{At: t0})
	h.money(bob, ledger.CountKept{Project: "kept", At: t0},
		ledger.CountReleased{Project: "back", Period: "2026-11", Draft: true, Reason: "cancelled", At: t0},
		ledger.ZeroBalancePurged{Since: t0, At: t0}, ledger.Closed{At: t0})
	h.money(alice, held("young", 1)) // its movie has not come yet
	return h
}

// TestRun_dearItem: an item whose price is above its hold may cost what was held, or the price, as in former versions.
func TestRun_dearItem(t *testing.T) {
	t.Parallel()
	for cost, fits := range map[int64]bool{5: true, 8: true, 6: false} {
		h := newHistory(t)
		h.money(alice, granted("opening", 100), held("batch/0", 5))
		h.add(preload.Stream("batch"), preload.Requested{Account: alice, Items: []preload.Item{{ID: "a", Held: 5}}, At: t0},
			preload.ItemFinished{Index: 0, Attempt: 1, Result: preload.Result{Generated: true, Credits: 8}, At: t0})
		if cost != 5 {
			h.money(alice, ledger.CreditsHoldChanged{Project: "batch/0", Attempt: 1, Before: 5, Amount: cost, At: t0})
		}
		h.money(alice, charged("batch/0", cost))
		if report := run(t, h.store, nil); (report.Difference == nil) != fits {
			t.Errorf("charged %d: %+v", cost, report.Difference)
		}
	}
}

func run(t *testing.T, store eventstore.Store, change func(*audit.Config)) audit.Report {
	t.Helper()
	cfg := audit.Config{Store: store, Codec: eventstore.NewCodec()}
	if change != nil {
		change(&cfg)
	}
	report, err := audit.Run(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestRun_sound(t *testing.T) {
	t.Parallel()
	h := sound(t)
	report := run(t, h.store, nil)
	want := audit.Report{Position: report.Position, Digest: report.Digest, Events: report.Events, Entries: 25, Accounts: 2,
		Granted: 100, Charged: 15, Held: 7, Open: 2}
	if diff := cmp.Diff(want, report); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	if again := run(t, h.store, nil); again != report {
		t.Errorf("a second audit of one log: %+v, then %+v", report, again)
	}
	// The log grows, and the audit of what was there stays the same.
	h.money(alice, granted("more", 5))
	if again := run(t, h.store, func(c *audit.Config) { c.Until = eventstore.Position(report.Position) }); again != report {
		t.Errorf("an audit up to the same place: %+v, then %+v", report, again)
	}
	if grown := run(t, h.store, nil); grown.Digest == report.Digest || grown.Granted != 105 {
		t.Errorf("the log has grown: %+v", grown)
	}
}

// TestRun_everyPrefix: a log may end anywhere, and is sound there.
func TestRun_everyPrefix(t *testing.T) {
	t.Parallel()
	all := tapeOf(t, sound(t).store)
	for n := range len(all) + 1 {
		if report := run(t, all[:n], nil); report.Difference != nil {
			t.Errorf("after %d events: %v", n, report.Difference)
		}
	}
}

// TestSeal_documented computes the seal as docs/audit.md says, apart from the code of the seal.
func TestSeal_documented(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.money(alice, ledger.CreditsGranted{Reference: "opening", Amount: 600, At: t0})
	r := tapeOf(t, h.store)[0]
	text := fmt.Sprintf("%s\n%d\n%s\n%s\n%s", "ledger-alice", 0, r.ID, "CreditsGranted", `{"reference":"opening","amount":600,"at":"2026-11-21T09:00:00Z"}`)
	if got, want := run(t, h.store, nil).Digest, chain(text); got != want {
		t.Errorf("seal %s, want %s", got, want)
	}
	if got := run(t, memory.New(), nil).Digest; got != strings.Repeat("0", 64) {
		t.Errorf("the seal of nothing is %s", got)
	}
}

func TestRun_lines(t *testing.T) {
	t.Parallel()
	var lines []audit.Line
	report := run(t, sound(t).store, func(c *audit.Config) {
		c.Line = func(line audit.Line) error {
			lines = append(lines, line)
			return nil
		}
	})
	if int64(len(lines)) != report.Entries {
		t.Fatalf("%d lines of %d entries", len(lines), report.Entries)
	}
	want := audit.Line{Account: alice, Number: 3, At: t0, Event: "CreditsCharged", Subject: "paid", Amount: 7,
		Held: -7, Charged: 7, GrantedTotal: 100, ChargedTotal: 7, Balance: 93, Available: 93}
	if diff := cmp.Diff(want, lines[3]); diff != "" {
		t.Errorf("line (-want +got):\n%s", diff)
	}
	if _, err := audit.Run(t.Context(), audit.Config{Store: sound(t).store, Codec: eventstore.NewCodec(),
		Line: func(audit.Line) error { return errFull }}); err != errFull { //nolint:errorlint // the very error
		t.Errorf("error %v", err)
	}
}

var errFull = fmt.Errorf("the disk is full")

// tape is a log that can be tampered with.
type tape []eventstore.Recorded

func tapeOf(t *testing.T, store eventstore.Store) tape {
	t.Helper()
	var all tape
	for r, err := range store.ReadAll(t.Context(), eventstore.Forwards, eventstore.Position{}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

func (l tape) ReadAll(_ context.Context, _ eventstore.Direction, _ eventstore.Position) iter.Seq2[eventstore.Recorded, error] {
	return func(yield func(eventstore.Recorded, error) bool) {
		for _, r := range l {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func (l tape) ReadStream(_ context.Context, stream string, _ eventstore.Direction, from eventstore.Revision) iter.Seq2[eventstore.Recorded, error] {
	return func(yield func(eventstore.Recorded, error) bool) {
		for _, r := range l {
			if r.Stream == stream && r.Revision >= from && !yield(r, nil) {
				return
			}
		}
	}
}

// Head is the last event's place; a tape neither grows nor is followed.
func (l tape) Head(context.Context) (eventstore.Position, error) {
	if len(l) == 0 {
		return eventstore.Position{}, nil
	}
	return l[len(l)-1].Position, nil
}

func (tape) Append(context.Context, string, eventstore.Revision, ...eventstore.Proposed) (eventstore.Appended, error) {
	return eventstore.Appended{}, eventstore.ErrUnavailable
}

func (tape) Subscribe(context.Context, eventstore.Position, eventstore.Filter) (eventstore.Subscription, error) {
	return nil, eventstore.ErrUnavailable
}

// indexOf finds the n-th event of a type, counted from 0; -1: there is none.
func (l tape) indexOf(kind string, n int) int {
	for i, r := range l {
		if r.Type == kind {
			if n == 0 {
				return i
			}
			n--
		}
	}
	return -1
}

// renumber gives the events of each stream their revisions anew, as somebody would who hides a change.
func (l tape) renumber() tape {
	l = slices.Clone(l)
	next := make(map[string]eventstore.Revision)
	for i := range l {
		l[i].Revision = next[l[i].Stream]
		next[l[i].Stream]++
	}
	return l
}

// brokenStore is a log whose read ends with an error after the last event.
type brokenStore struct {
	tape
	err error
}

func (b brokenStore) ReadAll(ctx context.Context, dir eventstore.Direction, from eventstore.Position) iter.Seq2[eventstore.Recorded, error] {
	return func(yield func(eventstore.Recorded, error) bool) {
		for r := range b.tape.ReadAll(ctx, dir, from) {
			if !yield(r, nil) {
				return
			}
		}
		yield(eventstore.Recorded{}, b.err)
	}
}

// faltering goes away after every few events, and once before the first.
type faltering struct {
	tape
	every int
	asked bool
}

func (f *faltering) ReadAll(ctx context.Context, dir eventstore.Direction, from eventstore.Position) iter.Seq2[eventstore.Recorded, error] {
	return func(yield func(eventstore.Recorded, error) bool) {
		n := 0
		for r := range f.tape.ReadAll(ctx, dir, from) {
			if r.Position.Compare(from) <= 0 {
				continue
			}
			if n++; n > f.every || !f.asked {
				f.asked = true
				yield(eventstore.Recorded{}, eventstore.ErrUnavailable)
				return
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}
