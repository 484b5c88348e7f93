package movie

import (
	"time"

	"moviola/domain"
)

// What the owner reads of a movie, and of a destination, that an operator has given up.
const (
	droppedMessage         = "The movie was given up by the operator of this service. Please submit it again."
	deliveryDroppedMessage = "The delivery was given up by the operator of this service"
)

// Drop ends a movie that cannot be rendered, for an operator: it has failed. It decides nothing when the movie is not there or has
// ended. Design §6: stuck work.
func (m *Movie) Drop(worker string, now time.Time) []domain.Event {
	if m.submitted == nil || m.closing != nil {
		return nil
	}
	message := droppedMessage
	if m.timedOut {
		message = timeoutMessage
	}
	return []domain.Event{m.failure(worker, message, now)}
}

// DropDelivery ends a delivery that cannot be made, for an operator: what has no result yet gets status error. It decides nothing when
// there is no delivery, or it has ended. Whoever delivers loses the claim.
func (m *Movie) DropDelivery(worker string, now time.Time) []domain.Event {
	d := &m.delivery
	if m.closing == nil || len(d.destinations) == 0 || d.finished {
		return nil
	}
	return d.giveUp(DeliveryStarted{Run: d.claim.Number + 1, Worker: worker, At: now}, deliveryDroppedMessage)
}

// PurgeFile removes the rendered file because of what has become of its account: a balance at zero for too long, or its closing. It
// decides nothing when there is no file (any more).
func (m *Movie) PurgeFile(now time.Time) []domain.Event {
	c, closed := m.Closing()
	if !closed || c.FileGone {
		return nil
	}
	return []domain.Event{FileDeleted{Reason: Purged, At: now}}
}
