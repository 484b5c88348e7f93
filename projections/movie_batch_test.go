package projections_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/batch"
	"moviola/domain/ledger"
	"moviola/domain/movie"
	"moviola/projections"
)

// TestMovieBatches: a batch is listed, its movies are found by row, and its work follows it; a hold of a row is no work of its own.
func TestMovieBatches(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	models := mustOpen(t, w.config(w.documents(t)))
	start(t, models)
	due := func(kind string) (found []string) {
		t.Helper()
		items, err := models.Work.Candidates(t.Context(), kind, minute(1000), 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range items {
			found = append(found, fmt.Sprint(item.ID, " ", item.Account, " ", item.Templates))
		}
		return found
	}
	id := func(n int) batch.ID { return batch.ID(fmt.Sprintf("Batch%011d", n)) }
	for n := range 4 {
		at := minute(n)
		requested := batch.Requested{
			Account: alice, Template: "t", Templates: []movie.TemplateUse{{ID: "t", Body: "h"}}, At: at,
			Rows: []batch.Row{{Number: 1, Held: 2}, {Number: 3, Held: 5}}, Flaws: []batch.Flaw{{Row: 2, Code: "c"}},
		}
		waitFor(t, models, w.append(t, batch.Stream(id(n)), requested))
	}
	work := "batch/" + string(id(0)) + " " + string(alice) + " [t]"
	if got := due(projections.WorkBatch); len(got) != 4 || got[0] != work {
		t.Errorf("work of new batches: %v", got)
	}
	waitFor(t, models, w.append(t, batch.Stream(id(3)), batch.Refused{Code: "c", At: minute(5)}, batch.Closed{At: minute(5)}))
	waitFor(t, models, w.append(t, batch.Stream(id(2)), batch.Accepted{At: minute(5)}, batch.Submitted{At: minute(6)}))
	waitFor(t, models, w.append(t, batch.Stream(id(1)), batch.Accepted{At: minute(5)}, batch.Submitted{At: minute(6)}, batch.Cancelled{At: minute(7)}))
	if got := due(projections.WorkBatch); len(got) != 2 {
		t.Errorf("work after that: %v", got)
	}
	first := batch.Project(id(2), 3)
	waitFor(t, models, w.append(t, ledger.Stream(alice), ledger.CreditsHeld{Project: first, Amount: 5, Batch: id(2), At: minute(5)}))
	if got := due(projections.WorkAbandon); len(got) > 0 {
		t.Errorf("the hold of a row is abandoned by itself: %v", got)
	}
	waitFor(t, models, w.append(t, movie.Stream(first), movie.Submitted{Account: alice, Batch: id(2), Row: 3, At: minute(6)}))
	waitFor(t, models, w.append(t, movie.Stream(first), movie.Cancelled{At: minute(8)}))
	if got := due(projections.WorkSettle); len(got) != 1 {
		t.Errorf("the hold of a row that has ended: %v", got)
	}
	ends := func(n int) (open bool) {
		t.Helper()
		return slices.Contains(due(projections.WorkBatch), "batch/"+string(id(n))+" "+string(alice)+" []")
	}
	waitFor(t, models, w.append(t, batch.Stream(id(1)), batch.Closed{Cancelled: true, At: minute(8)}))
	waitFor(t, models, w.append(t, batch.Stream(id(0)), batch.Accepted{At: minute(8)}, batch.Submitted{Movies: 2, At: minute(9)}))
	for _, n := range []int{0, 1} {
		if !ends(n) {
			t.Errorf("nobody records the end of batch %d: %v", n, due(projections.WorkBatch))
		}
		waitFor(t, models, w.append(t, batch.Stream(id(n)), batch.Finished{Worker: "w", At: minute(10)}))
		if ends(n) {
			t.Errorf("the work on batch %d has no end", n)
		}
	}
	movies, err := models.Batches.Movies(t.Context(), alice, id(2))
	if err != nil || len(movies) != 1 || movies[0].Row != 3 {
		t.Errorf("movies %+v, %v", movies, err)
	}
	var listed []string
	for list := (projections.BatchList{Account: alice, Limit: 2}); ; {
		page, more, err := models.Batches.List(t.Context(), list)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range page {
			listed = append(listed, fmt.Sprint(b.ID, " ", b.State, " ", b.Credits))
		}
		if !more {
			break
		}
		last := page[len(page)-1].Cursor()
		list.BatchCursor = &last
	}
	want := []string{string(id(2)) + " submitted 7", string(id(1)) + " cancelled 7", string(id(0)) + " submitted 7"}
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
	if _, known, err := models.Batches.Get(t.Context(), id(3)); known || err != nil {
		t.Errorf("the refused one: %v, %v", known, err)
	}
}
