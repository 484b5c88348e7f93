package movie_test

import (
	"encoding/json"
	"strings"
	"testing"

	"moviola/domain"
	"moviola/domain/movie"
)

// No message makes an event that the store refuses, because the work that ends with it would be repeated for ever.
func TestMovie_EventsAreSmall(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ü<", 1<<20)
	render := func(m *movie.Movie) ([]domain.Event, error) {
		return m.FinishRender(claim(1), movie.Result{Message: long, Warnings: []string{long, long}}, after(2))
	}
	tests := map[string]struct {
		given []domain.Event
		do    func(m *movie.Movie) ([]domain.Event, error)
	}{
		"submission": {do: func(m *movie.Movie) ([]domain.Event, error) {
			return m.Submit(movie.Submitted{Warnings: []string{long}})
		}},
		"render": {history(submitted, started(1)), render},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := movie.New("Abcdefgh12345678")
			for _, e := range tt.given {
				m.Apply(e)
			}
			events, err := tt.do(m)
			if err != nil || len(events) == 0 {
				t.Fatalf("events %d, %v", len(events), err)
			}
			for _, e := range events {
				if data, err := json.Marshal(e); err != nil || len(data) > 50_000 {
					t.Errorf("%s has %d bytes, %v", e.EventType(), len(data), err)
				}
			}
		})
	}
}
