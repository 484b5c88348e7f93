package projections_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/account"
	"moviola/domain/ledger"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/projections"
)

// gate is a document store that keeps all commits to one generation waiting until it is opened, once some have passed.
type gate struct {
	projections.Documents
	generation int64
	tokens     chan struct{} // each lets one commit through; closed: all pass
	waiting    chan struct{} // gets one when a commit waits
}

func newGate(docs projections.Documents, generation int64, through int) *gate {
	g := &gate{Documents: docs, generation: generation, tokens: make(chan struct{}, through), waiting: make(chan struct{}, 1)}
	for range through {
		g.tokens <- struct{}{}
	}
	return g
}

func (g *gate) Commit(ctx context.Context, b projections.Changes) error {
	if b.Checkpoint == nil || b.Checkpoint.ID != strconv.FormatInt(g.generation, 10) {
		return g.Documents.Commit(ctx, b)
	}
	select {
	case <-g.tokens:
		return g.Documents.Commit(ctx, b)
	default:
	}
	select {
	case g.waiting <- struct{}{}:
	default:
	}
	select {
	case <-g.tokens:
	case <-ctx.Done():
		return ctx.Err()
	}
	return g.Documents.Commit(ctx, b)
}

// await waits until a commit waits.
func (g *gate) await(t *testing.T) {
	t.Helper()
	eventually(t, "a commit waits", func() bool {
		select {
		case <-g.waiting:
			return true
		default:
			return false
		}
	})
}

// grown is a world with a history and complete read models whose movies then have another shape, by as much.
func grown(t *testing.T, by int) (w *world, docs projections.Documents, want map[string]string, pointer projections.Pointer) {
	t.Helper()
	w = newWorld(t)
	docs = w.documents(t)
	models := mustOpen(t, w.config(docs))
	stop := start(t, models)
	waitFor(t, models, w.history(t, 10))
	want = dump(t, docs)
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	pointer = reshape(t, docs, "movies", by)
	w.clock.now = time.Now().Add(2 * time.Hour) // the store says when events were created
	return w, docs, want, pointer
}

// behindOnly checks which lists of a process are behind: those of the movies, or all.
func behindOnly(t *testing.T, models *projections.ReadModels, all bool) {
	t.Helper()
	var behind *projections.BehindError
	_, err := models.Movies.List(t.Context(), projections.MovieList{Account: alice, Limit: 10})
	if !errors.As(err, &behind) || (len(behind.Models) == 0) != all {
		t.Errorf("the list of movies: %v", err)
	}
	for what, list := range map[string]func() error{
		"keys": func() error {
			_, err := models.Keys.List(t.Context(), projections.KeyList{Account: alice, Limit: 10})
			return err
		},
		"accounts": func() error {
			_, _, err := models.Accounts.Page(t.Context(), projections.AccountQuery{Limit: 10})
			return err
		},
		"work": func() error {
			_, err := models.Work.Candidates(t.Context(), projections.WorkRender, t0.Add(1000*time.Hour), 1)
			return err
		},
		"folders": func() error {
			_, _, err := models.Library.Folder(t.Context(), alice, "")
			return err
		},
	} {
		if err := list(); errors.As(err, &behind) != all || !all && err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestOpen_OneOtherShape: while one read model is built whose shape has changed, the lists of all others are answered and kept up to the log,
// and what has a stream is answered from it. A restart goes on. Then the read model is taken, and the others stay where they were.
func TestOpen_OneOtherShape(t *testing.T) {
	t.Parallel()
	w, docs, _, pointer := grown(t, 1)
	next := pointer.Generation + 1
	open := func(through int) (*projections.ReadModels, *gate, func() error) {
		gated := newGate(w.documents(t), next, through)
		config := w.config(gated)
		config.MaxLag, config.BatchEvents = time.Hour, 5
		models := mustOpen(t, config)
		return models, gated, start(t, models)
	}
	models, gated, stop := open(2)
	gated.await(t)
	behindOnly(t, models, false)
	var behind *projections.BehindError
	if err := models.Reader.Behind(); !errors.As(err, &behind) || behind.Progress <= 0 || behind.Progress >= 100 {
		t.Errorf("half way: %v", err)
	}
	w.append(t, account.Stream("late"), account.Opened{Plan: "paid", At: t0})
	w.append(t, ledger.Stream(alice), ledger.CreditsGranted{Reference: "late", Amount: 7, At: t0})
	w.append(t, movie.Stream(project(500)), submitted(alice, t0))
	waitFor(t, models, w.append(t, movie.Stream(project(500)), movie.Cancelled{At: t0}))
	if found, _, err := models.Accounts.Page(t.Context(), projections.AccountQuery{Limit: 100}); err != nil || len(found) == 0 {
		t.Errorf("the accounts: %+v, %v", found, err)
	}
	for range 2 { // at once, and when nothing has moved for a while
		for number, want := range map[int]bool{0: true, 500: true, 501: false} {
			if _, found, err := models.Movies.Get(t.Context(), project(number)); found != want || err != nil {
				t.Errorf("movie %d: %v, %v", number, found, err)
			}
		}
		began := time.Now()
		eventually(t, "nothing has moved for a while", func() bool { return time.Since(began) > 200*time.Millisecond })
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if now := pointerOf(t, docs); now.Generation != pointer.Generation || now.Building == nil || now.Building.Generation != next || now.Beside == nil {
		t.Fatalf("the pointer is %+v", now)
	}
	models, gated, _ = open(0)
	gated.await(t)
	behindOnly(t, models, false)
	close(gated.tokens)
	eventually(t, "what was built is current", func() bool { return pointerOf(t, docs).Generation == next })
	after := pointerOf(t, docs)
	for name, place := range after.Models {
		if same := place == pointer.Models[name]; same == (name == "movies") {
			t.Errorf("%s: from %+v to %+v", name, pointer.Models[name], place)
		}
	}
	if after.Beside != nil || after.Building != nil {
		t.Errorf("the pointer is %+v", after)
	}
	eventually(t, "the movies are listed", func() bool {
		found, err := models.Movies.List(t.Context(), projections.MovieList{Account: alice, Limit: 100})
		return err == nil && len(found.Movies) > 0
	})
	wantRebuilt(t, w, docs, models)
}

// wantRebuilt checks that a rebuild of everything changes no document, and that events go on being folded.
func wantRebuilt(t *testing.T, w *world, docs projections.Documents, models *projections.ReadModels) {
	t.Helper()
	waitFor(t, models, w.append(t, movie.Stream(project(600)), submitted(alice, t0)))
	before := dump(t, docs)
	if err := models.Reader.Rebuild(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, dump(t, docs)); diff != "" {
		t.Errorf("documents (-before +rebuilt):\n%s", diff)
	}
}

// TestOpen_OtherShapeBeside: documents that a process of another version reads are not shared with it: all are built.
func TestOpen_OtherShapeBeside(t *testing.T) {
	t.Parallel()
	w, docs, _, pointer := grown(t, 1)
	err := docs.Commit(t.Context(), projections.Changes{Writes: []projections.Write{{
		Collection: "readers", ID: "other", Document: map[string]any{"reader": "other", "generation": pointer.Generation, "at": w.clock.Now().UTC()},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	config := w.config(w.documents(t))
	config.MaxLag = time.Hour
	models := mustOpen(t, config)
	behindOnly(t, models, true)
	start(t, models)
	eventually(t, "what was built is read", func() bool {
		_, err := models.Movies.List(t.Context(), projections.MovieList{Account: alice, Limit: 10})
		return err == nil
	})
	if now := pointerOf(t, docs); now.Generation != pointer.Generation || now.Beside != nil {
		t.Errorf("the pointer is %+v", now)
	}
}

// TestOpen_OtherShapeSpoilt: when another version comes meanwhile and leaves something out of the documents that are shared, all are built.
func TestOpen_OtherShapeSpoilt(t *testing.T) {
	t.Parallel()
	w, docs, want, pointer := grown(t, 1)
	gated := newGate(w.documents(t), pointer.Generation+1, 1)
	config := w.config(gated)
	config.MaxLag, config.BatchEvents = time.Hour, 5
	models := mustOpen(t, config)
	start(t, models)
	gated.await(t)
	err := docs.Commit(t.Context(), projections.Changes{Writes: []projections.Write{{
		Collection: "unread_" + strconv.FormatInt(pointer.Generation, 10), ID: "movie-x", Document: projections.Unread{Stream: "movie-x", Type: "Unheard", Version: 1},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	close(gated.tokens)
	eventually(t, "all were built", func() bool {
		now := pointerOf(t, docs)
		for name, place := range now.Models {
			if place.Collection == pointer.Models[name].Collection {
				return false
			}
		}
		return true
	})
	if diff := cmp.Diff(want, dump(t, docs)); diff != "" {
		t.Errorf("documents (-before +rebuilt):\n%s", diff)
	}
	wantRebuilt(t, w, docs, models)
}

// TestBalances_unread: the balance of an account whose ledger has an event of a newer version is an error, and not zero.
func TestBalances_unread(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	models := mustOpen(t, w.earlier(w.documents(t), "CreditsHeld"))
	start(t, models)
	w.append(t, ledger.Stream(alice), ledger.CreditsGranted{Reference: "first", Amount: 600, At: t0})
	w.append(t, ledger.Stream(alice), ledger.CreditsHeld{Project: "p", Amount: 7, At: t0})
	eventually(t, "the stream is known as unread", func() bool { return len(models.Reader.Unread()) == 1 })
	if b, err := models.Balances.Get(t.Context(), alice); !errors.Is(err, eventstore.ErrUnknownType) {
		t.Errorf("the balance: %+v, %v", b, err)
	}
}
