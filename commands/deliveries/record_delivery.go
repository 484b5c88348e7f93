package deliveries

import (
	"context"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
)

// RecordDelivery records one try at a destination. The try belongs to a delivery run of the movie Project, which Worker has
// claimed. Attempt describes the try; its field At stays empty, because Handle sets it.
type RecordDelivery struct {
	Project domain.ProjectID
	Worker  string
	Attempt movie.DeliveryAttempted
	Known   *commands.KnownMovie // movie as it was when the run was claimed; nil: the movie's stream is read
}

// RecordDeliveryHandler handles RecordDelivery.
type RecordDeliveryHandler struct{ movies commands.Movies }

// NewRecordDeliveryHandler returns a handler.
func NewRecordDeliveryHandler(log *eventstore.Log, now func() time.Time) RecordDeliveryHandler {
	return RecordDeliveryHandler{commands.NewMovies(log, now)}
}

// Handle records the try. It is idempotent. ErrNothingToDo: the claim of the run is lost.
func (h RecordDeliveryHandler) Handle(ctx context.Context, cmd RecordDelivery) (eventstore.Position, error) {
	d, err := h.movies.DecideAfter(ctx, cmd.Known, cmd.Project, func(m *movie.Movie, at time.Time) ([]domain.Event, error) {
		try := cmd.Attempt
		try.At = at
		return m.RecordDelivery(cmd.Worker, try)
	})
	return d.Position, err
}
