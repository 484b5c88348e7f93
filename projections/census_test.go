package projections_test

import (
	"slices"
	"testing"

	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/projections"
)

// A census counts what is due by account, and says since when. What the log has and the read models have not is lag.
func TestCensusAndLag(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	models := w.open(t)
	last := backlog(t, w, 3, 1)
	lag, err := models.Reader.Lag(t.Context())
	if err != nil || lag.Events != 4 || lag.Head != last.Position {
		t.Errorf("before reading: lag %+v, %v; want 4 events and the end %v", lag, err, last.Position)
	}
	start(t, models)
	waitFor(t, models, last)
	if lag, err := models.Reader.Lag(t.Context()); err != nil || lag.Events != 0 || lag.Age != 0 || lag.Head.Compare(eventstore.Position{}) <= 0 {
		t.Errorf("when all is read: lag %+v, %v", lag, err)
	}
	counts := func(minutes int) (items []int) {
		all, err := models.Work.Census(t.Context(), minute(minutes))
		if err != nil {
			t.Fatal(err)
		}
		for _, waiting := range all {
			if waiting.Kind == projections.WorkRender {
				items = append(items, waiting.Items)
				if !waiting.Oldest.Equal(minute(0)) {
					t.Errorf("the oldest of %s is due since %v", waiting.Account, waiting.Oldest)
				}
			}
		}
		return items
	}
	if got := counts(500); !slices.Equal(got, []int{3, 1}) {
		t.Errorf("waiting renders %v", got)
	}
	if got := counts(1); !slices.Equal(got, []int{2, 1}) {
		t.Errorf("waiting renders after a minute %v", got)
	}
}

// What is claimed is asked for beside what waits and is due.
func TestWork_Demand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	models := w.open(t)
	start(t, models)
	demand := func(minutes int) projections.Demand {
		found, err := models.Work.Demand(t.Context(), projections.WorkRender, minute(minutes))
		if err != nil {
			t.Fatal(err)
		}
		found.Oldest = found.Oldest.UTC()
		return found
	}
	if got := demand(500); got != (projections.Demand{}) {
		t.Errorf("of nothing: %+v", got)
	}
	waitFor(t, models, backlog(t, w, 3, 1))
	if got, want := demand(500), (projections.Demand{Waiting: 4, Oldest: minute(0)}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	items, err := models.Work.Candidates(t.Context(), projections.WorkRender, minute(1), 1)
	if err != nil || len(items) == 0 {
		t.Fatalf("%+v, %v", items, err)
	}
	at := w.append(t, movie.Stream(domain.ProjectID(items[0].Subject)), movie.RenderStarted{Worker: "w", Attempt: 1, At: minute(1)})
	waitFor(t, models, at)
	if got := demand(500); got.Waiting != 3 || got.Running != 1 {
		t.Errorf("with one that runs: %+v", got)
	}
	if got := demand(-1); got.Waiting != 0 || got.Running != 1 {
		t.Errorf("before any is due: %+v", got)
	}
}

// The work list keeps the request that its items follow from.
func TestWork_correlation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	models := w.open(t)
	start(t, models)
	at, err := w.log.Append(t.Context(), movie.Stream(project(1)), eventstore.NoStream,
		eventstore.Meta{Account: alice, Correlation: "request-1", Time: t0}, submitted(alice, minute(0)))
	if err != nil {
		t.Fatal(err)
	}
	waitFor(t, models, at)
	items, err := models.Work.Candidates(t.Context(), projections.WorkRender, minute(1), 1)
	if err != nil || len(items) != 1 || items[0].Correlation != "request-1" {
		t.Errorf("work %+v, %v", items, err)
	}
}
