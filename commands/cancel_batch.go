package commands

import (
	"context"
	"time"

	"moviola/domain"
	"moviola/domain/batch"
	"moviola/eventstore"
)

// CancelBatch cancels a batch of movies at its owner's request.
type CancelBatch struct {
	Account domain.AccountID
	Batch   batch.ID
}

// CancelBatchHandler handles CancelBatch.
type CancelBatchHandler struct{ batches movieBatches }

// NewCancelBatchHandler returns a handler.
func NewCancelBatchHandler(log *eventstore.Log, now func() time.Time) CancelBatchHandler {
	return CancelBatchHandler{movieBatches{log: log, now: now}}
}

// Handle cancels the batch. Movies that have ended do not change. A processor cancels all other movies afterwards, and
// releases their holds. A batch that has finished without being cancelled is a Conflict. Handle is idempotent.
func (h CancelBatchHandler) Handle(ctx context.Context, cmd CancelBatch) (eventstore.Position, error) {
	_, appended, err := h.batches.decide(ctx, cmd.Account, cmd.Batch, func(b *batch.Batch, at time.Time) ([]domain.Event, error) {
		return b.Cancel(cmd.Batch, cmd.Account, at)
	})
	return appended.Position, err
}
