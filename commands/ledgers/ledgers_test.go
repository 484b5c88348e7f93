package ledgers_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/commands/commandstest"
	"moviola/commands/ledgers"
	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/eventstore"
	"moviola/eventstore/memory"
)

// TestLedgers_race: with credits for exactly k movies, 64 holds at once in two processes: exactly k succeed.
func TestLedgers_race(t *testing.T) {
	t.Parallel()
	const submissions, price = 64, 3
	trials := 100
	if os.Getenv("MOVIOLA_TEST_LONG") != "" {
		trials = 2000
	}
	for round := range trials {
		k := 1 + round*7%submissions
		w := newWorld(t)
		w.grant(alice, int64(k*price+round%price)) // the rest is not enough for another hold
		other := ledgers.New(w.log, w.clock)
		var accepted atomic.Int32
		var all sync.WaitGroup
		for i := range submissions {
			own := w.ledgers
			if i%2 == 0 {
				own = other
			}
			all.Go(func() {
				id := domain.ProjectID(fmt.Sprintf("project%09d", i))
				_, err := own.Hold(t.Context(), ledgers.Hold{Account: alice, Project: id, Amount: price})
				var refusal *domain.Error
				switch {
				case err == nil:
					accepted.Add(1)
				case !errors.As(err, &refusal) || refusal.Code != "insufficient_credits":
					t.Errorf("hold %d: %v", i, err)
				}
			})
		}
		all.Wait()
		other.Close()
		totals := commandstest.SoundLedger(t, w.log, ledgerStream)
		if accepted.Load() != int32(k) || totals.Held != int64(k*price) {
			t.Errorf("credits for %d: %d accepted, %d held", k, accepted.Load(), totals.Held)
		}
		w.ledgers.Close()
	}
}

// TestLedgers_outcomes lets two processes charge and release the same holds at once: each has one outcome, and both agree on the sums.
func TestLedgers_outcomes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 1000)
	other := ledgers.New(w.log, w.clock)
	t.Cleanup(other.Close)
	const holds = 40
	var charged atomic.Int64
	var all sync.WaitGroup
	for i := range holds {
		id := domain.ProjectID(fmt.Sprintf("project%09d", i))
		_, err := w.ledgers.Hold(t.Context(), ledgers.Hold{Account: alice, Project: id, Amount: 5})
		w.must(err)
		all.Go(func() {
			_, err := w.ledgers.Charge(t.Context(), ledgers.Charge{Account: alice, Project: id})
			if err == nil {
				charged.Add(5)
			} else if !errors.Is(err, ledger.ErrHoldEnded) {
				t.Errorf("charge %d: %v", i, err)
			}
		})
		all.Go(func() {
			_, err := other.Release(t.Context(), ledgers.Release{Account: alice, Project: id, Reason: "failed"})
			if err != nil && !errors.Is(err, ledger.ErrHoldEnded) {
				t.Errorf("release %d: %v", i, err)
			}
		})
	}
	all.Wait()
	want := commandstest.SoundLedger(t, w.log, ledgerStream)
	if want.Held != 0 || want.Charged != charged.Load() || len(w.events()) != 1+2*holds {
		t.Errorf("%+v, %d charged, %d events", want, charged.Load(), len(w.events()))
	}
	for name, ledgers := range map[string]*ledgers.Ledgers{"one": w.ledgers, "other": other} {
		if got, err := ledgers.State(t.Context(), alice); err != nil || got != want {
			t.Errorf("%s process: %+v, %v, want %+v", name, got, err, want)
		}
	}
}

// TestLedgers_groups: commands that arrive while the store is slow are appended together.
func TestLedgers_groups(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.grant(alice, 1000)
		var appends atomic.Int32
		open := make(chan struct{})
		w.store.Inject(memory.Faults{BeforeAppendFunc: func(context.Context, string, []eventstore.Proposed) error {
			appends.Add(1)
			<-open
			return nil
		}})
		var all sync.WaitGroup
		for range 1 + ledgers.Group {
			id := w.newProject()
			all.Go(func() {
				if _, err := w.ledgers.Hold(t.Context(), ledgers.Hold{Account: alice, Project: id, Amount: 1}); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait() // the first is with the store; the others wait behind it
		close(open)
		all.Wait()
		if n := appends.Load(); n != 2 {
			t.Errorf("%d appends for %d commands", n, 1+ledgers.Group)
		}
		w.ledgers.Close()
	})
}

// TestLedgers_seesOthers: events that another process has appended count at once, although this process has the ledger in
// memory.
func TestLedgers_seesOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 5)
	other := ledgers.New(w.log, w.clock)
	t.Cleanup(other.Close)
	hold := func(l *ledgers.Ledgers, amount int64) error {
		_, err := l.Hold(t.Context(), ledgers.Hold{Account: alice, Project: w.newProject(), Amount: amount})
		return err
	}
	requireRefusal(t, hold(w.ledgers, 8), errInsufficient)
	_, err := other.Grant(t.Context(), ledgers.Grant{Account: alice, Reference: "more", Amount: 5})
	w.must(err)
	w.must(hold(w.ledgers, 8)) // refused by what is in memory, allowed by the log
	requireRefusal(t, hold(other, 5), errInsufficient)
	if _, open, err := other.OpenHold(t.Context(), alice, "project000000002"); !open || err != nil {
		t.Errorf("the hold of the other process is open: %v, %v", open, err)
	}
}

// TestLedgers_sameReference: two processes decide on events with the same key and other contents at the same revision. The
// second one must not take its own event for the stored one.
func TestLedgers_sameReference(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		one, last func(*ledgers.Ledgers) error
	}{
		{"amount of a grant", grantOf("more", "", 5), grantOf("more", "", 500)},
		{"kind of a grant", grantOf("more", "", 5), grantOf("more", ledger.PackGrant, 5)},
		{"amount of a hold", holdOf(2), holdOf(3)},
		{"month of a movie", countOf(t0, false), countOf(t0.AddDate(0, 1, 0), false)},
		{"month of a draft", countOf(t0, true), countOf(t0.AddDate(0, 1, 0), true)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.grant(alice, 10)
			other := ledgers.New(w.log, w.clock)
			t.Cleanup(other.Close)
			w.must(other.Ask(t.Context(), alice, func(*ledger.Ledger) error { return nil })) // has the ledger in memory
			w.must(tt.one(w.ledgers))
			w.must(tt.last(other))
			states := make([]ledger.State, 2)
			for i, l := range []*ledgers.Ledgers{w.ledgers, other} {
				w.must(l.Ask(t.Context(), alice, func(own *ledger.Ledger) error {
					states[i] = own.State()
					return nil
				}))
			}
			if diff := cmp.Diff(states[0], states[1]); diff != "" {
				t.Errorf("the processes know different ledgers (-first +second):\n%s", diff)
			}
		})
	}
}

func grantOf(reference, kind string, amount int64) func(*ledgers.Ledgers) error {
	return func(l *ledgers.Ledgers) error {
		_, err := l.Grant(context.Background(), ledgers.Grant{Account: alice, Reference: reference, Kind: kind, Amount: amount})
		return err
	}
}

func holdOf(amount int64) func(*ledgers.Ledgers) error {
	return func(l *ledgers.Ledgers) error {
		_, err := l.Hold(context.Background(), ledgers.Hold{Account: alice, Project: project, Amount: amount})
		return err
	}
}

func countOf(at time.Time, draft bool) func(*ledgers.Ledgers) error {
	return func(l *ledgers.Ledgers) error {
		_, err := l.Do(context.Background(), alice, func(own *ledger.Ledger, _ time.Time) ([]domain.Event, error) {
			return own.Count(project, draft, ledger.Quota{Movies: 1, Drafts: 1}, at)
		})
		return err
	}
}

// TestLedgers_position: the answer names a place in the log at which the command's events are visible, also when there was nothing to do.
func TestLedgers_position(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 5)
	hold := ledgers.Hold{Account: alice, Project: project, Amount: 5}
	first, err := w.ledgers.Hold(t.Context(), hold)
	w.must(err)
	again, err := w.ledgers.Hold(t.Context(), hold)
	w.must(err)
	if end, err := w.log.Last(t.Context(), ledgerStream); err != nil || first != end || again != end {
		t.Errorf("first %v, again %v, want %v, %v", first, again, end, err)
	}
}

// TestLedgers_storeFails: a command fails when the store fails, and the next one decides on the ledger as the log has it.
func TestLedgers_storeFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 5)
	w.kill()
	hold := ledgers.Hold{Account: alice, Project: project, Amount: 5}
	if _, err := w.ledgers.Hold(t.Context(), hold); !errors.Is(err, errKilled) {
		t.Fatalf("error %v", err)
	}
	w.store.Inject(memory.Faults{})
	w.wantCredits(0, 0)
	_, err := w.ledgers.Hold(t.Context(), hold)
	w.must(err)
	w.wantEvents("CreditsGranted", "CreditsHeld")
}

// TestLedgers_unknownOutcome stores an append whose answer never comes before its deadline: the next command does not store it again.
func TestLedgers_unknownOutcome(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.grant(alice, 5)
		w.store.LoseAfter(1 << 10)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		hold := ledgers.Hold{Account: alice, Project: project, Amount: 5}
		if _, err := w.ledgers.Hold(ctx, hold); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		synctest.Wait()
		w.store.Inject(memory.Faults{})
		_, err := w.ledgers.Hold(t.Context(), hold)
		w.must(err)
		w.wantEvents("CreditsGranted", "CreditsHeld")
		w.ledgers.Close()
	})
}

// TestLedgers_full holds up the store until the queue of one account is full: callers give up at their deadline, commands
// whose callers gave up while they waited are not carried out, and another account is not held up.
func TestLedgers_full(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.grant(alice, 1000)
		open := make(chan struct{})
		w.store.Inject(memory.Faults{BeforeAppendFunc: func(_ context.Context, stream string, _ []eventstore.Proposed) error {
			if stream == ledgerStream {
				<-open
			}
			return nil
		}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var gaveUp atomic.Int32
		var all sync.WaitGroup
		for range 10 + ledgers.Queue {
			id := w.newProject()
			all.Go(func() {
				if _, err := w.ledgers.Hold(ctx, ledgers.Hold{Account: alice, Project: id, Amount: 1}); errors.Is(err, context.DeadlineExceeded) {
					gaveUp.Add(1)
				}
			})
			if id == project {
				synctest.Wait() // the first request is at the store, alone
			}
		}
		w.grant(mallory, 1)
		all.Wait()
		if n := gaveUp.Load(); n != 10+ledgers.Queue {
			t.Errorf("%d gave up", n)
		}
		close(open)
		w.wantCredits(0, 1) // the hold of the request that was at the store
		w.ledgers.Close()
	})
}

// TestLedgers_gaveUp: the command of a caller that has given up is left out of its group.
func TestLedgers_gaveUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.grant(alice, 1000)
		open := make(chan struct{})
		w.store.Inject(memory.Faults{BeforeAppendFunc: func(context.Context, string, []eventstore.Proposed) error {
			<-open
			return nil
		}})
		hurried, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var all sync.WaitGroup
		for i, ctx := range []context.Context{t.Context(), hurried, t.Context()} {
			id := w.newProject()
			all.Go(func() {
				_, err := w.ledgers.Hold(ctx, ledgers.Hold{Account: alice, Project: id, Amount: 1})
				if errors.Is(err, context.DeadlineExceeded) != (i == 1) {
					t.Errorf("hold %d: %v", i, err)
				}
			})
			synctest.Wait()
		}
		<-hurried.Done()
		close(open)
		all.Wait()
		w.wantCredits(0, 2)
		w.ledgers.Close()
	})
}

// TestLedgers_retire: an owner does not end while it has a user.
func TestLedgers_retire(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	retire, leave := w.ledgers.Enter(alice)
	if retire() {
		t.Error("the owner went while in use")
	}
	leave()
	if !retire() || w.ledgers.Owners() != 0 {
		t.Error("the owner stays although nobody uses it")
	}
}

// TestLedgers_idle: an owner without requests for a while ends. The next request starts one with the same ledger.
func TestLedgers_idle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.grant(alice, 5)
		w.grant(mallory, 5)
		<-time.After(ledgers.Idle - time.Second)
		w.wantCredits(0, 0) // alice's owner is in use
		<-time.After(2 * time.Second)
		synctest.Wait()
		if n := w.ledgers.Owners(); n != 1 {
			t.Errorf("%d owners, want alice's", n)
		}
		<-time.After(ledgers.Idle)
		synctest.Wait()
		if n := w.ledgers.Owners(); n != 0 {
			t.Errorf("%d owners, want none", n)
		}
		if totals, err := w.ledgers.State(t.Context(), alice); err != nil || totals.Available != 5 {
			t.Errorf("%+v, %v", totals, err)
		}
		w.ledgers.Close()
	})
}

// TestLedgers_Close: Close ends the owners and the waiting callers, also when an owner waits for the store.
func TestLedgers_Close(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.grant(alice, 5)
		w.store.LoseBefore(1 << 10)
		waiting := make(chan error, 1)
		go func() {
			_, err := w.ledgers.Hold(t.Context(), ledgers.Hold{Account: alice, Project: project, Amount: 1})
			waiting <- err
		}()
		synctest.Wait()
		w.ledgers.Close()
		w.ledgers.Close() // once more is no mistake
		if err := <-waiting; err == nil {
			t.Error("a hold that was never stored succeeded")
		}
		if _, err := w.ledgers.State(t.Context(), alice); !errors.Is(err, ledgers.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	})
}
