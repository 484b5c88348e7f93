package deliveries

import (
	"context"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
)

// DropDelivery ends a delivery that cannot succeed, for an operator.
type DropDelivery struct {
	Project domain.ProjectID
	Worker  string // name of the calling process
}

// DropDeliveryHandler handles DropDelivery.
type DropDeliveryHandler struct{ movies commands.Movies }

// NewDropDeliveryHandler returns a handler.
func NewDropDeliveryHandler(log *eventstore.Log, now func() time.Time) DropDeliveryHandler {
	return DropDeliveryHandler{commands.NewMovies(log, now)}
}

// Handle ends the delivery: destinations without a final result fail. ErrNothingToDo: there is no delivery, or it has ended.
func (h DropDeliveryHandler) Handle(ctx context.Context, cmd DropDelivery) (eventstore.Position, error) {
	d, err := h.movies.Must(ctx, cmd.Project, func(m *movie.Movie, at time.Time) ([]domain.Event, error) {
		return m.DropDelivery(cmd.Worker, at), nil
	})
	return d.Position, err
}
