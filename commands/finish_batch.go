package commands

import (
	"context"
	"fmt"
	"slices"
	"sync"
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
	open    *openRows
}

// NewFinishBatchHandler returns a handler.
func NewFinishBatchHandler(log *eventstore.Log, own *ledgers.Ledgers, now func() time.Time) FinishBatchHandler {
	return FinishBatchHandler{
		movies: NewMovies(log, now), batches: movieBatches{log: log, now: eventstore.Clock(now), ledgers: own},
		open: &openRows{last: map[batch.ID]domain.ProjectID{}},
	}
}

// openRows remembers a movie of each batch that was open when it was looked for. As long as it is, the batch has not ended, and
// its stream with all rows need not be read: a batch of a thousand rows has a thousand movies after which somebody asks.
type openRows struct {
	mu   sync.Mutex
	last map[batch.ID]domain.ProjectID
}

// mostOpenRows bounds what is remembered; beyond it, all of it is forgotten.
const mostOpenRows = 1024

func (o *openRows) of(id batch.ID) domain.ProjectID {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.last[id]
}

// set remembers a movie of a batch; empty: none is open.
func (o *openRows) set(id batch.ID, project domain.ProjectID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.last) >= mostOpenRows {
		clear(o.last)
	}
	delete(o.last, id)
	if project != "" {
		o.last[id] = project
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
		if waits, err := h.waits(ctx, s.Account, id); err != nil || waits {
			return FinishedBatch{}, orNothing(err)
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
	var open domain.ProjectID
	err := h.batches.ledgers.Ask(ctx, requested.Account, func(own *ledger.Ledger) error {
		open = ""
		for _, row := range slices.Backward(requested.Rows) { // the last one is rendered last
			project := batch.Project(id, row.Number)
			if _, _, held := own.OpenHold(project); held {
				open = project
				break
			}
		}
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("ask for the holds of batch %s: %w", id, err)
	}
	h.open.set(id, open)
	return open == "", nil
}

// waits says whether the movie of a batch that was open is open still.
func (h FinishBatchHandler) waits(ctx context.Context, account domain.AccountID, id batch.ID) (held bool, err error) {
	project := h.open.of(id)
	if project == "" {
		return false, nil
	}
	err = h.batches.ledgers.Ask(ctx, account, func(own *ledger.Ledger) error {
		_, _, held = own.OpenHold(project)
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("ask for the hold of %s: %w", project, err)
	}
	return held, nil
}
