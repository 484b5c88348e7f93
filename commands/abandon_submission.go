package commands

import (
	"context"
	"fmt"
	"time"

	"moviola/commands/ledgers"
	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
)

// AbandonSubmission closes a submission that has a hold but never became a movie.
type AbandonSubmission struct {
	Account domain.AccountID
	Project domain.ProjectID
}

// AbandonSubmissionConfig is what NewAbandonSubmissionHandler needs. Every field is required.
type AbandonSubmissionConfig struct {
	Log     *eventstore.Log
	Ledgers *ledgers.Ledgers
	Settle  SettleMovieHandler
	Now     func() time.Time
	// Age is the minimum age of an abandoned hold. It is longer than a submission may take until MovieSubmitted is appended.
	Age time.Duration
}

// AbandonSubmissionHandler handles AbandonSubmission.
type AbandonSubmissionHandler struct {
	movies  Movies
	ledgers *ledgers.Ledgers
	settle  SettleMovieHandler
	age     time.Duration
}

// NewAbandonSubmissionHandler returns a handler.
func NewAbandonSubmissionHandler(cfg AbandonSubmissionConfig) AbandonSubmissionHandler {
	return AbandonSubmissionHandler{
		movies:  NewMovies(cfg.Log, cfg.Now),
		ledgers: cfg.Ledgers,
		settle:  cfg.Settle,
		age:     cfg.Age,
	}
}

// Handle abandons a submission that was never completed. First it appends an event to the movie's stream: after that
// event MovieSubmitted can no longer be appended. Then it removes the movie's stored document and releases the hold. If
// the movie was submitted all the same, Handle abandons nothing, and ends the hold according to the movie's outcome.
// Handle returns ErrNothingToDo when no hold is open, when the hold is younger than AbandonSubmissionConfig.Age, or when
// the movie was submitted and has no outcome yet.
func (h AbandonSubmissionHandler) Handle(ctx context.Context, cmd AbandonSubmission) error {
	held, open, err := h.ledgers.OpenHold(ctx, cmd.Account, cmd.Project)
	if err != nil {
		return fmt.Errorf("look for the hold of %s: %w", cmd.Project, err)
	}
	if !open || h.movies.now.Stamp().Before(held.Add(h.age)) {
		return ErrNothingToDo
	}
	_, err = h.movies.DecideFor(ctx, cmd.Account, cmd.Project, func(m *movie.Movie, at time.Time) ([]domain.Event, error) {
		return m.Abandon(cmd.Account, at), nil
	})
	if err != nil {
		return err
	}
	return h.settle.Handle(ctx, SettleMovie(cmd))
}
