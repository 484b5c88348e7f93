package deliveries

import (
	"context"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
)

// FinishDelivery closes a delivery of which every destination has its final result.
type FinishDelivery struct {
	Project domain.ProjectID
	Worker  string
	Run     int
}

// FinishDeliveryHandler handles FinishDelivery.
type FinishDeliveryHandler struct{ movies commands.Movies }

// NewFinishDeliveryHandler returns a handler.
func NewFinishDeliveryHandler(log *eventstore.Log, now func() time.Time) FinishDeliveryHandler {
	return FinishDeliveryHandler{commands.NewMovies(log, now)}
}

// Handle closes the delivery. It is idempotent. ErrNothingToDo: the claim of the run is lost. A destination without a final
// result is an error.
func (h FinishDeliveryHandler) Handle(ctx context.Context, cmd FinishDelivery) (eventstore.Position, error) {
	d, err := h.movies.Decide(ctx, cmd.Project, func(m *movie.Movie, at time.Time) ([]domain.Event, error) {
		return m.FinishDelivery(movie.Claim{Number: cmd.Run, Worker: cmd.Worker}, at)
	})
	return d.Position, err
}
