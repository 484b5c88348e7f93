package commands

import (
	"context"
	"time"

	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
)

// RecordDelivery records one try of the caller's run. The try's number follows from the claim: Tries + 1. Its At is set here.
type RecordDelivery struct {
	Project domain.ProjectID
	Worker  string
	Attempt movie.DeliveryAttempted
	Known   *KnownMovie // of the claim; nil: the stream is read
}

// RecordDeliveryHandler handles RecordDelivery.
type RecordDeliveryHandler struct{ movies movies }

// NewRecordDeliveryHandler returns a handler.
func NewRecordDeliveryHandler(log *eventstore.Log, now func() time.Time) RecordDeliveryHandler {
	return RecordDeliveryHandler{movies{log, now}}
}

// Handle records the try. Doing it again changes nothing. ErrNothingToDo: the run is lost.
func (h RecordDeliveryHandler) Handle(ctx context.Context, cmd RecordDelivery) (eventstore.Position, error) {
	d, err := h.movies.decideAfter(ctx, cmd.Known, cmd.Project, func(m *movie.Movie, at time.Time) ([]domain.Event, error) {
		try := cmd.Attempt
		try.At = at
		return m.RecordDelivery(cmd.Worker, try)
	})
	return d.Position, err
}

// ReleaseDelivery hands a run back: its worker is shutting down. The run does not count as crashed.
type ReleaseDelivery struct {
	Project domain.ProjectID
	Worker  string
	Run     int
}

// ReleaseDeliveryHandler handles ReleaseDelivery.
type ReleaseDeliveryHandler struct{ movies movies }

// NewReleaseDeliveryHandler returns a handler.
func NewReleaseDeliveryHandler(log *eventstore.Log, now func() time.Time) ReleaseDeliveryHandler {
	return ReleaseDeliveryHandler{movies{log, now}}
}

// Handle hands the run back. Doing it again changes nothing. ErrNothingToDo: the run is lost, or the delivery has ended.
func (h ReleaseDeliveryHandler) Handle(ctx context.Context, cmd ReleaseDelivery) (eventstore.Position, error) {
	d, err := h.movies.decide(ctx, cmd.Project, func(m *movie.Movie, at time.Time) ([]domain.Event, error) {
		return m.ReleaseDelivery(movie.Claim{Number: cmd.Run, Worker: cmd.Worker}, at)
	})
	return d.Position, err
}

// FinishDelivery closes a delivery whose destinations all have their final result.
type FinishDelivery struct {
	Project domain.ProjectID
	Worker  string
	Run     int
}

// FinishDeliveryHandler handles FinishDelivery.
type FinishDeliveryHandler struct{ movies movies }

// NewFinishDeliveryHandler returns a handler.
func NewFinishDeliveryHandler(log *eventstore.Log, now func() time.Time) FinishDeliveryHandler {
	return FinishDeliveryHandler{movies{log, now}}
}

// Handle closes the delivery. Doing it again changes nothing. ErrNothingToDo: the run is lost. A destination without final result is
// an error.
func (h FinishDeliveryHandler) Handle(ctx context.Context, cmd FinishDelivery) (eventstore.Position, error) {
	d, err := h.movies.decide(ctx, cmd.Project, func(m *movie.Movie, at time.Time) ([]domain.Event, error) {
		return m.FinishDelivery(movie.Claim{Number: cmd.Run, Worker: cmd.Worker}, at)
	})
	return d.Position, err
}
