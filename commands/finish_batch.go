package commands

import (
	"context"
	"fmt"
	"slices"
	"time"

	"moviola/commands/ledgers"
	"moviola/domain"
	"moviola/domain/batch"
	"moviola/domain/ledger"
	"moviola/eventstore"
)

// FinishBatch records that every movie of a batch has ended.
type FinishBatch struct {
	// Batch is the batch; empty: the one that made the movie Project.
	Batch   batch.ID
	Project domain.ProjectID
	Worker  string // tells the calls of several processes apart
}

// FinishedBatch is a batch that this call has finished.
type FinishedBatch struct {
	ID        batch.ID
	Account   domain.AccountID
	Template  string
	Movies    int // rows of which a movie was to be made
	Invalid   int // rows of which none could be made
	Cancelled bool
	At        time.Time
	Position  eventstore.Position
}

// FinishBatchHandler handles FinishBatch.
type FinishBatchHandler struct {
	movies  Movies
	batches movieBatches
}

// NewFinishBatchHandler returns a handler.
func NewFinishBatchHandler(log *eventstore.Log, own *ledgers.Ledgers, now func() time.Time) FinishBatchHandler {
	return FinishBatchHandler{
		movies: NewMovies(log, now), batches: movieBatches{log: log, now: eventstore.Clock(now), ledgers: own},
	}
}

// Handle records the end. Every movie has ended when none of the batch has an open hold: each got one before it was submitted,
// and keeps it until its outcome is settled. So the settlement that comes last in the ledger finds none, and of several calls one
// appends the event: only that one gets a FinishedBatch. ErrNothingToDo: a movie is open, or the end was recorded before.
func (h FinishBatchHandler) Handle(ctx context.Context, cmd FinishBatch) (FinishedBatch, error) {
	id := cmd.Batch
	if id == "" {
		m, err := h.movies.Load(ctx, cmd.Project)
		if err != nil {
			return FinishedBatch{}, err
		}
		s, _ := m.Submitted()
		if id = s.Batch; id == "" {
			return FinishedBatch{}, ErrNothingToDo
		}
	}
	b, _, err := h.batches.load(ctx, id)
	if err != nil {
		return FinishedBatch{}, err
	}
	if !b.MayFinish(true) {
		return FinishedBatch{}, ErrNothingToDo
	}
	requested, _ := b.Requested()
	ended, err := h.ended(ctx, id, requested)
	if err != nil || !b.MayFinish(ended) {
		return FinishedBatch{}, orNothing(err)
	}
	var at time.Time
	first := false
	b, appended, err := h.batches.decide(ctx, requested.Account, id, func(b *batch.Batch, now time.Time) ([]domain.Event, error) {
		events := b.Finish(ended, cmd.Worker, now)
		first, at = len(events) > 0, now
		return events, nil
	})
	if err != nil || !first {
		return FinishedBatch{}, orNothing(err)
	}
	return FinishedBatch{
		ID: id, Account: requested.Account, Template: requested.Template, Movies: len(requested.Rows),
		Invalid: len(requested.Flaws), Cancelled: b.Cancelled(), At: at, Position: appended.Position,
	}, nil
}

func orNothing(err error) error {
	if err != nil {
		return err
	}
	return ErrNothingToDo
}

// ended says whether no movie of the batch has an open hold.
func (h FinishBatchHandler) ended(ctx context.Context, id batch.ID, requested batch.Requested) (bool, error) {
	open := false
	err := h.batches.ledgers.Ask(ctx, requested.Account, func(own *ledger.Ledger) error {
		open = slices.ContainsFunc(requested.Rows, func(row batch.Row) bool {
			_, _, held := own.OpenHold(batch.Project(id, row.Number))
			return held
		})
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("ask for the holds of batch %s: %w", id, err)
	}
	return !open, nil
}
