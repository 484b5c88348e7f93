package commands

import (
	"context"
	"time"

	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
)

// TimeOutRender times out a movie that has been rendering for too long. It closes a timed-out movie when no worker renders the
// movie any more and the movie does not wait for its next slot, or at twice the time limit.
type TimeOutRender struct {
	Project domain.ProjectID
	Worker  string // id of the calling process
	Dead    int    // number of the attempt whose worker is known to be dead; 0: none
}

// TimeOutRenderHandler handles TimeOutRender.
type TimeOutRenderHandler struct {
	movies  Movies
	timeout time.Duration
}

// NewTimeOutRenderHandler returns a handler. The timeout runs from the movie's first RenderStarted.
func NewTimeOutRenderHandler(log *eventstore.Log, now func() time.Time, timeout time.Duration) TimeOutRenderHandler {
	return TimeOutRenderHandler{movies: NewMovies(log, now), timeout: timeout}
}

// Handle times out or closes the movie, or both. ErrNothingToDo: neither is due.
func (h TimeOutRenderHandler) Handle(ctx context.Context, cmd TimeOutRender) (eventstore.Position, error) {
	d, err := h.movies.Must(ctx, cmd.Project, func(m *movie.Movie, at time.Time) ([]domain.Event, error) {
		return m.TimeOut(cmd.Worker, cmd.Dead, at, h.timeout), nil
	})
	return d.Position, err
}
