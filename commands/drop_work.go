package commands

import (
	"context"
	"time"

	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
)

// DropMovie ends a movie that cannot be rendered, for an operator.
type DropMovie struct {
	Project domain.ProjectID
	Worker  string // of the caller
}

// DropDelivery ends a delivery that cannot be made, for an operator.
type DropDelivery struct {
	Project domain.ProjectID
	Worker  string // of the caller
}

// DropWorkHandler handles DropMovie and DropDelivery.
type DropWorkHandler struct{ movies movies }

// NewDropWorkHandler returns a handler.
func NewDropWorkHandler(log *eventstore.Log, now func() time.Time) DropWorkHandler {
	return DropWorkHandler{movies: movies{log, now}}
}

// Movie closes the movie as failed; its hold is given back, its webhook goes out. ErrNothingToDo: it is not there, or has ended.
func (h DropWorkHandler) Movie(ctx context.Context, cmd DropMovie) (eventstore.Position, error) {
	d, err := h.movies.must(ctx, cmd.Project, func(m *movie.Movie, at time.Time) ([]domain.Event, error) {
		return m.Drop(cmd.Worker, at), nil
	})
	return d.Position, err
}

// Delivery ends the delivery: what has no result yet has failed. ErrNothingToDo: there is none, or it has ended.
func (h DropWorkHandler) Delivery(ctx context.Context, cmd DropDelivery) (eventstore.Position, error) {
	d, err := h.movies.must(ctx, cmd.Project, func(m *movie.Movie, at time.Time) ([]domain.Event, error) {
		return m.DropDelivery(cmd.Worker, at), nil
	})
	return d.Position, err
}
