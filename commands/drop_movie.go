package commands

import (
	"context"
	"time"

	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
)

// DropMovie ends a movie that cannot be rendered, for an operator.
type DropMovie struct {
	Project domain.ProjectID
	Worker  string // id of the calling process
}

// DropMovieHandler handles DropMovie.
type DropMovieHandler struct{ movies Movies }

// NewDropMovieHandler returns a handler.
func NewDropMovieHandler(log *eventstore.Log, now func() time.Time) DropMovieHandler {
	return DropMovieHandler{NewMovies(log, now)}
}

// Handle closes the movie as failed. Afterwards processors release its hold and call its webhook. ErrNothingToDo: the movie does
// not exist, or has ended.
func (h DropMovieHandler) Handle(ctx context.Context, cmd DropMovie) (eventstore.Position, error) {
	d, err := h.movies.Must(ctx, cmd.Project, func(m *movie.Movie, at time.Time) ([]domain.Event, error) {
		return m.Drop(cmd.Worker, at), nil
	})
	return d.Position, err
}
