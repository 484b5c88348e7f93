package deliveries

import (
	"context"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
)

// ReleaseDelivery releases the claim of a run whose worker is shutting down. The run does not count
// as crashed.
type ReleaseDelivery struct {
	Project domain.ProjectID
	Worker  string
	Run     int
	Spent   time.Duration // time since the run's previous event, as far as it counts towards the time limit for all destinations
}

// ReleaseDeliveryHandler handles ReleaseDelivery.
type ReleaseDeliveryHandler struct{ movies commands.Movies }

// NewReleaseDeliveryHandler returns a handler.
func NewReleaseDeliveryHandler(log *eventstore.Log, now func() time.Time) ReleaseDeliveryHandler {
	return ReleaseDeliveryHandler{commands.NewMovies(log, now)}
}

// Handle releases the claim. It is idempotent. ErrNothingToDo: the claim is lost, or the delivery has ended.
func (h ReleaseDeliveryHandler) Handle(ctx context.Context, cmd ReleaseDelivery) (eventstore.Position, error) {
	d, err := h.movies.Decide(ctx, cmd.Project, func(m *movie.Movie, at time.Time) ([]domain.Event, error) {
		return m.ReleaseDelivery(movie.Claim{Number: cmd.Run, Worker: cmd.Worker}, cmd.Spent, at)
	})
	return d.Position, err
}
