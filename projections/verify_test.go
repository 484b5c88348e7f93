package projections_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/adapters/sqlite"
	"moviola/domain/movie"
	"moviola/projections"
)

// verify compares the read models with the log.
func (w *world) verify(t *testing.T, docs projections.Documents) []projections.Difference {
	t.Helper()
	scratch, err := sqlite.Open(filepath.Join(t.TempDir(), "scratch.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = scratch.Close() }()
	config := w.config(docs)
	config.BatchEvents = 7
	found, err := projections.Verify(t.Context(), config, scratch)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestVerify finds the documents that are not what the log makes of them, also while others are written.
func TestVerify(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	docs := w.documents(t)
	models := mustOpen(t, w.config(docs))
	start(t, models)
	waitFor(t, models, w.history(t, 20))
	if found := w.verify(t, docs); len(found) > 0 {
		t.Errorf("nothing is wrong: %+v", found)
	}
	spoil := func(collection, id string, document any, gone bool) {
		t.Helper()
		found, err := docs.Get(t.Context(), collection, id)
		if err != nil {
			t.Fatal(err)
		}
		write := projections.Write{Collection: collection, ID: id, Loaded: found[id].Version, Document: document}
		if gone {
			write.Gone = t0
		}
		if err := docs.Commit(t.Context(), projections.Changes{Writes: []projections.Write{write}}); err != nil {
			t.Fatal(err)
		}
	}
	spoil("balances_1", string(alice), projections.Balance{Account: string(alice), Revision: 1 << 20}, false)
	spoil("movies_1", string(project(1)), projections.Movie{Project: string(project(1)), Revision: 1 << 20}, true)
	spoil("movies_1", "nobody", projections.Movie{Project: "nobody"}, false)
	w.append(t, movie.Stream(project(500)), submitted(alice, t0)) // is being projected meanwhile
	want := []projections.Difference{
		{Model: "movies", ID: "nobody", What: "superfluous"}, {Model: "movies", ID: string(project(1)), What: "missing"},
		{Model: "balances", ID: string(alice), What: "other than the log says"},
	}
	if diff := cmp.Diff(want, w.verify(t, docs)); diff != "" {
		t.Errorf("differences (-want +got):\n%s", diff)
	}
	if err := models.Reader.Rebuild(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if found := w.verify(t, docs); len(found) > 0 {
		t.Errorf("after a rebuild: %+v", found)
	}
}
