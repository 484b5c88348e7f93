package projections_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"moviola/adapters/sqlite"
	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/eventstore/memory"
	"moviola/projections"
	"moviola/projections/documentstest"
)

const (
	alice domain.AccountID = "aliceaccount0000"
	bob   domain.AccountID = "bobaccount000000"

	renderTimeout = 15 * time.Minute
	abandonAfter  = 10 * time.Minute
	fileRetention = time.Hour
)

// patience is how long a test waits for what must happen; it only ends a test that hangs.
const patience = 2 * time.Minute

// t0 is when everything begins; minute is a while after it.
var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func minute(n int) time.Time { return t0.Add(time.Duration(n) * time.Minute) }

// clock is a clock that a test turns.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: t0} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) turn(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// world is a log and a document store, and read models over them.
type world struct {
	store *memory.Store
	log   *eventstore.Log
	path  string // of the document store
	clock *clock
}

func newWorld(t *testing.T) *world {
	t.Helper()
	store := memory.New()
	return &world{
		store: store,
		log:   eventstore.NewLog(store, eventstore.NewCodec()),
		path:  filepath.Join(t.TempDir(), "read.db"),
		clock: newClock(),
	}
}

// documents opens the document store, as another process would.
func (w *world) documents(t *testing.T) *sqlite.Documents {
	t.Helper()
	docs, err := sqlite.Open(w.path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := docs.Close(); err != nil {
			t.Error(err)
		}
	})
	return docs
}

func (w *world) config(docs projections.Documents) projections.Config {
	return projections.Config{
		Documents: docs, Log: w.log, Project: true,
		RenderTimeout: renderTimeout, AbandonAfter: abandonAfter, Now: w.clock.Now,
	}
}

// open opens the read models without running their reader.
func (w *world) open(t *testing.T) *projections.ReadModels {
	t.Helper()
	return mustOpen(t, w.config(w.documents(t)))
}

func mustOpen(t *testing.T, config projections.Config) *projections.ReadModels {
	t.Helper()
	models, err := projections.Open(t.Context(), config)
	if err != nil {
		t.Fatalf("open the read models: %v", err)
	}
	return models
}

// start runs a reader until the test ends, or until the returned function is called, which returns Run's error.
func start(t *testing.T, models *projections.ReadModels) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- models.Reader.Run(ctx) }()
	stop = sync.OnceValue(func() error { cancel(); return <-ended })
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Errorf("the reader ended with %v", err)
		}
	})
	return stop
}

// append adds events to a stream's end.
func (w *world) append(t *testing.T, stream string, events ...domain.Event) eventstore.Appended {
	t.Helper()
	last, err := w.log.Last(t.Context(), stream)
	if err != nil {
		t.Fatal(err)
	}
	appended, err := w.log.Append(t.Context(), stream, last.Revision, eventstore.Meta{Account: alice, Time: t0}, events...)
	if err != nil {
		t.Fatal(err)
	}
	return appended
}

// waitFor waits until the read models have reached a place in the log.
func waitFor(t *testing.T, models *projections.ReadModels, at eventstore.Appended) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := models.Reader.WaitFor(ctx, at.Position); err != nil {
		t.Fatalf("wait for %v: %v; the reader is at %+v", at.Position, err, models.Reader.Status())
	}
}

// eventually polls until a condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for !holds() {
		select {
		case <-ticker.C:
		case <-deadline.C:
			t.Fatalf("never came: %s", what)
		}
	}
}

func project(n int) domain.ProjectID { return domain.ProjectID(fmt.Sprintf("project%09d", n)) }

func submitted(account domain.AccountID, at time.Time) movie.Submitted {
	return movie.Submitted{Account: account, At: at, DocumentHash: "hash", DocumentSize: 10, Held: 1}
}

// dump returns every live document of the current generation.
func dump(t *testing.T, docs projections.Documents) map[string]string {
	t.Helper()
	return documentstest.Dump(t, docs)
}

// history appends the lives of many movies of two accounts, interleaved, with several kinds of end.
func (w *world) history(t *testing.T, movies int) eventstore.Appended {
	t.Helper()
	w.append(t, ledger.Stream(alice), ledger.CreditsGranted{Reference: "first", Amount: 600, At: t0})
	w.append(t, ledger.Stream(bob), ledger.CreditsGranted{Reference: "first", Amount: 600, At: t0})
	lives := make([][]step, movies)
	for n := range lives {
		lives[n] = life(n)
	}
	var last eventstore.Appended
	for round := 0; ; round++ {
		more := false
		for n := range lives {
			if i := round - n%7; i >= 0 && i < len(lives[n]) {
				last = w.append(t, lives[n][i].stream, lives[n][i].event)
			}
			more = more || round-n%7 < len(lives[n])
		}
		if !more {
			return last
		}
	}
}

// step is an event of a stream.
type step struct {
	stream string
	event  domain.Event
}

// life is what happens to the n-th movie.
func life(n int) []step {
	account, id := alice, project(n)
	if n%3 == 0 {
		account = bob
	}
	at := func(i int) time.Time { return minute(n + i).Add(time.Duration(n) * 1234567) }
	onMovie := func(events ...domain.Event) []step { return steps(movie.Stream(id), events...) }
	onLedger := func(events ...domain.Event) []step { return steps(ledger.Stream(account), events...) }
	first := submitted(account, at(0))
	first.Destinations = n % 2
	held := onLedger(ledger.CreditsHeld{Project: id, Amount: 1, At: at(0)})
	begun := concat(held, onMovie(first, movie.RenderStarted{Attempt: 1, Worker: "w1", At: at(1)}))
	changed := onLedger(ledger.CreditsHoldChanged{Project: id, Attempt: 1, Before: 1, Amount: 7, At: at(1)})
	done := movie.RenderFinished{Attempt: 1, Worker: "w1", At: at(2), Success: true, Credits: 7, Plan: &movie.Dimensions{Width: 1920, Frames: 175}, File: &movie.File{Key: "k", FrameRate: 25}}
	failed := movie.RenderFinished{Attempt: 1, Worker: "w1", At: at(3), Message: "no such image", Warnings: []string{"odd size"}}
	released := onLedger(ledger.CreditsReleased{Project: id, Amount: 7, Reason: "failed", At: at(4)})
	switch n % 6 {
	case 0:
		return concat(begun, changed, onMovie(done), onLedger(ledger.CreditsCharged{Project: id, Amount: 7, At: at(3)}))
	case 1:
		return concat(begun, changed, onMovie(failed), released, onMovie(
			movie.DeliveryStarted{Run: 1, Worker: "w2", At: at(4)},
			movie.DeliveryAttempted{Run: 1, Try: 1, Type: "webhook", Status: movie.DeliveryError, HTTPStatus: 500, At: at(4)},
			movie.DeliveryReleased{Run: 1, Worker: "w2", At: at(5)},
			movie.DeliveryStarted{Run: 2, Worker: "w3", At: at(5)},
			movie.DeliveryAttempted{Run: 2, Try: 2, Final: true, Type: "webhook", Status: movie.DeliveryOK, HTTPStatus: 200, At: at(5)},
			movie.DeliveryFinished{Run: 2, At: at(5)}))
	case 2:
		return concat(begun, changed, onMovie(
			movie.RenderReleased{Attempt: 1, Worker: "w1", At: at(2)},
			movie.RenderStarted{Attempt: 2, Worker: "w2", At: at(3)},
			movie.RenderTimedOut{At: at(16)}), released, onMovie(failed, movie.FileDeleted{Reason: movie.ByUser, At: at(20)}))
	case 3:
		return concat(held, onMovie(movie.SubmissionAbandoned{Account: account, At: at(10)}),
			onLedger(ledger.CreditsReleased{Project: id, Amount: 1, Reason: "abandoned", At: at(11)}))
	case 4:
		return begun // and it renders on
	default:
		return concat(held, onMovie(first)) // and it waits
	}
}

func steps(stream string, events ...domain.Event) []step {
	out := make([]step, len(events))
	for i, e := range events {
		out[i] = step{stream: stream, event: e}
	}
	return out
}

func concat(parts ...[]step) []step {
	var out []step
	for _, part := range parts {
		out = append(out, part...)
	}
	return out
}
