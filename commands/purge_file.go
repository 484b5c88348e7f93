package commands

import (
	"context"
	"fmt"
	"time"

	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
)

// PurgeFile removes the rendered files of a movie because its account was purged or closed.
type PurgeFile struct {
	Project domain.ProjectID
	// Before is a position in the log: files that were rendered after it stay. Zero: all files are removed.
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

// Handle removes the files and records the removal; the movie itself stays in lists. ErrNothingToDo: the files do not exist (any
// more), or were rendered after Before. Design §6: a purge removes only what is in the log before its ZeroBalancePurged.
func (h PurgeFileHandler) Handle(ctx context.Context, cmd PurgeFile) error {
	if cmd.Before != (eventstore.Position{}) {
		made, err := h.madeAt(ctx, cmd.Project)
		if err != nil {
			return err
		}
		if made == (eventstore.Position{}) || made.Compare(cmd.Before) >= 0 { // never rendered, or rendered after the purge
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

// madeAt returns the position in the log of the event RenderFinished by which the movie got its files. A movie has at most one
// such event.
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
