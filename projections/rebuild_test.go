package projections_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/projections"
)

func pointerOf(t *testing.T, docs projections.Documents) projections.Pointer {
	t.Helper()
	found, err := docs.Get(t.Context(), "read_models", "current")
	if err != nil {
		t.Fatal(err)
	}
	var pointer projections.Pointer
	if err := found["current"].Body.Decode(&pointer); err != nil {
		t.Fatal(err)
	}
	return pointer
}

// TestReader_Rebuild rebuilds beside the live read models, while events go on coming, and drops the old ones.
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

// TestOpen_OtherShapes proves that a program which finds documents of other shapes builds its own before it answers.
func TestOpen_OtherShapes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	docs := w.documents(t)
	models := mustOpen(t, w.config(docs))
	stop := start(t, models)
	waitFor(t, models, w.history(t, 10))
	want := dump(t, docs)
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	found, err := docs.Get(t.Context(), "read_models", "current")
	if err != nil {
		t.Fatal(err)
	}
	pointer := pointerOf(t, docs)
	place := pointer.Models["movies"]
	place.Shape++
	pointer.Models["movies"] = place
	err = docs.Commit(t.Context(), projections.Batch{Writes: []projections.Write{{
		Collection: "read_models", ID: "current", Loaded: found["current"].Version, Document: pointer,
	}}})
	if err != nil {
		t.Fatal(err)
	}

	config := w.config(docs)
	config.Project = false
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := projections.Open(short, config); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a process that does not project opened foreign shapes: %v", err)
	}
	mustOpen(t, w.config(docs))
	if diff := cmp.Diff(want, dump(t, docs)); diff != "" {
		t.Errorf("documents (-before +rebuilt):\n%s", diff)
	}
	if after := pointerOf(t, docs); after.Generation == pointer.Generation {
		t.Error("the foreign generation is still current")
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
	waitFor(t, models, w.append(t, movie.Stream(project(1)), submitted(alice, t0), movie.Cancelled{At: t0}))
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
