package movie

import (
	"time"

	"moviola/domain"
)

// The messages to the owner when an operator has given up a movie, or a destination.
const (
	droppedMessage         = "The movie was given up by the operator of this service. Please submit it again."
	deliveryDroppedMessage = "The delivery was given up by the operator of this service"
)

// Drop ends a movie that cannot be rendered, at an operator's request. The movie fails, or stays timed out. Drop returns no
// event when the movie does not exist or is closed. Design §6: stuck work.
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

// DropDelivery ends a delivery that cannot be made, at an operator's request. Destinations without a result get status error.
// It returns no event when the movie has no delivery, or the delivery has ended. A worker that is delivering loses its claim.
func (m *Movie) DropDelivery(worker string, now time.Time) []domain.Event {
	d := &m.delivery
	if m.closing == nil || len(d.destinations) == 0 || d.finished {
		return nil
	}
	return d.giveUp(DeliveryStarted{Run: d.claim.Number + 1, Worker: worker, At: now}, deliveryDroppedMessage)
}

// PurgeFile deletes the rendered file because its account was closed, or had a balance of zero for too long. It returns no
// event when the movie has no file.
func (m *Movie) PurgeFile(now time.Time) []domain.Event {
	c, closed := m.Closing()
	if !closed || c.FileGone {
		return nil
	}
	return []domain.Event{FileDeleted{Reason: Purged, At: now}}
}
