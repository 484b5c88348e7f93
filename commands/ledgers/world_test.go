package ledgers_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/commands/ledgers"
	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/eventstore"
	"moviola/eventstore/memory"
)

const (
	alice   = domain.AccountID("alice")
	mallory = domain.AccountID("mallory")
	project = domain.ProjectID("project000000001")
)

var (
	t0 = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

	// errKilled stands for the end of the process: a call that returns it is not repeated.
	errKilled = errors.New("killed")

	errInsufficient = domain.Errorf(domain.Invalid, "insufficient_credits", "Insufficient credits")
	ledgerStream    = ledger.Stream(alice)
)

// world is a log with ledgers on it.
type world struct {
	t       *testing.T
	store   *memory.Store
	log     *eventstore.Log
	ledgers *ledgers.Ledgers

	mu   sync.Mutex
	next int // number of the next project
}

func newWorld(t *testing.T) *world {
	t.Helper()
	store := memory.New()
	w := &world{t: t, store: store, log: eventstore.NewLog(store, eventstore.NewCodec())}
	w.ledgers = ledgers.New(w.log, w.clock)
	t.Cleanup(w.ledgers.Close)
	return w
}

func (w *world) clock() time.Time { return t0 }

func (w *world) newProject() domain.ProjectID {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next++
	return domain.ProjectID(fmt.Sprintf("project%09d", w.next))
}

func (w *world) grant(account domain.AccountID, amount int64) {
	w.t.Helper()
	_, err := w.ledgers.Grant(w.t.Context(), ledgers.Grant{Account: account, Reference: "opening", Amount: amount})
	w.must(err)
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// kill makes every append fail from now on, as if the process had ended.
func (w *world) kill() {
	w.store.Inject(memory.Faults{BeforeAppendFunc: func(context.Context, string, []eventstore.Proposed) error { return errKilled }})
}

func (w *world) events() []string {
	w.t.Helper()
	var types []string
	_, err := w.log.Fold(context.Background(), ledgerStream, func(e domain.Event) { types = append(types, e.EventType()) })
	w.must(err)
	return types
}

func (w *world) wantEvents(want ...string) {
	w.t.Helper()
	if diff := cmp.Diff(want, w.events()); diff != "" {
		w.t.Errorf("events of the ledger (-want +got):\n%s", diff)
	}
}

// wantCredits checks the charged and the held credits of alice.
func (w *world) wantCredits(charged, held int64) {
	w.t.Helper()
	totals, err := w.ledgers.State(context.Background(), alice)
	w.must(err)
	if totals.Charged != charged || totals.Held != held {
		w.t.Errorf("charged %d, held %d, want %d and %d", totals.Charged, totals.Held, charged, held)
	}
}

func requireRefusal(t *testing.T, err error, want *domain.Error) {
	t.Helper()
	var got *domain.Error
	if !errors.As(err, &got) {
		t.Fatalf("error %v, want the refusal %v", err, want)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("refusal (-want +got):\n%s", diff)
	}
}
