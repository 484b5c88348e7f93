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
	// Batch is the id of the batch. Empty: the batch of which the movie Project is a row.
	Batch   batch.ID
	Project domain.ProjectID
	Worker  string // name of the calling process; it distinguishes the calls of several processes
}

// FinishedBatch is a batch that this call has finished.
type FinishedBatch struct {
	ID        batch.ID
	Account   domain.AccountID
	Template  string
	Movies    int // number of valid rows
	Invalid   int // number of invalid rows
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

// openRows remembers, for batches that were checked lately, one movie that was open at the last check. As long as that
// movie is open, the batch has not ended, and its stream with all rows need not be read. A batch of a thousand rows is
// checked a thousand times, once after each movie.
type openRows struct {
	mu   sync.Mutex
	last map[batch.ID]domain.ProjectID
}

// mostOpenRows is the maximum number of remembered batches. When that many are remembered, set forgets them all before it
// remembers a further one.
const mostOpenRows = 1024

func (o *openRows) of(id batch.ID) domain.ProjectID {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.last[id]
}

// set remembers an open movie of a batch; an empty project: no movie is open.
func (o *openRows) set(id batch.ID, project domain.ProjectID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if project == "" {
		delete(o.last, id)
		return
	}
	if _, known := o.last[id]; !known && len(o.last) >= mostOpenRows {
		clear(o.last)
	}
	o.last[id] = project
}

// Handle records that the batch has ended: a cancelled batch when it is wound down, any other when all its movies are
// submitted and none has an open hold. Each movie got its hold before it was submitted and keeps it until its outcome is
// settled, so the last settlement finds no open hold. When several processes call Handle at the same time, one appends the
// event and gets a FinishedBatch. The others get ErrNothingToDo, as does a call for a movie without a batch, while a movie
// is open, or after the end was recorded.
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

// ended reports whether no movie of the batch has an open hold.
func (h FinishBatchHandler) ended(ctx context.Context, id batch.ID, requested batch.Requested) (bool, error) {
	var open domain.ProjectID
	err := h.batches.ledgers.Ask(ctx, requested.Account, func(own *ledger.Ledger) error {
		open = ""
		for _, row := range slices.Backward(requested.Rows) { // the last row's movie is usually rendered last
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

// waits reports whether a batch cannot have ended yet. h.open may remember a movie of the batch whose hold was open at the
// last check; waits returns true when that hold is still open. It returns false when h.open remembers no movie of the
// batch.
func (h FinishBatchHandler) waits(ctx context.Context, account domain.AccountID, id batch.ID) (bool, error) {
	project := h.open.of(id)
	if project == "" {
		return false, nil
	}
	_, held, err := h.batches.ledgers.OpenHold(ctx, account, project)
	if err != nil {
		return false, fmt.Errorf("ask for the hold of %s: %w", project, err)
	}
	return held, nil
}
