package projections_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/movie"
	"moviola/projections"
)

// TestTroubleBoard: what fails ten times is stuck until it is done or looked into, whoever does it. Design §6.
func TestTroubleBoard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	docs := w.documents(t)
	models := mustOpen(t, w.config(docs))
	start(t, models)
	board, other := models.Trouble, w.open(t).Trouble
	items := make([]projections.WorkItem, 2)
	for n := range items {
		waitFor(t, models, w.append(t, movie.Stream(project(n)), submitted(alice, t0)))
		items[n] = projections.WorkItem{ID: "render/" + string(project(n)), Kind: "render", Account: string(alice), Subject: string(project(n))}
	}
	fail := func(item projections.WorkItem, times int) projections.Trouble {
		t.Helper()
		var trouble projections.Trouble
		for n := range times {
			w.clock.turn(time.Minute)
			var err error
			if trouble, err = []*projections.TroubleBoard{board, other}[n%2].Failed(t.Context(), item, fmt.Sprint("failure ", n)); err != nil {
				t.Fatal(err)
			}
		}
		return trouble
	}
	wantStuck := func(want ...string) {
		t.Helper()
		rows, err := board.Stuck(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, row := range rows {
			got = append(got, row.Work)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("stuck (-want +got):\n%s", diff)
		}
	}
	fail(items[0], projections.StuckAfter-1)
	wantStuck()
	got := fail(items[0], 1)
	want := projections.Trouble{
		Work: items[0].ID, Kind: "render", Account: string(alice), Subject: string(project(0)), Message: "failure 0",
		Failures: 10, Stuck: true, First: minute(1), Last: minute(10),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("trouble (-want +got):\n%s", diff)
	}
	fail(items[1], projections.StuckAfter+5)
	wantStuck(items[0].ID, items[1].ID)
	if err := board.Clear(t.Context(), items[0].ID); err != nil {
		t.Fatal(err)
	}
	wantStuck(items[1].ID)
	if got := fail(items[0], 1); got.Failures != 1 {
		t.Errorf("counted on to %d", got.Failures)
	}
	if err := board.Clear(t.Context(), "render/nobody"); err != nil {
		t.Error(err)
	}
	// Another process has done the work, or it is another's work now.
	waitFor(t, models, w.append(t, movie.Stream(project(1)), movie.Cancelled{At: minute(60)}))
	wantStuck()
	if found, err := docs.Get(t.Context(), "trouble", items[1].ID); err != nil || !found[items[1].ID].Gone {
		t.Errorf("the row stays: %v, %v", found, err)
	}
}
