package deliveries

import (
	"context"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
)

// RequestRedelivery requests, for the owner of a movie, that the movie is delivered again.
type RequestRedelivery struct {
	Account domain.AccountID
	Project domain.ProjectID
	Index   *int // index of one destination; nil: all destinations
}

// RequestRedeliveryHandler handles RequestRedelivery.
type RequestRedeliveryHandler struct{ movies commands.Movies }

// NewRequestRedeliveryHandler returns a handler.
func NewRequestRedeliveryHandler(log *eventstore.Log, now func() time.Time) RequestRedeliveryHandler {
	return RequestRedeliveryHandler{commands.NewMovies(log, now)}
}

// Handle opens the delivery again. A movie of another account is NotFound; a destination that does not exist is Invalid; an
// open delivery, or a movie that has not ended, is a Conflict. Design §9.
func (h RequestRedeliveryHandler) Handle(ctx context.Context, cmd RequestRedelivery) (eventstore.Position, error) {
	d, err := h.movies.Must(ctx, cmd.Project, func(m *movie.Movie, at time.Time) ([]domain.Event, error) {
		return m.RequestRedelivery(cmd.Account, cmd.Index, at)
	})
	return d.Position, err
}
