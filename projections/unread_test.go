package projections_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	logtest "github.com/sirupsen/logrus/hooks/test"

	"moviola/domain/ledger"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/projections"
)

// earlier returns the configuration of a version of the program that does not know some events.
func (w *world) earlier(docs projections.Documents, types ...string) projections.Config {
	config := w.config(docs)
	config.Log = eventstore.NewLog(w.store, eventstore.NewCodec().Without(types...))
	return config
}

// TestUnread: an event of a newer version stops nothing but its stream. Its document is nowhere shown as it was, everything else goes on.
func TestUnread(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	docs := w.documents(t)
	models := mustOpen(t, w.earlier(docs, "MovieCancelled"))
	stop := start(t, models)
	w.append(t, movie.Stream(project(1)), submitted(alice, t0))
	w.append(t, movie.Stream(project(1)), movie.Cancelled{At: t0})
	w.append(t, movie.Stream(project(1)), movie.FileDeleted{At: t0})
	w.append(t, ledger.Stream(alice), ledger.CreditsGranted{Reference: "first", Amount: 600, At: t0})
	waitFor(t, models, w.append(t, movie.Stream(project(2)), submitted(bob, t0)))

	eventually(t, "the stream is known as unread", func() bool { return len(models.Reader.Unread()) == 1 })
	want := projections.Unread{Stream: "movie-" + string(project(1)), Revision: 1, Type: "MovieCancelled", Version: 1, Account: string(alice)}
	got := models.Reader.Unread()[0]
	got.Created = time.Time{}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unread (-want +got):\n%s", diff)
	}
	if _, _, err := models.Movies.Get(t.Context(), project(1)); !errors.Is(err, eventstore.ErrUnknownType) {
		t.Errorf("the movie: %v", err)
	}
	if _, found, err := models.Movies.Get(t.Context(), project(2)); !found || err != nil {
		t.Errorf("another movie: %v, %v", found, err)
	}
	var unread *projections.UnreadError
	if _, err := models.Movies.List(t.Context(), projections.MovieList{Account: alice, Limit: 10}); !errors.As(err, &unread) {
		t.Errorf("the list that has the movie: %v", err)
	}
	if found, err := models.Movies.List(t.Context(), projections.MovieList{Account: bob, Limit: 10}); len(found.Movies) != 1 || err != nil {
		t.Errorf("a list that has not: %+v, %v", found, err)
	}
	if b, err := models.Balances.Get(t.Context(), alice); b.Balance != 600 || err != nil {
		t.Errorf("the balance: %+v, %v", b, err)
	}
	if err := stop(); err != nil {
		t.Errorf("the reader ended with %v", err)
	}
}

// TestUnread_upgrades goes forward, back and forward again over a history: the documents are then as if there had never been another version.
func TestUnread_upgrades(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	docs := w.documents(t)
	w.history(t, 20)
	var last eventstore.Appended
	for round, types := range [][]string{nil, {"RenderReleased", "CreditsHoldChanged"}, nil, {"RenderFinished"}, nil} {
		models := mustOpen(t, w.earlier(docs, types...))
		stop := start(t, models)
		w.append(t, movie.Stream(project(100+round)), submitted(alice, t0), movie.RenderStarted{Attempt: 1, Worker: "w1", At: t0})
		w.append(t, movie.Stream(project(100+round)), movie.RenderReleased{Attempt: 1, Worker: "w1", At: t0})
		last = w.append(t, movie.Stream(project(100+round)), movie.RenderFinished{Attempt: 1, Worker: "w1", At: t0})
		waitFor(t, models, last)
		if types == nil {
			eventually(t, "nothing is unread", func() bool { return len(models.Reader.Unread()) == 0 })
		}
		if err := stop(); err != nil {
			t.Fatal(err)
		}
	}
	models := mustOpen(t, w.config(docs))
	start(t, models)
	waitFor(t, models, last)
	before := dump(t, docs)
	if err := models.Reader.Rebuild(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, dump(t, docs)); diff != "" {
		t.Errorf("documents (-after the upgrades +rebuilt):\n%s", diff)
	}
}

// TestUnread_together: an earlier version that projects beside a newer one leaves to it what it cannot read.
func TestUnread_together(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	docs := w.documents(t)
	older := mustOpen(t, w.earlier(w.documents(t), "RenderReleased"))
	newer := mustOpen(t, w.config(docs))
	start(t, older)
	start(t, newer)
	last := w.history(t, 20)
	waitFor(t, older, last)
	waitFor(t, newer, last)
	eventually(t, "nothing is unread", func() bool {
		w.clock.turn(projections.PointerInterval)
		return len(older.Reader.Unread())+len(newer.Reader.Unread()) == 0
	})
	before := dump(t, docs)
	if err := newer.Reader.Rebuild(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, dump(t, docs)); diff != "" {
		t.Errorf("documents (-before +rebuilt):\n%s", diff)
	}
}

// TestUnread_warnsOnce: a stream that becomes unread is logged once, when its batch is committed, however often that is tried.
func TestUnread_warnsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	docs := &refusing{Documents: w.documents(t), left: 3}
	config := w.earlier(docs, "MovieCancelled")
	logger, lines := logtest.NewNullLogger()
	config.Logger = logger
	models := mustOpen(t, config)
	stop := start(t, models)
	w.append(t, movie.Stream(project(1)), submitted(alice, t0))
	waitFor(t, models, w.append(t, movie.Stream(project(1)), movie.Cancelled{At: t0}))
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	warned := 0
	for _, line := range lines.AllEntries() {
		if strings.Contains(line.Message, "do not follow its stream") {
			warned++
		}
	}
	if warned != 1 || docs.left != 0 {
		t.Errorf("%d warnings; %d commits were still to fail", warned, docs.left)
	}
}

// refusing fails the first commits that record unread streams.
type refusing struct {
	projections.Documents
	mu   sync.Mutex
	left int
}

func (r *refusing) Commit(ctx context.Context, changes projections.Changes) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, write := range changes.Writes {
		if strings.HasPrefix(write.Collection, "unread_") && r.left > 0 {
			r.left--
			return errAway
		}
	}
	return r.Documents.Commit(ctx, changes)
}
