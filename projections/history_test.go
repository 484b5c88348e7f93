package projections_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/projections"
)

// TestMovies_History tells a whole life to its owner and to nobody else. Decision 32.
func TestMovies_History(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	models := w.open(t)
	id, index, yes := project(1), 1, true
	if _, ok, err := models.Movies.History(t.Context(), alice, id); ok || err != nil {
		t.Errorf("a movie that nobody submitted: found %v, %v", ok, err)
	}
	w.append(t, movie.Stream(id),
		submitted(alice, t0),
		movie.RenderStarted{Attempt: 1, Worker: "w1", At: minute(1)},
		movie.RenderReleased{Attempt: 1, Worker: "w1", At: minute(2)},
		movie.RenderStarted{Attempt: 2, Worker: "w2", At: minute(3)},
		movie.RenderTimedOut{At: minute(16)},
		movie.RenderFinished{Attempt: 2, Worker: "w2", Success: true, Credits: 3, File: &movie.File{Key: "k", Token: "secret"}, CachedFrom: project(7),
			Spent: &movie.Spent{TookMS: 900, StagesMS: map[string]int64{"window": 800, "join": 20}, Encoded: 5, Cached: 20}, At: minute(17)},
		movie.DeliveryStarted{Run: 1, Worker: "w3", At: minute(18)},
		movie.DeliveryAttempted{Run: 1, Index: 1, Try: 1, Final: true, Type: "webhook", ID: "hook", Status: movie.DeliveryError,
			HTTPStatus: 404, Message: "refused", DurationMS: 12, At: minute(19)},
		movie.DeliveryReleased{Run: 1, Worker: "w3", At: minute(19)},
		movie.DeliveryFinished{Run: 1, At: minute(20)},
		movie.RedeliveryRequested{Request: 1, Index: &index, At: minute(21)},
		movie.FileDeleted{Reason: movie.Expired, At: minute(30)})
	got, ok, err := models.Movies.History(t.Context(), alice, id)
	if err != nil || !ok {
		t.Fatalf("found %v, %v", ok, err)
	}
	want := []projections.HistoryEntry{
		{Event: "MovieSubmitted", Status: "pending"},
		{Event: "RenderStarted", Status: "running", Attempt: 1, Worker: "w1"},
		{Event: "RenderReleased", Status: "running", Attempt: 1, Worker: "w1"},
		{Event: "RenderStarted", Status: "running", Attempt: 2, Worker: "w2"},
		{Event: "RenderTimedOut", Status: "timeout"},
		{Event: "RenderFinished", Status: "done", Attempt: 2, Worker: "w2", Success: &yes, Credits: 3, CachedFrom: string(project(7)),
			Spent: &projections.MovieSpent{TookMS: 900, Stages: []projections.StageTime{{"join", 20}, {"window", 800}}, FramesEncoded: 5, FramesCached: 20}},
		{Event: "DeliveryStarted", Status: "done", Worker: "w3", Delivery: &projections.HistoryDelivery{Run: 1}},
		{Event: "DeliveryAttempted", Status: "done", Message: "refused", Delivery: &projections.HistoryDelivery{
			Run: 1, Index: &index, Try: 1, Type: "webhook", ID: "hook", Result: "error", Final: true, HTTPStatus: 404, DurationMS: 12}},
		{Event: "DeliveryReleased", Status: "done", Worker: "w3", Delivery: &projections.HistoryDelivery{Run: 1}},
		{Event: "DeliveryFinished", Status: "done", Delivery: &projections.HistoryDelivery{Run: 1}},
		{Event: "RedeliveryRequested", Status: "done", Delivery: &projections.HistoryDelivery{Index: &index}},
		{Event: "FileDeleted", Status: "done", Reason: "expired"},
	}
	for i := range want {
		want[i].Number = int64(i)
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(projections.HistoryEntry{}, "At")); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
	if !got[0].At.Equal(t0) {
		t.Errorf("submitted at %v", got[0].At)
	}
	w.append(t, movie.Stream(project(2)), movie.SubmissionAbandoned{Account: alice, At: t0})
	for name, who := range map[string]struct {
		account domain.AccountID
		project domain.ProjectID
	}{"of another account": {bob, id}, "abandoned": {alice, project(2)}} {
		if entries, ok, err := models.Movies.History(t.Context(), who.account, who.project); ok || err != nil || entries != nil {
			t.Errorf("%s: found %v, %v", name, entries, err)
		}
	}
}

// TestMovies_History_trace says which request an event came of.
func TestMovies_History_trace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	models := w.open(t)
	meta := eventstore.Meta{Account: alice, Time: minute(3), Correlation: "request", Causation: "cause"}
	if _, err := w.log.Append(t.Context(), movie.Stream(project(1)), eventstore.NoStream, meta, submitted(alice, t0)); err != nil {
		t.Fatal(err)
	}
	got, _, err := models.Movies.History(t.Context(), alice, project(1))
	if err != nil || len(got) != 1 || got[0].Correlation != "request" || got[0].Causation != "cause" || !got[0].At.Equal(minute(3)) {
		t.Errorf("history %+v, %v", got, err)
	}
}

// TestMovies_Cached finds the newest file of the account, and none that is gone. Decision 20.
func TestMovies_Cached(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	models := w.open(t)
	start(t, models)
	made := func(n int, account domain.AccountID, key string, more ...domain.Event) eventstore.Appended {
		return w.append(t, movie.Stream(project(n)), append([]domain.Event{
			submitted(account, minute(n)),
			movie.RenderStarted{Attempt: 1, Worker: "w", At: minute(n)},
			movie.RenderFinished{Attempt: 1, Worker: "w", Success: true, File: &movie.File{Key: "k"}, CacheKey: key, At: minute(n)},
		}, more...)...)
	}
	cached := func(account domain.AccountID, key string) string {
		t.Helper()
		m, ok, err := models.Movies.Cached(t.Context(), account, key)
		if err != nil || ok != (m.Project != "") {
			t.Fatalf("found %v, %v, %v", m, ok, err)
		}
		return m.Project
	}
	made(1, alice, "same")
	made(2, alice, "same")
	made(3, alice, "same", movie.FileDeleted{Reason: movie.Expired, At: minute(4)})
	made(4, alice, "")
	waitFor(t, models, made(5, bob, "bobs"))
	for _, tt := range []struct {
		account domain.AccountID
		key     string
		want    domain.ProjectID
	}{{alice, "same", project(2)}, {alice, "bobs", ""}, {bob, "bobs", project(5)}, {bob, "same", ""}, {alice, "", ""}} {
		if got := cached(tt.account, tt.key); got != string(tt.want) {
			t.Errorf("%s, %q: found %q, want %q", tt.account, tt.key, got, tt.want)
		}
	}
	waitFor(t, models, w.append(t, movie.Stream(project(2)), movie.FileDeleted{Reason: movie.ByUser, At: minute(6)}))
	if got := cached(alice, "same"); got != string(project(1)) {
		t.Errorf("after a deletion: %q", got)
	}
}
