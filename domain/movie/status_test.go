package movie_test

import (
	"testing"

	"moviola/domain"
	"moviola/domain/movie"
)

func TestStanding(t *testing.T) {
	const late, cancelled = "Movie took too long to render", "Movie was cancelled"
	started := movie.RenderStarted{Attempt: 1}
	tests := []struct {
		name   string
		events []domain.Event
		want   movie.Standing
	}{
		{"nothing", nil, movie.Standing{}},
		{"submitted", []domain.Event{movie.Submitted{}}, movie.Standing{Status: movie.Pending}},
		{"abandoned", []domain.Event{movie.SubmissionAbandoned{}}, movie.Standing{}},
		{"its sources are fetched", []domain.Event{movie.Submitted{}, movie.SourcesFetchStarted{}}, movie.Standing{Status: movie.Pending}},
		{"started", []domain.Event{movie.Submitted{}, started}, movie.Standing{Status: movie.Running}},
		{"handed back", []domain.Event{movie.Submitted{}, started, movie.RenderReleased{}}, movie.Standing{Status: movie.Running}},
		{"done", []domain.Event{movie.Submitted{}, started, movie.RenderFinished{Success: true}}, movie.Standing{Status: movie.Done}},
		{"failed", []domain.Event{movie.Submitted{}, started, movie.RenderFinished{Message: "no"}}, movie.Standing{Status: movie.Failed, Message: "no"}},
		{"late", []domain.Event{movie.Submitted{}, started, movie.RenderTimedOut{}}, movie.Standing{Status: movie.Timeout, Message: late}},
		{"late, started again", []domain.Event{movie.Submitted{}, started, movie.RenderTimedOut{}, started}, movie.Standing{Status: movie.Timeout, Message: late}},
		{"late, then done", []domain.Event{movie.Submitted{}, started, movie.RenderTimedOut{}, movie.RenderFinished{Success: true}}, movie.Standing{Status: movie.Done}},
		{
			"late, then failed", []domain.Event{movie.Submitted{}, started, movie.RenderTimedOut{}, movie.RenderFinished{Message: "no"}},
			movie.Standing{Status: movie.Timeout, Message: late},
		},
		{"cancelled", []domain.Event{movie.Submitted{}, movie.Cancelled{}}, movie.Standing{Status: movie.Failed, Message: cancelled}},
		{
			"its file deleted", []domain.Event{movie.Submitted{}, started, movie.RenderFinished{Success: true}, movie.FileDeleted{}},
			movie.Standing{Status: movie.Done},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got movie.Standing
			for _, event := range tt.events {
				got = got.After(event)
			}
			if got != tt.want {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
}
