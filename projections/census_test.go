package projections_test

import (
	"slices"
	"testing"

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
