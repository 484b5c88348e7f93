package preload

import (
	"time"

	"moviola/domain"
)

// droppedMessage is what the owner reads of an item that an operator has given up.
const droppedMessage = "The item was given up by the operator of this service. Please request it again."

// Drop ends an item that cannot be prepared, for an operator: it has failed. It decides nothing when there is no such item, or it has a
// result. Design §6: stuck work.
func (b *Batch) Drop(index int, worker string, now time.Time) []domain.Event {
	result, known := b.Result(index)
	if !known || result != nil {
		return nil
	}
	return b.closing(ItemFinished{
		Index: index, Attempt: b.items[index].claim.Attempt, Worker: worker, Result: Result{Error: droppedMessage}, At: now,
	})
}
