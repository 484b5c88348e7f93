package commands

import (
	"context"
	"fmt"

	"moviola/commands/ledgers"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/ledger"
	"moviola/domain/movie"
	"moviola/eventstore"
)

// SettleMovie ends the hold of a movie that has an outcome.
type SettleMovie struct {
	Account domain.AccountID
	Project domain.ProjectID
}

// SettleMovieHandler handles SettleMovie.
type SettleMovieHandler struct {
	movies  Movies
	ledgers *ledgers.Ledgers
	files   Files
}

// NewSettleMovieHandler returns a handler.
func NewSettleMovieHandler(log *eventstore.Log, ledgers *ledgers.Ledgers, files Files) SettleMovieHandler {
	return SettleMovieHandler{movies: NewMovies(log, nil), ledgers: ledgers, files: files}
}

// Handle ends the hold or, on counted plans, the count of a movie. The movie's first outcome decides. After a success in time the
// hold is charged. After any other outcome it is released, also after a success that came after the timeout (decision 19). A
// movie whose file was copied from the cache costs nothing, but is counted (decision 20). The document of an abandoned submission
// is removed first. Handle is idempotent. ErrNothingToDo: the movie has no outcome yet.
func (h SettleMovieHandler) Handle(ctx context.Context, cmd SettleMovie) error {
	m, err := h.movies.Load(ctx, cmd.Project)
	if err != nil {
		return err
	}
	settle := ledgers.Settle{Account: cmd.Account, Project: cmd.Project, How: ledger.GiveBack, Reason: string(m.Outcome())}
	switch m.Outcome() {
	case movie.NoOutcome:
		return ErrNothingToDo
	case movie.Succeeded:
		settle.How = ledger.Spend
		if closing, _ := m.Closing(); closing.Cached {
			settle.How, settle.Reason = ledger.KeepOnly, ledger.Cached
		}
	case movie.Abandoned:
		if err := h.files.Delete(ctx, blobkey.Document(cmd.Account, cmd.Project)); err != nil {
			return fmt.Errorf("delete the document of %s: %w", cmd.Project, err)
		}
	}
	if _, err = h.ledgers.Settle(ctx, settle); err != nil {
		return fmt.Errorf("settle movie %s: %w", cmd.Project, err)
	}
	return h.ledgers.Snapshot(ctx, cmd.Account)
}
