package ledgers_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/commands/ledgers"
	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/eventstore"
	"moviola/eventstore/memory"
)

// countReads is a store that counts the events that are read from each stream.
type countReads struct {
	eventstore.Store
	events map[string]int // by stream
}

func (c *countReads) ReadStream(ctx context.Context, stream string, dir eventstore.Direction, from eventstore.Revision) iter.Seq2[eventstore.Recorded, error] {
	return func(yield func(eventstore.Recorded, error) bool) {
		for recorded, err := range c.Store.ReadStream(ctx, stream, dir, from) {
			c.events[stream]++
			if !yield(recorded, err) {
				return
			}
		}
	}
}

// stateAfterRestart returns the totals of alice as a new process reads them, and how many events of the ledger it has read.
func (w *world) stateAfterRestart() (ledger.Totals, int) {
	w.t.Helper()
	counted := &countReads{Store: w.store, events: make(map[string]int)}
	fresh := ledgers.New(eventstore.NewLog(counted, eventstore.NewCodec()), w.clock)
	defer fresh.Close()
	totals, err := fresh.State(context.Background(), alice)
	if err != nil {
		w.t.Fatal(err)
	}
	return totals, counted.events[ledger.Stream(alice)]
}

// TestLedgers_Snapshot: snapshots are taken when movies are settled. A process that starts from one has the same totals as
// one that folds all events.
func TestLedgers_Snapshot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := context.Background()
	do := func(_ eventstore.Appended, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	do(w.ledgers.Grant(ctx, ledgers.Grant{Account: alice, Reference: "opening", Amount: 10_000}))
	const movies = 700
	for i := range movies {
		p := domain.ProjectID(fmt.Sprintf("movie%011d", i))
		do(w.ledgers.Hold(ctx, ledgers.Hold{Account: alice, Project: p, Amount: 3}))
		do(w.ledgers.Charge(ctx, ledgers.Charge{Account: alice, Project: p}))
		if err := w.ledgers.Snapshot(ctx, alice); err != nil {
			t.Fatal(err)
		}
	}
	want, err := w.ledgers.State(ctx, alice)
	if err != nil {
		t.Fatal(err)
	}
	got, read := w.stateAfterRestart()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("totals after a restart (-want +got):\n%s", diff)
	}
	if read > 302 {
		t.Errorf("a start read %d events of %d, want at most those since the last snapshot", read, 1+2*movies)
	}
	w.spoilSnapshot(ctx)
	got, read = w.stateAfterRestart()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("totals without a snapshot that fits (-want +got):\n%s", diff)
	}
	if read < 1+2*movies {
		t.Errorf("a start read %d events of %d: it believed a snapshot of another version", read, 1+2*movies)
	}
}

// spoilSnapshot appends a snapshot of another version, with wrong sums, which must not be used.
func (w *world) spoilSnapshot(ctx context.Context) {
	w.t.Helper()
	stream := ledger.SnapshotStream(alice)
	newest, _, found, err := eventstore.NewSnapshots(w.log).Newest(ctx, stream, ledger.Stream(alice))
	if err != nil || !found {
		w.t.Fatalf("there is no snapshot: %v", err)
	}
	taken, ok := newest.(ledger.SnapshotTaken)
	if !ok {
		w.t.Fatalf("the snapshot is %T", newest)
	}
	taken.Version++
	taken.State = ledger.State{Granted: 1}
	if err := eventstore.NewSnapshots(w.log).Take(ctx, stream, eventstore.Meta{Time: t0}, taken); err != nil {
		w.t.Fatal(err)
	}
}

// TestLedgers_Snapshot_busy takes snapshots while many commands are decided: each has the state of the ledger at the event
// that it names.
func TestLedgers_Snapshot_busy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := context.Background()
	if _, err := w.ledgers.Grant(ctx, ledgers.Grant{Account: alice, Reference: "opening", Amount: 100_000}); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for i := range 120 {
				p := domain.ProjectID(fmt.Sprintf("movie%d-%09d", worker, i))
				if _, err := w.ledgers.Hold(ctx, ledgers.Hold{Account: alice, Project: p, Amount: 2}); err != nil {
					t.Error(err)
				}
				if err := w.ledgers.Snapshot(ctx, alice); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	checked := 0
	for recorded, err := range w.store.ReadAll(ctx, eventstore.Forwards, eventstore.Position{}) {
		if err != nil {
			t.Fatal(err)
		}
		event, _, err := w.log.Codec().Decode(recorded)
		if err != nil {
			t.Fatal(err)
		}
		if taken, ok := event.(ledger.SnapshotTaken); ok {
			w.wantState(ctx, taken)
			checked++
		}
	}
	if checked < 3 {
		t.Errorf("%d snapshots were taken of 961 events", checked)
	}
}

// wantState folds the ledger up to the event that a snapshot stands on, and compares.
func (w *world) wantState(ctx context.Context, taken ledger.SnapshotTaken) {
	w.t.Helper()
	folded := ledger.New()
	for recorded, err := range w.store.ReadStream(ctx, ledger.Stream(alice), eventstore.Forwards, 0) {
		if err != nil {
			w.t.Fatal(err)
		}
		event, _, err := w.log.Codec().Decode(recorded)
		if err != nil {
			w.t.Fatal(err)
		}
		folded.Apply(event)
		if int64(recorded.Revision) == taken.Revision {
			break
		}
	}
	if diff := cmp.Diff(folded.State(), taken.State); diff != "" {
		w.t.Errorf("the snapshot at %d (-want +got):\n%s", taken.Revision, diff)
	}
}

// TestLedgers_Snapshot_tooLarge: a snapshot with more ended holds than fit into an event leaves out those that ended first,
// and is used.
func TestLedgers_Snapshot_tooLarge(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := context.Background()
	w.grant(alice, 100_000)
	for i := range 200 {
		p := domain.ProjectID(fmt.Sprintf("project%09d", i))
		_, err := w.ledgers.Hold(ctx, ledgers.Hold{Account: alice, Project: p, Amount: 2})
		w.must(err)
		_, err = w.ledgers.Charge(ctx, ledgers.Charge{Account: alice, Project: p})
		w.must(err)
	}
	const most = 4000 // bytes, instead of a megabyte
	w.store.Inject(memory.Faults{BeforeAppendFunc: func(_ context.Context, stream string, events []eventstore.Proposed) error {
		if stream == ledger.SnapshotStream(alice) && len(events[0].Data) > most {
			return eventstore.ErrTooLarge
		}
		return nil
	}})
	w.must(w.ledgers.Snapshot(ctx, alice))
	newest, _, found, err := eventstore.NewSnapshots(w.log).Newest(ctx, ledger.SnapshotStream(alice), ledger.Stream(alice))
	taken, ok := newest.(ledger.SnapshotTaken)
	if err != nil || !found || !ok {
		t.Fatalf("no snapshot: %v", err)
	}
	if n := len(taken.State.Ended); n < 20 || n > 100 || taken.State.Ended[n-1].Project != "project000000199" {
		t.Errorf("it remembers %d ends", n)
	}
	totals, reads := w.stateAfterRestart()
	if totals.Charged != 400 || reads > 50 {
		t.Errorf("charged %d, after reading %d events", totals.Charged, reads)
	}
	// A project that the snapshot remembers still cannot be held again.
	_, err = w.ledgers.Hold(ctx, ledgers.Hold{Account: alice, Project: "project000000199", Amount: 2})
	if !errors.Is(err, ledger.ErrHoldEnded) {
		t.Errorf("held again: %v", err)
	}
}
