package projections_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/movie"
	"moviola/projections"
)

// TestUsage folds what an account did on two days, and reads it back by all roads.
func TestUsage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	models := w.open(t)
	start(t, models)
	late := time.Date(2026, 3, 1, 23, 59, 59, 999e6, time.UTC)
	next := late.Add(time.Millisecond)
	plan, file := &movie.Dimensions{Frames: 300, FPSNum: 30000, FPSDen: 1001}, &movie.File{Key: "k", Size: 1000}
	try := func(index, try int, status movie.DeliveryStatus, final bool, at time.Time) movie.DeliveryAttempted {
		return movie.DeliveryAttempted{Run: 1, Index: index, Try: try, Final: final, Type: "webhook", Status: status, HTTPStatus: 200 + try, DurationMS: 7, At: at}
	}
	w.append(t, movie.Stream(project(1)), movie.Submitted{Account: alice, At: t0, Draft: true}, movie.RenderStarted{Attempt: 1, At: t0},
		movie.RenderFinished{Attempt: 1, Success: true, Plan: plan, File: file, Credits: 11, Spent: &movie.Spent{TookMS: 5000}, At: late},
		try(0, 1, movie.DeliveryError, false, late), try(0, 2, movie.DeliveryOK, true, next), try(1, 1, movie.DeliverySkipped, true, next))
	w.append(t, movie.Stream(project(2)), movie.Submitted{Account: alice, At: next}, movie.RenderStarted{Attempt: 1, At: next},
		movie.RenderTimedOut{At: next}, movie.RenderFinished{Attempt: 1, Message: "Movie took too long to render", At: next})
	w.append(t, movie.Stream(project(3)), movie.Submitted{Account: alice, At: next},
		movie.RenderFinished{Message: "https://example.com: no such host", At: next})
	last := w.append(t, movie.Stream(project(4)), movie.Submitted{Account: alice, At: next}, movie.Cancelled{At: next})
	waitFor(t, models, last)

	first := projections.Usage{
		ID: "2026-03-01/" + string(alice), Day: "2026-03-01", Account: string(alice), Submitted: 1, Drafts: 1, Rendered: 1,
		VideoMS: 10010, Credits: 11, Bytes: 1000, RenderMS: 5000, DeliveryTries: 1,
	}
	second := projections.Usage{
		ID: "2026-03-02/" + string(alice), Day: "2026-03-02", Account: string(alice), Submitted: 3, Failed: 2, Cancelled: 1,
		FailedTimeout: 1, FailedSources: 1, DeliveriesOK: 1, DeliveriesSkipped: 1, DeliveryTries: 2,
	}
	for name, ask := range map[string]struct {
		query projections.UsageQuery
		want  []projections.Usage
		more  bool
	}{
		"all":       {projections.UsageQuery{Limit: 10}, []projections.Usage{first, second}, false},
		"one page":  {projections.UsageQuery{Limit: 1}, []projections.Usage{first}, true},
		"the next":  {projections.UsageQuery{Limit: 1, UsageCursor: &projections.UsageCursor{Day: first.Day, Owner: alice}}, []projections.Usage{second}, false},
		"of one":    {projections.UsageQuery{Account: alice, Limit: 1, UsageCursor: &projections.UsageCursor{Day: first.Day, Owner: alice}}, []projections.Usage{second}, false},
		"from":      {projections.UsageQuery{From: "2026-03-02", Limit: 10}, []projections.Usage{second}, false},
		"to":        {projections.UsageQuery{Account: alice, To: "2026-03-01", Limit: 10}, []projections.Usage{first}, false},
		"of nobody": {projections.UsageQuery{Account: bob, Limit: 10}, nil, false},
	} {
		got, more, err := models.Usage.List(t.Context(), ask.query)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			got[i].Commit, got[i].Prepare = 0, 0
		}
		if diff := cmp.Diff(ask.want, append([]projections.Usage(nil), got...)); diff != "" || more != ask.more {
			t.Errorf("%s, others follow: %v (-want +got):\n%s", name, more, diff)
		}
	}
}

// TestDeliveries holds a destination's document against the tries at it, of several runs.
func TestDeliveries(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	docs := w.documents(t)
	models := mustOpen(t, w.config(docs))
	start(t, models)
	var events []domain.Event
	for run := 1; run <= 2; run++ {
		events = append(events, movie.DeliveryAttempted{Run: run, Index: 1, Try: 1, Final: run == 2, Type: "sftp", ID: "archive",
			Status: movie.DeliveryError, Message: "refused", DurationMS: 40, At: minute(run)})
	}
	waitFor(t, models, w.append(t, movie.Stream(project(1)), append([]domain.Event{submitted(alice, t0)}, events...)...))
	found, err := docs.Get(t.Context(), pointerOf(t, docs).Models["deliveries"].Collection, string(project(1))+"/0001")
	if err != nil || len(found) != 1 {
		t.Fatalf("%d documents, %v", len(found), err)
	}
	for _, stored := range found {
		var got projections.Delivery
		if err := stored.Body.Decode(&got); err != nil {
			t.Fatal(err)
		}
		want := projections.Delivery{
			ID: stored.ID, Project: string(project(1)), Account: string(alice), Revision: 2, Index: 1, Kind: "sftp", Connection: "archive",
			Status: "error", Final: true, Message: "refused", Tries: 2, DurationMS: 80, FirstAt: minute(1), At: minute(2),
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("delivery (-want +got):\n%s", diff)
		}
	}
}
