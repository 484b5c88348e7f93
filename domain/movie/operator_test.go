package movie_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/movie"
)

// TestOperator: what an operator, or the end of an account, may do to a movie in each state.
func TestOperator(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	submitted := movie.Submitted{Account: "alice", Destinations: 2, Targets: []movie.Target{{Type: "webhook"}, {Type: "ftp", ID: "studio"}}, At: at}
	started := movie.RenderStarted{Attempt: 1, Worker: "w", At: at}
	timedOut := movie.RenderTimedOut{At: at}
	made := movie.RenderFinished{Attempt: 1, Worker: "w", Success: true, File: &movie.File{Key: "k"}, At: at}
	failed := movie.RenderFinished{Attempt: 1, Worker: "w", Message: "no", At: at}
	delivering := movie.DeliveryStarted{Run: 1, Worker: "w", At: at}
	first := movie.DeliveryAttempted{Run: 1, Index: 0, Try: 1, Final: true, Status: movie.DeliveryOK, Type: "webhook", At: at}
	delivered := movie.DeliveryFinished{Run: 1, At: at}
	gone := movie.FileDeleted{Reason: movie.Expired, At: at}

	dropped := func(attempt int, message string) []domain.Event {
		return []domain.Event{movie.RenderFinished{Attempt: attempt, Worker: "op", Message: message, At: at}}
	}
	const givenUp = "The movie was given up by the operator of this service. Please submit it again."
	missed := func(run, index int, kind, id string) movie.DeliveryAttempted {
		return movie.DeliveryAttempted{Run: run, Index: index, Try: 1, Final: true, Type: kind, ID: id, Status: movie.DeliveryError,
			Message: "The delivery was given up by the operator of this service", At: at}
	}
	purge := []domain.Event{movie.FileDeleted{Reason: movie.Purged, At: at}}
	tests := []struct {
		name                  string
		given                 []domain.Event
		drop, delivery, purge []domain.Event
	}{
		{name: "unknown"},
		{name: "pending", given: []domain.Event{submitted}, drop: dropped(0, givenUp)},
		{name: "rendering", given: []domain.Event{submitted, started}, drop: dropped(1, givenUp)},
		{name: "out of time", given: []domain.Event{submitted, started, timedOut}, drop: dropped(1, "Movie took too long to render")},
		{name: "done", given: []domain.Event{submitted, started, made}, purge: purge,
			delivery: []domain.Event{movie.DeliveryStarted{Run: 1, Worker: "op", At: at}, missed(1, 0, "webhook", ""), missed(1, 1, "ftp", "studio"), delivered}},
		{name: "failed, half delivered", given: []domain.Event{submitted, started, failed, delivering, first},
			delivery: []domain.Event{movie.DeliveryStarted{Run: 2, Worker: "op", At: at}, missed(2, 1, "ftp", "studio"), movie.DeliveryFinished{Run: 2, At: at}}},
		{name: "delivered and expired", given: []domain.Event{submitted, started, made, delivering, first, delivered, gone}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := movie.New("p")
			for _, event := range tt.given {
				m.Apply(event)
			}
			for what, pair := range map[string][2][]domain.Event{
				"drop":     {tt.drop, m.Drop("op", at)},
				"delivery": {tt.delivery, m.DropDelivery("op", at)},
				"purge":    {tt.purge, m.PurgeFile(at)},
			} {
				if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
					t.Errorf("%s (-want +got):\n%s", what, diff)
				}
			}
		})
	}
}
