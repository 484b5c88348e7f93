package commands

import (
	"context"
	"time"

	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
)

// CancelMovie ends a waiting or rendering movie at its owner's request.
type CancelMovie struct {
	Account domain.AccountID
	Project domain.ProjectID
}

// Cancellation is a cancelled movie.
type Cancellation struct {
	At       time.Time
	Position eventstore.Position
}

// CancelMovieHandler handles CancelMovie.
type CancelMovieHandler struct{ movies Movies }

// NewCancelMovieHandler returns a handler.
func NewCancelMovieHandler(log *eventstore.Log, now func() time.Time) CancelMovieHandler {
	return CancelMovieHandler{NewMovies(log, now)}
}

// Handle closes the movie. Afterwards processors release its hold and call its webhook, and the worker that renders the movie
// stops. A movie of another account is NotFound; a movie that has ended or timed out is a Conflict. Decision 32.
func (h CancelMovieHandler) Handle(ctx context.Context, cmd CancelMovie) (Cancellation, error) {
	d, err := h.movies.Must(ctx, cmd.Project, func(m *movie.Movie, at time.Time) ([]domain.Event, error) {
		return m.Cancel(cmd.Account, at)
	})
	if err != nil {
		return Cancellation{}, err
	}
	return Cancellation{At: d.Events[0].(movie.Cancelled).At, Position: d.Position}, nil
}
