package projections_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"moviola/domain"
	"moviola/domain/installation"
	"moviola/domain/ledger"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/projections"
)

// TestBehind: while the read models lack an event that is older than the limit, lists and the work list are errors, and balances and single
// movies come from the log; then everything comes from the read models. Decision 59.
func TestBehind(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	began := time.Now() // the store says when events were created
	w.clock.now = began
	w.append(t, ledger.Stream(alice), ledger.CreditsGranted{Reference: "first", Amount: 600, At: began})
	last := w.append(t, movie.Stream(project(1)), submitted(alice, began))
	config := w.config(w.documents(t))
	config.MaxLag = time.Hour
	models := mustOpen(t, config)
	list := func() (int, error) {
		found, err := models.Movies.List(t.Context(), projections.MovieList{Account: alice, Limit: 10})
		return len(found.Movies), err
	}
	if _, err := list(); err != nil {
		t.Errorf("what is missing is new: %v", err)
	}
	w.clock.turn(2 * time.Hour)
	wantBehind := func(what string, err error) {
		t.Helper()
		var behind *projections.BehindError
		if !errors.As(err, &behind) || behind.Lag < time.Hour || behind.Progress < 0 || behind.Progress > 100 {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := list()
	wantBehind("the list", err)
	_, err = models.Work.Candidates(t.Context(), projections.WorkRender, w.clock.Now(), 1)
	wantBehind("the work list", err)
	_, _, err = models.Library.Folder(t.Context(), alice, "")
	wantBehind("a folder", err)
	if b, err := models.Balances.Get(t.Context(), alice); err != nil || b.Balance != 600 {
		t.Errorf("the balance: %+v, %v", b, err)
	}
	if m, found, err := models.Movies.Get(t.Context(), project(1)); err != nil || !found || m.Account != string(alice) {
		t.Errorf("the movie: %+v, %v, %v", m, found, err)
	}

	stop := start(t, models)
	waitFor(t, models, last)
	if n, err := list(); n != 1 || err != nil {
		t.Errorf("caught up: %d movies, %v", n, err)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	// What concerns no read model does not make them old.
	other := installation.Opened{}
	if _, err := w.log.Append(t.Context(), "elsewhere-1", eventstore.NoStream, eventstore.Meta{Account: alice, Time: began}, domain.Event(other)); err != nil {
		t.Fatal(err)
	}
	w.clock.turn(24 * time.Hour)
	again := mustOpen(t, config)
	if err := again.Reader.Behind(); err != nil {
		t.Errorf("after an event of no concern: %v", err)
	}
	w.append(t, movie.Stream(project(2)), submitted(alice, began))
	if err := mustOpen(t, config).Reader.Behind(); err == nil {
		t.Error("an event behind it is not missed")
	}
}

// sluice is a document store that lets a number of commits through and keeps the others until it is opened.
type sluice struct {
	projections.Documents
	through atomic.Int64
	open    chan struct{}
}

func (s *sluice) Commit(ctx context.Context, b projections.Changes) error {
	if b.Checkpoint != nil && s.through.Add(-1) < 0 {
		select {
		case <-s.open:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return s.Documents.Commit(ctx, b)
}

// TestBehind_rebuild: lists are an error for as long as old events are being folded, and not only until the first of them is in the read models.
// Decision 59.
func TestBehind_rebuild(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	began := time.Now() // the store says when events were created
	w.clock.now = began.Add(2 * time.Hour)
	first := w.append(t, movie.Stream(project(1)), submitted(alice, began))
	w.append(t, movie.Stream(project(2)), submitted(alice, began))
	last := w.append(t, movie.Stream(project(3)), submitted(alice, began))
	docs := &sluice{Documents: w.documents(t), open: make(chan struct{})}
	docs.through.Store(1)
	config := w.config(docs)
	config.MaxLag, config.BatchEvents = time.Hour, 1
	models := mustOpen(t, config)
	list := func() (int, error) {
		found, err := models.Movies.List(t.Context(), projections.MovieList{Account: alice, Limit: 10})
		return len(found.Movies), err
	}
	start(t, models)
	waitFor(t, models, first)
	var behind *projections.BehindError
	if n, err := list(); !errors.As(err, &behind) {
		t.Errorf("one movie of three is in the list: %d, %v", n, err)
	}
	close(docs.open)
	waitFor(t, models, last)
	if n, err := list(); n != 3 || err != nil {
		t.Errorf("caught up: %d movies, %v", n, err)
	}
}
