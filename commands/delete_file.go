package commands

import (
	"context"
	"fmt"
	"time"

	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
)

// DeleteFile deletes the rendered files of a movie at its owner's request.
type DeleteFile struct {
	Account domain.AccountID
	Project domain.ProjectID
}

// Deletion is the result of deleting the rendered files of a movie.
type Deletion struct {
	At       time.Time // time of the first deletion
	Position eventstore.Position
}

// DeleteFileHandler handles DeleteFile.
type DeleteFileHandler struct {
	movies Movies
	files  Files
}

// NewDeleteFileHandler returns a handler.
func NewDeleteFileHandler(log *eventstore.Log, files Files, now func() time.Time) DeleteFileHandler {
	return DeleteFileHandler{movies: NewMovies(log, now), files: files}
}

// Handle deletes the movie's rendered files. A repeated call returns the time of the first deletion. The movie itself stays
// in lists. Handle refuses a movie that does not exist or belongs to another account, a movie that waits or renders, and a
// movie whose files cannot be removed now; after a refusal nothing is recorded. Spec: DELETE /movies.
func (h DeleteFileHandler) Handle(ctx context.Context, cmd DeleteFile) (Deletion, error) {
	_, err := h.movies.Decide(ctx, cmd.Project, func(m *movie.Movie, at time.Time) ([]domain.Event, error) {
		events, err := m.DeleteFile(cmd.Account, at)
		if err != nil || len(events) == 0 {
			return nil, err
		}
		return events, h.removeFiles(ctx, cmd.Project)
	})
	if err != nil {
		return Deletion{}, err
	}
	return h.recorded(ctx, cmd.Project)
}

// removeFiles removes the rendered files. When that fails, its error has the text of the specification.
func (h DeleteFileHandler) removeFiles(ctx context.Context, project domain.ProjectID) error {
	err := removeRendered(ctx, h.files, project)
	if err == nil {
		return nil
	}
	refusal := domain.Errorf(domain.Internal, "movie_files_not_deleted", "Error deleting the movie files. Please try again.")
	return fmt.Errorf("delete the files: %w: %w", refusal, err)
}

// recorded reads when the file was deleted. Of two concurrent deletions, the store takes the second append for a retry of the
// first, so the time must be read from the stream.
func (h DeleteFileHandler) recorded(ctx context.Context, project domain.ProjectID) (Deletion, error) {
	m := movie.New(project)
	at, err := h.movies.log.CatchUp(ctx, movie.Stream(project), eventstore.Appended{Revision: eventstore.NoStream}, m.Apply)
	if err != nil {
		return Deletion{}, fmt.Errorf("load movie %s: %w", project, err)
	}
	if m.DeletedAt().IsZero() {
		return Deletion{}, fmt.Errorf("load movie %s: %w", project, ErrUnseen)
	}
	return Deletion{At: m.DeletedAt(), Position: at.Position}, nil
}
