package commands

import (
	"context"
	"time"

	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
)

// ReleaseRender releases the claim of a render that has run out of memory, or whose worker is shutting down or must give
// its slot to other work. The attempt does not count as crashed. A render that has run out of memory as the only work in
// its process is not released, but fails.
type ReleaseRender struct {
	Project domain.ProjectID
	Attempt int
	Worker  string
	Memory  bool // the kernel killed a child process of the attempt for want of memory
	Shared  bool // another account waits for the slot
}

// ReleaseRenderHandler handles ReleaseRender.
type ReleaseRenderHandler struct{ movies Movies }

// NewReleaseRenderHandler returns a handler.
func NewReleaseRenderHandler(log *eventstore.Log, now func() time.Time) ReleaseRenderHandler {
	return ReleaseRenderHandler{NewMovies(log, now)}
}

// Handle releases the claim. It is idempotent. When the attempt ran out of memory although it was alone in its process, Handle
// closes the movie. ErrNothingToDo: the claim is lost, or the movie is closed.
func (h ReleaseRenderHandler) Handle(ctx context.Context, cmd ReleaseRender) (eventstore.Position, error) {
	d, err := h.movies.Decide(ctx, cmd.Project, func(m *movie.Movie, at time.Time) ([]domain.Event, error) {
		return m.ReleaseRender(movie.Claim{Number: cmd.Attempt, Worker: cmd.Worker}, cmd.Memory, cmd.Shared, at)
	})
	return d.Position, err
}
