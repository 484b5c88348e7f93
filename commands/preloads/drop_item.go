package preloads

import (
	"context"
	"time"

	"moviola/domain"
	"moviola/domain/preload"
	"moviola/eventstore"
)

// DropItem ends an item of a preload batch that cannot be prepared, for an operator.
type DropItem struct {
	Preload preload.ID
	Index   int
	Worker  string // name of the calling process
}

// DropItemHandler handles DropItem.
type DropItemHandler struct{ batches preloadStreams }

// NewDropItemHandler returns a handler.
func NewDropItemHandler(log *eventstore.Log, now func() time.Time) DropItemHandler {
	return DropItemHandler{batches: preloadStreams{log: log, now: now}}
}

// Handle closes the item as failed. Its hold is then released. ErrNothingToDo: the item does not
// exist, or has a result.
func (h DropItemHandler) Handle(ctx context.Context, cmd DropItem) (eventstore.Position, error) {
	d, err := h.batches.decide(ctx, "", cmd.Preload, func(b *preload.Preload) ([]domain.Event, error) {
		return b.Drop(cmd.Index, cmd.Worker, h.batches.now.Stamp()), nil
	})
	return d.Position, err
}
