package commands

import (
	"context"
	"fmt"
	"time"

	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
)

// PurgeFile removes the rendered file of a movie because of what has become of its account.
type PurgeFile struct {
	Project domain.ProjectID
	// Before is the place in the log that the removal stops at: a file that was made later stays. Zero: every file goes.
	Before eventstore.Position
}

// PurgeFileHandler handles PurgeFile.
type PurgeFileHandler struct {
	movies Movies
	files  Files
}

// NewPurgeFileHandler returns a handler.
func NewPurgeFileHandler(log *eventstore.Log, files Files, now func() time.Time) PurgeFileHandler {
	return PurgeFileHandler{movies: NewMovies(log, now), files: files}
}

// Handle removes the file and records it; the movie's entry stays. ErrNothingToDo: there is none (any more), or it is later.
// Design §6: a purge removes only what stands in the log before its ZeroBalancePurged.
func (h PurgeFileHandler) Handle(ctx context.Context, cmd PurgeFile) error {
	if cmd.Before != (eventstore.Position{}) {
		made, err := h.madeAt(ctx, cmd.Project)
		if err != nil {
			return err
		}
		if made == (eventstore.Position{}) || made.Compare(cmd.Before) >= 0 { // none was made, as far as can be seen
			return ErrNothingToDo
		}
	}
	_, err := h.movies.Must(ctx, cmd.Project, func(m *movie.Movie, at time.Time) ([]domain.Event, error) {
		events := m.PurgeFile(at)
		if len(events) == 0 {
			return nil, nil
		}
		return events, removeRendered(ctx, h.files, cmd.Project)
	})
	return err
}

// madeAt is the place in the log of the render that made the movie's file. A movie is finished once.
func (h PurgeFileHandler) madeAt(ctx context.Context, project domain.ProjectID) (eventstore.Position, error) {
	var made eventstore.Position
	for recorded, err := range h.movies.log.Store().ReadStream(ctx, movie.Stream(project), eventstore.Forwards, 0) {
		if err != nil {
			return made, fmt.Errorf("load movie %s: %w", project, err)
		}
		if recorded.Type == (movie.RenderFinished{}).EventType() {
			made = recorded.Position
		}
	}
	return made, nil
}
