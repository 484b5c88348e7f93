package commands

import (
	"context"
	"time"

	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
)

// TimeOutRender marks a movie that has been rendering for too long, and closes a marked one that nobody renders any more or that
// has taken twice the time.
type TimeOutRender struct {
	Project domain.ProjectID
	Worker  string // of the caller
	Dead    int    // the attempt whose worker is known to be dead; 0: none
}

// TimeOutRenderHandler handles TimeOutRender.
type TimeOutRenderHandler struct {
	movies  Movies
	timeout time.Duration
}

// NewTimeOutRenderHandler returns a handler. The timeout counts from the movie's first RenderStarted.
func NewTimeOutRenderHandler(log *eventstore.Log, now func() time.Time, timeout time.Duration) TimeOutRenderHandler {
	return TimeOutRenderHandler{movies: NewMovies(log, now), timeout: timeout}
}

// Handle marks or closes the movie, or both. ErrNothingToDo: neither is due.
func (h TimeOutRenderHandler) Handle(ctx context.Context, cmd TimeOutRender) (eventstore.Position, error) {
	d, err := h.movies.Must(ctx, cmd.Project, func(m *movie.Movie, at time.Time) ([]domain.Event, error) {
		return m.TimeOut(cmd.Worker, cmd.Dead, at, h.timeout), nil
	})
	return d.Position, err
}
