package projections_test

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"moviola/domain"
	"moviola/domain/idempotency"
	"moviola/domain/ledger"
	"moviola/domain/movie"
	"moviola/eventstore"
)

// tally counts the reads of a store.
type tally struct {
	eventstore.Store
	streams, heads atomic.Int64
}

func (c *tally) ReadStream(ctx context.Context, stream string, dir eventstore.Direction, from eventstore.Revision) iter.Seq2[eventstore.Recorded, error] {
	c.streams.Add(1)
	return c.Store.ReadStream(ctx, stream, dir, from)
}

func (c *tally) Head(ctx context.Context) (eventstore.Position, error) {
	c.heads.Add(1)
	return c.Store.Head(ctx)
}

// calm waits until an open movie is served without a look at its stream, and fails when that does not come about.
func calm(t *testing.T, store *tally, get func()) {
	t.Helper()
	for began := time.Now(); ; {
		before := store.streams.Load()
		get()
		if store.streams.Load() == before {
			return
		}
		if time.Since(began) > patience {
			t.Fatal("an open movie's stream is read although nothing comes")
		}
	}
}

// An open movie is never shown older than its stream, neither while events come nor when they have come to an end, and then its
// stream is left alone.
func TestMovies_Get_IsNeverOlderThanTheStream(t *testing.T) {
	t.Parallel()
	t.Run("the log is asked", func(t *testing.T) { t.Parallel(); neverOlder(t, false) })
	t.Run("its end is at hand", func(t *testing.T) { t.Parallel(); neverOlder(t, true) })
}

func neverOlder(t *testing.T, atHand bool) {
	w := newWorld(t)
	store := &tally{Store: w.store}
	config := w.config(w.documents(t))
	config.Log = eventstore.NewLog(store, eventstore.NewCodec())
	if atHand {
		config.Head = func() eventstore.Position {
			head, err := w.store.Head(t.Context())
			if err != nil {
				t.Error(err)
			}
			return head
		}
	}
	models := mustOpen(t, config)
	start(t, models)
	id := project(1)
	w.append(t, movie.Stream(id), submitted(alice, t0))
	for attempt := 1; attempt <= 60; attempt++ {
		w.append(t, movie.Stream(id), movie.RenderStarted{Attempt: attempt, Worker: "w", At: minute(attempt)})
		check := func() {
			t.Helper()
			if got := mustMovie(t, models, id); got.Attempt != attempt || got.Revision != int64(attempt) {
				t.Fatalf("after attempt %d: %+v", attempt, got)
			}
		}
		check()
		if attempt%20 == 0 {
			calm(t, store, check)
			check()
		}
	}
	if _, ok, err := models.Movies.Get(t.Context(), project(2)); ok || err != nil {
		t.Errorf("a movie that nobody submitted: found %v, %v", ok, err)
	}
	if asked := store.heads.Load() > 0; asked == atHand {
		t.Errorf("the log was asked for its end: %v", asked)
	}
}

// What no read model follows moves the end of the log too.
func TestMovies_Get_BesideOtherStreams(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	store := &tally{Store: w.store}
	config := w.config(w.documents(t))
	config.Log = eventstore.NewLog(store, eventstore.NewCodec())
	models := mustOpen(t, config)
	start(t, models)
	w.append(t, movie.Stream(project(1)), submitted(alice, t0))
	w.append(t, idempotency.Stream(alice, "key"), idempotency.Reserved{Project: project(1), At: t0})
	calm(t, store, func() { mustMovie(t, models, project(1)) })
	before := store.heads.Load()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				mustMovie(t, models, project(1))
			}
		})
	}
	all.Wait()
	if looks := store.heads.Load() - before; looks > 8*50 || looks == 0 {
		t.Errorf("%d looks at the end of the log for 400 questions", looks)
	}
}

// Documents are answered from memory only until the read models change.
func TestBalances_AfterAChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	models := w.open(t)
	start(t, models)
	for credits := int64(1); credits <= 50; credits++ {
		waitFor(t, models, w.append(t, ledger.Stream(alice), granted(credits)))
		for range 2 {
			if balance, err := models.Balances.Get(t.Context(), alice); err != nil || balance.Granted != credits {
				t.Fatalf("after %d grants of 1: %+v, %v", credits, balance, err)
			}
		}
	}
}

// granted is the nth grant of one credit.
func granted(n int64) domain.Event {
	return ledger.CreditsGranted{Reference: fmt.Sprint(n), Amount: 1, At: t0}
}
