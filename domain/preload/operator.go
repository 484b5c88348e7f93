package preload

import (
	"time"

	"moviola/domain"
)

// droppedMessage is the message to the owner of an item that an operator has given up.
const droppedMessage = "The item was given up by the operator of this service. Please request it again."

// Drop ends an item that cannot be prepared, at an operator's request. The item fails. It returns no event when the item does
// not exist or has a result. Design §6: stuck work.
func (b *Preload) Drop(index int, worker string, now time.Time) []domain.Event {
	result, known := b.Result(index)
	if !known || result != nil {
		return nil
	}
	return b.closing(ItemFinished{
		Index: index, Attempt: b.items[index].claim.Attempt, Worker: worker, Result: Result{Error: droppedMessage}, At: now,
	})
}
