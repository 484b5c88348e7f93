package eventstore_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/eventstore"
	"moviola/eventstore/memory"
)

const stream = "ledger-acct"

// tally is an aggregate that adds up grants, and decides to add more until it has enough.
type tally struct {
	sum   int64
	count int
}

func (a *tally) Apply(event domain.Event) {
	a.sum += event.(ledger.CreditsGranted).Amount
	a.count++
}

func (a *tally) upTo(enough int64) (eventstore.Decision, error) {
	if a.sum >= enough {
		return eventstore.Decision{}, nil
	}
	return eventstore.Decision{Meta: eventstore.Meta{Time: at}, Events: []domain.Event{grant(a.count, enough-a.sum)}}, nil
}

func grant(n int, amount int64) domain.Event {
	return ledger.CreditsGranted{Reference: string(rune('a' + n)), Amount: amount, At: at}
}

func newLog() (*memory.Store, *eventstore.Log) {
	store := memory.New()
	return store, eventstore.NewLog(store, eventstore.NewCodec())
}

func mustAppend(t *testing.T, log *eventstore.Log, expected eventstore.Revision, events ...domain.Event) eventstore.Appended {
	t.Helper()
	appended, err := log.Append(t.Context(), stream, expected, eventstore.Meta{Time: at}, events...)
	if err != nil {
		t.Fatal(err)
	}
	return appended
}

func TestLog_Fold(t *testing.T) {
	t.Parallel()
	_, log := newLog()
	a := &tally{}
	end, err := log.Fold(t.Context(), stream, a.Apply)
	if err != nil || end != (eventstore.Appended{Revision: eventstore.NoStream}) || a.count != 0 {
		t.Errorf("no stream: %v, %v, %d events", end, err, a.count)
	}
	mustAppend(t, log, eventstore.NoStream, grant(0, 1))
	last := mustAppend(t, log, 0, grant(1, 2), grant(2, 3))
	end, err = log.Fold(t.Context(), stream, a.Apply)
	if err != nil || end != last || a.sum != 6 {
		t.Errorf("whole stream: %v, %v, sum %d", end, err, a.sum)
	}
	again, err := log.FoldAfter(t.Context(), stream, end, func(domain.Event) { t.Error("an event after the last") })
	if err != nil || again != end {
		t.Errorf("nothing new: %v, %v", again, err)
	}
	if got, err := log.Last(t.Context(), stream); err != nil || got != end {
		t.Errorf("last: %v, %v", got, err)
	}
	if got, err := log.Last(t.Context(), "ledger-nobody"); err != nil || got.Revision != eventstore.NoStream {
		t.Errorf("last of no stream: %v, %v", got, err)
	}
}

func TestLog_Fold_unknownEvent(t *testing.T) {
	t.Parallel()
	store, log := newLog()
	mustAppend(t, log, eventstore.NoStream, grant(0, 1))
	alien := eventstore.Proposed{ID: eventstore.EventID("x", grant(0, 1)), Type: "AlienLanded", Data: []byte(`{}`), Metadata: []byte(`{"v":1}`)}
	if _, err := store.Append(t.Context(), stream, 0, alien); err != nil {
		t.Fatal(err)
	}
	a := &tally{}
	end, err := log.Fold(t.Context(), stream, a.Apply)
	if !errors.Is(err, eventstore.ErrUnknownType) || end.Revision != 0 || a.count != 1 {
		t.Errorf("%v, %v, %d events", end, err, a.count)
	}
}

func TestLog_Append_conflict(t *testing.T) {
	t.Parallel()
	_, log := newLog()
	mustAppend(t, log, eventstore.NoStream, grant(0, 1))
	_, err := log.Append(t.Context(), stream, eventstore.NoStream, eventstore.Meta{Time: at}, grant(1, 1))
	var conflict *eventstore.ConflictError
	if !errors.As(err, &conflict) || conflict.Actual != 0 {
		t.Errorf("error %v", err)
	}
}

// TestLog_Append_lostAnswers loses answers before and after the event is stored: it is stored once.
func TestLog_Append_lostAnswers(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(*memory.Store, int){
		"before it is stored": (*memory.Store).LoseBefore,
		"after it is stored":  (*memory.Store).LoseAfter,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store, log := newLog()
				lose(store, 5)
				appended := mustAppend(t, log, eventstore.NoStream, grant(0, 1))
				a := &tally{}
				if end, err := log.Fold(t.Context(), stream, a.Apply); err != nil || end != appended || a.count != 1 {
					t.Errorf("%v, %v, %d events", end, err, a.count)
				}
			})
		})
	}
}

func TestLog_Append_untilTheDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, log := newLog()
		store.LoseBefore(1 << 10)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		_, err := log.Append(ctx, stream, eventstore.NoStream, eventstore.Meta{Time: at}, grant(0, 1))
		if !errors.Is(err, eventstore.ErrUnavailable) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		if took := time.Since(began); took != time.Minute {
			t.Errorf("took %v", took)
		}
	})
}

// TestLog_Decide_conflict lets another writer come in between twice: the decision is taken on what it wrote.
func TestLog_Decide_conflict(t *testing.T) {
	t.Parallel()
	store, log := newLog()
	var tries atomic.Int32
	store.Inject(memory.Faults{BeforeAppendFunc: func(context.Context, string, []eventstore.Proposed) error {
		n := int(tries.Add(1))
		if n == 1 || n == 3 { // the second and fourth appends are the other writer's own
			mustAppend(t, log, eventstore.Revision(n/2-1), ledger.CreditsGranted{Reference: "other" + string(rune('0'+n)), Amount: 10, At: at})
		}
		return nil
	}})
	a := &tally{}
	appended, err := log.Decide(t.Context(), stream, a, func() (eventstore.Decision, error) { return a.upTo(100) })
	if err != nil {
		t.Fatal(err)
	}
	stored := &tally{}
	end, err := log.Fold(t.Context(), stream, stored.Apply)
	if err != nil || end != appended {
		t.Errorf("ends at %v, %v; decided at %v", end, err, appended)
	}
	if diff := cmp.Diff(&tally{sum: 100, count: 3}, stored, cmp.AllowUnexported(tally{})); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(stored, a, cmp.AllowUnexported(tally{})); diff != "" {
		t.Errorf("aggregate (-stored +got):\n%s", diff)
	}
}

// TestLog_DecideAfter reads nothing while nobody else writes, and what somebody else has written when it finds out.
func TestLog_DecideAfter(t *testing.T) {
	t.Parallel()
	store, log := newLog()
	a := &tally{}
	var reads atomic.Int32
	store.Inject(memory.Faults{ReadFunc: func(context.Context) error { reads.Add(1); return nil }})
	end, err := log.DecideAfter(t.Context(), stream, a, eventstore.Appended{Revision: eventstore.NoStream}, func() (eventstore.Decision, error) { return a.upTo(5) })
	if err != nil || reads.Load() != 0 {
		t.Errorf("%d reads, %v", reads.Load(), err)
	}
	mustAppend(t, log, end.Revision, ledger.CreditsGranted{Reference: "other", Amount: 10, At: at})
	if _, err = log.DecideAfter(t.Context(), stream, a, end, func() (eventstore.Decision, error) { return a.upTo(100) }); err != nil || reads.Load() != 1 {
		t.Errorf("%d reads, %v", reads.Load(), err)
	}
	if diff := cmp.Diff(&tally{sum: 100, count: 3}, a, cmp.AllowUnexported(tally{})); diff != "" {
		t.Errorf("aggregate (-want +got):\n%s", diff)
	}
}

func TestLog_Decide_nothing(t *testing.T) {
	t.Parallel()
	_, log := newLog()
	last := mustAppend(t, log, eventstore.NoStream, grant(0, 100))
	a := &tally{}
	end, err := log.Decide(t.Context(), stream, a, func() (eventstore.Decision, error) { return a.upTo(100) })
	if err != nil || end != last {
		t.Errorf("%v, %v", end, err)
	}
	refusal := domain.Errorf(domain.Conflict, "no", "no")
	_, err = log.Decide(t.Context(), stream, &tally{}, func() (eventstore.Decision, error) { return eventstore.Decision{}, refusal })
	if err != error(refusal) {
		t.Errorf("error %v, want it as it was", err)
	}
}

// TestLog_Decide_unavailable loses reads and answers: the decision is stored once.
func TestLog_Decide_unavailable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, log := newLog()
		var reads, appends atomic.Int32
		store.Inject(memory.Faults{
			ReadFunc: func(context.Context) error {
				if reads.Add(1) <= 3 {
					return eventstore.ErrUnavailable
				}
				return nil
			},
			AfterAppendFunc: func(context.Context, string, []eventstore.Proposed) error {
				if appends.Add(1) <= 3 {
					return eventstore.ErrUnavailable
				}
				return nil
			},
		})
		a := &tally{}
		if _, err := log.Decide(t.Context(), stream, a, func() (eventstore.Decision, error) { return a.upTo(5) }); err != nil {
			t.Fatal(err)
		}
		stored := &tally{}
		if _, err := log.Fold(t.Context(), stream, stored.Apply); err != nil || stored.count != 1 {
			t.Errorf("%d events, %v", stored.count, err)
		}
	})
}
