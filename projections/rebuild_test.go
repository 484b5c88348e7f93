package projections_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/projections"
	"moviola/projections/documentstest"
)

func pointerOf(t *testing.T, docs projections.Documents) projections.Pointer {
	t.Helper()
	return documentstest.Pointer(t, docs)
}

// TestReader_Rebuild rebuilds beside the live read models, folds what comes afterwards, and drops the old ones.
func TestReader_Rebuild(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	docs := w.documents(t)
	models := mustOpen(t, w.config(docs))
	start(t, models)
	waitFor(t, models, w.history(t, 30))
	want := dump(t, docs)
	before := pointerOf(t, docs)

	var seen eventstore.Position
	err := models.Reader.Rebuild(t.Context(), func(p eventstore.Position) {
		if p.Compare(seen) < 0 {
			t.Errorf("the progress went back from %v to %v", seen, p)
		}
		seen = p
	})
	if err != nil {
		t.Fatal(err)
	}
	after := pointerOf(t, docs)
	if after.Generation <= before.Generation || after.Models["movies"].Collection == before.Models["movies"].Collection {
		t.Errorf("the pointer went from %+v to %+v", before, after)
	}
	if diff := cmp.Diff(want, dump(t, docs)); diff != "" {
		t.Errorf("documents (-before +rebuilt):\n%s", diff)
	}
	last := w.append(t, movie.Stream(project(999)), submitted(alice, t0))
	waitFor(t, models, last)
	if got := dump(t, docs); len(got) != len(want)+2 { // the movie, and the work to render it
		t.Errorf("%d documents after one more movie, %d before", len(got), len(want))
	}

	old := before.Models["movies"].Collection
	if found, err := docs.Get(t.Context(), old, string(project(0))); err != nil || len(found) == 0 {
		t.Errorf("the old movies went at once: %v, %v", found, err)
	}
	w.clock.turn(projections.SweepInterval)
	eventually(t, "the old movies are dropped", func() bool {
		_, err := docs.Get(t.Context(), old, string(project(0)))
		return err != nil
	})
}

// TestReader_DropFormer waits until requests that read the former read models have ended, where a process reads, and drops them at
// once where none does.
func TestReader_DropFormer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	docs := w.documents(t)
	rebuild := func() (old string) {
		t.Helper()
		old = pointerOf(t, docs).Models["movies"].Collection
		models := mustOpen(t, w.config(docs))
		if err := models.Reader.Rebuild(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		return old
	}
	dropped := func(old string) bool {
		_, err := docs.Get(t.Context(), old, string(project(0)))
		return err != nil
	}
	alone := mustOpen(t, w.config(docs))
	w.history(t, 3)
	old := rebuild()
	if err := alone.Reader.DropFormer(t.Context()); err != nil || !dropped(old) {
		t.Errorf("without readers: %v", err)
	}

	models := mustOpen(t, w.config(docs))
	start(t, models)
	waitFor(t, models, w.history(t, 30))
	old = rebuild()
	limit, cancel := context.WithCancel(t.Context())
	cancel()
	if err := alone.Reader.DropFormer(limit); err == nil || dropped(old) {
		t.Errorf("beside a reader, at once: %v", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- alone.Reader.DropFormer(t.Context()) }()
	w.clock.turn(projections.KeepErased)
	if err := <-ended; err != nil || !dropped(old) {
		t.Errorf("beside a reader, later: %v", err)
	}
}

// TestReader_RebuildCutShort proves that a rebuild which does not come to its end changes nothing.
func TestReader_RebuildCutShort(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	docs := w.documents(t)
	models := mustOpen(t, w.config(docs))
	start(t, models)
	waitFor(t, models, w.history(t, 10))
	before := pointerOf(t, docs)
	ctx, cancel := context.WithCancel(t.Context())
	err := models.Reader.Rebuild(ctx, func(eventstore.Position) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("the rebuild ended with %v", err)
	}
	if after := pointerOf(t, docs); after.Generation != before.Generation {
		t.Errorf("the pointer moved from %d to %d", before.Generation, after.Generation)
	}
	if err := models.Reader.Rebuild(t.Context(), nil); err != nil {
		t.Errorf("the next rebuild: %v", err)
	}
	if after := pointerOf(t, docs); after.Generation != before.Generation+2 {
		t.Errorf("generation %d after %d, one of them unfinished", after.Generation, before.Generation)
	}
}

// reshape makes the current read models say that one of them has another shape.
func reshape(t *testing.T, docs projections.Documents, name string, by int) projections.Pointer {
	t.Helper()
	found, err := docs.Get(t.Context(), "read_models", "current")
	if err != nil {
		t.Fatal(err)
	}
	pointer := pointerOf(t, docs)
	place := pointer.Models[name]
	place.Shape += by
	pointer.Models[name] = place
	err = docs.Commit(t.Context(), projections.Changes{Writes: []projections.Write{{
		Collection: "read_models", ID: "current", Loaded: found["current"].Version, Document: pointer,
	}}})
	if err != nil {
		t.Fatal(err)
	}
	return pointer
}

// TestOpen_OtherShapes: a program that finds documents of other shapes opens at once, says how far it is instead of listing, builds its own
// beside them, goes on where it was after a restart, and then makes them current.
func TestOpen_OtherShapes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	docs := w.documents(t)
	models := mustOpen(t, w.config(docs))
	stop := start(t, models)
	last := w.history(t, 10)
	waitFor(t, models, last)
	want := dump(t, docs)
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	pointer := reshape(t, docs, "movies", 1)
	w.clock.now = time.Now().Add(2 * time.Hour) // the store says when events were created
	list := func(models *projections.ReadModels) error {
		_, err := models.Movies.List(t.Context(), projections.MovieList{Account: alice, Limit: 10})
		return err
	}
	var behind *projections.BehindError

	slow := &sluice{Documents: w.documents(t), open: make(chan struct{})}
	slow.through.Store(2)
	for _, project := range []bool{false, true, true} {
		config := w.config(slow)
		config.Project, config.MaxLag, config.BatchEvents = project, time.Hour, 5
		models = mustOpen(t, config)
		if err := list(models); !errors.As(err, &behind) {
			t.Errorf("project=%v: movies of another shape: %v", project, err)
		}
		stop = start(t, models)
		if project {
			eventually(t, "two batches are built", func() bool { return slow.through.Load() < 0 })
			if err := list(models); !errors.As(err, &behind) || behind.Progress <= 0 || behind.Progress >= 100 {
				t.Errorf("half way: %v", err)
			}
		}
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		if now := pointerOf(t, docs); now.Generation != pointer.Generation || now.Building == nil || now.Building.Generation != pointer.Generation+1 {
			t.Fatalf("project=%v: the pointer is %+v", project, now)
		}
	}
	close(slow.open)
	config := w.config(slow)
	config.MaxLag = time.Hour
	models = mustOpen(t, config)
	start(t, models)
	eventually(t, "what was built is current", func() bool { return pointerOf(t, docs).Generation == pointer.Generation+1 })
	eventually(t, "the movies are listed", func() bool { return list(models) == nil })
	if diff := cmp.Diff(want, dump(t, slow)); diff != "" {
		t.Errorf("documents (-before +rebuilt):\n%s", diff)
	}
}

// TestOpen_AddedFields: documents whose shape lacks only fields that were added since are served and kept up to date, while new ones are
// built in the background.
func TestOpen_AddedFields(t *testing.T) {
	w := newWorld(t)
	docs := w.documents(t)
	models := mustOpen(t, w.config(docs))
	stop := start(t, models)
	waitFor(t, models, w.history(t, 10))
	want := dump(t, docs)
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	pointer := reshape(t, docs, "balances", -1)
	defer projections.GoOnSince(pointer.Models["balances"].Shape)()
	w.clock.now = time.Now().Add(2 * time.Hour)
	config := w.config(docs)
	config.MaxLag = time.Hour
	models = mustOpen(t, config)
	if _, err := models.Movies.List(t.Context(), projections.MovieList{Account: alice, Limit: 10}); err != nil {
		t.Errorf("the list of movies: %v", err)
	}
	stop = start(t, models)
	defer func() { _ = stop() }()
	eventually(t, "new read models are current", func() bool { return pointerOf(t, docs).Generation > pointer.Generation })
	for name, place := range pointerOf(t, docs).Models {
		if same := place == pointer.Models[name]; same == (name == "balances") {
			t.Errorf("%s: from %+v to %+v", name, pointer.Models[name], place)
		}
	}
	if diff := cmp.Diff(want, dump(t, docs)); diff != "" {
		t.Errorf("documents (-before +rebuilt):\n%s", diff)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// TestReader_RebuildOne makes one read model again, which was damaged, and leaves the others where they are.
func TestReader_RebuildOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	docs := w.documents(t)
	models := mustOpen(t, w.config(docs))
	start(t, models)
	waitFor(t, models, w.history(t, 10))
	want, before := dump(t, docs), pointerOf(t, docs)
	if err := models.Reader.Rebuild(t.Context(), nil, "weather"); err == nil {
		t.Error("an unknown read model was made again")
	}
	spoilt, err := docs.Get(t.Context(), before.Models["balances"].Collection, string(alice))
	if err != nil {
		t.Fatal(err)
	}
	err = docs.Commit(t.Context(), projections.Changes{Writes: []projections.Write{{
		Collection: before.Models["balances"].Collection, ID: string(alice), Loaded: spoilt[string(alice)].Version, Document: projections.Balance{Revision: 1 << 20},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := models.Reader.Rebuild(t.Context(), nil, "balances"); err != nil {
		t.Fatal(err)
	}
	after := pointerOf(t, docs)
	for name, place := range after.Models {
		if same := place == before.Models[name]; same == (name == "balances") {
			t.Errorf("%s: from %+v to %+v", name, before.Models[name], place)
		}
	}
	if diff := cmp.Diff(want, dump(t, docs)); diff != "" {
		t.Errorf("documents (-before +rebuilt):\n%s", diff)
	}
	waitFor(t, models, w.append(t, movie.Stream(project(999)), submitted(alice, t0)))
	w.clock.turn(projections.SweepInterval)
	eventually(t, "the old balances are dropped", func() bool {
		_, err := docs.Get(t.Context(), before.Models["balances"].Collection, string(alice))
		return err != nil
	})
	if got := dump(t, docs); len(got) != len(want)+2 {
		t.Errorf("%d documents after one more movie, %d before", len(got), len(want))
	}
}

func TestReader_Sweeps(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	docs := w.documents(t)
	models := mustOpen(t, w.config(docs))
	if err := models.Presence.Beat(t.Context(), projections.Presence{Work: "render/x", Attempt: 1}); err != nil {
		t.Fatal(err)
	}
	start(t, models)
	waitFor(t, models, w.append(t, movie.Stream(project(1)), submitted(alice, t0)))
	waitFor(t, models, w.append(t, movie.Stream(project(1)), movie.Cancelled{At: t0}))
	work := pointerOf(t, docs).Models["work"].Collection
	id := "render/" + string(project(1))
	there := func() bool {
		found, err := docs.Get(t.Context(), work, id)
		if err != nil {
			t.Fatal(err)
		}
		return found[id].Gone
	}
	if !there() {
		t.Fatal("the finished item left no tombstone")
	}
	w.clock.turn(projections.KeepTombstones - time.Minute)
	waitFor(t, models, w.append(t, movie.Stream(project(2)), submitted(alice, t0)))
	if !there() {
		t.Fatal("the tombstone went too early")
	}
	w.clock.turn(projections.SweepInterval)
	eventually(t, "the tombstone is swept", func() bool { return !there() })
	eventually(t, "the row of a worker long gone is taken down", func() bool {
		rows, err := models.Presence.List(t.Context())
		return err == nil && len(rows) == 0
	})
}

// incomplete is a log of which a file cannot be read, while flawed is set.
type incomplete struct {
	eventstore.Store
	flawed atomic.Bool
}

var errLost = fmt.Errorf("%w: archive file history/2026-01/1.jsonl.zst: no such file", eventstore.ErrIncomplete)

func (s *incomplete) Subscribe(
	ctx context.Context, after eventstore.Position, filter eventstore.Filter,
) (eventstore.Subscription, error) {
	if s.flawed.Load() {
		return nil, errLost
	}
	return s.Store.Subscribe(ctx, after, filter)
}

// TestReader_incomplete: a file of the log that cannot be read ends a rebuild, and is the state of a reader until it can be read.
func TestReader_incomplete(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	last := w.history(t, 10)
	log := &incomplete{Store: w.store}
	log.flawed.Store(true)
	w.log = eventstore.NewLog(log, eventstore.NewCodec())
	models := w.open(t)
	if err := models.Reader.Rebuild(t.Context(), nil); !errors.Is(err, eventstore.ErrIncomplete) {
		t.Errorf("the rebuild ended with %v", err)
	}
	start(t, models)
	eventually(t, "the reader says what is wrong", func() bool {
		return errors.Is(models.Reader.Status().Err, eventstore.ErrIncomplete)
	})
	log.flawed.Store(false)
	waitFor(t, models, last)
	eventually(t, "the reader is well again", func() bool { return models.Reader.Status().Err == nil })
}
