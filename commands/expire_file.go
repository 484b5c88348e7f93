package commands

import (
	"context"
	"time"

	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
)

// ExpireFile removes the rendered files of a movie whose retention has ended.
type ExpireFile struct{ Project domain.ProjectID }

// ExpireFileHandler handles ExpireFile.
type ExpireFileHandler struct {
	movies    Movies
	files     Files
	retention time.Duration
}

// NewExpireFileHandler returns a handler. retention is how long files are kept after the end of the render.
func NewExpireFileHandler(log *eventstore.Log, files Files, now func() time.Time, retention time.Duration) ExpireFileHandler {
	return ExpireFileHandler{movies: NewMovies(log, now), files: files, retention: retention}
}

// Handle removes every rendered file of the movie and records the removal; the movie itself stays in lists. ErrNothingToDo:
// the movie has no files, or they are not due for removal, or already removed. Spec: Limits, Retention.
func (h ExpireFileHandler) Handle(ctx context.Context, cmd ExpireFile) (eventstore.Position, error) {
	d, err := h.movies.Must(ctx, cmd.Project, func(m *movie.Movie, at time.Time) ([]domain.Event, error) {
		events := m.ExpireFile(at, h.retention)
		if len(events) == 0 {
			return nil, nil
		}
		return events, removeRendered(ctx, h.files, cmd.Project)
	})
	return d.Position, err
}
