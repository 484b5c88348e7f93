package deliveries

import (
	"context"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
)

// StartDelivery claims the destinations of a closed movie for a worker.
type StartDelivery struct {
	Project domain.ProjectID
	Worker  string // unique to one run of one process
	Dead    int    // the run whose worker is known to be dead; 0: none
	Death   domain.Death
}

// DeliveryClaim is a claim on the destinations of a movie, what has become of them, and what they have to be told.
type DeliveryClaim struct {
	Account      domain.AccountID
	Run          int
	DocumentHash string // hex SHA-256 of the document under DocumentKey, which names the destinations
	// Destinations is how far each destination has come, by index, over all runs.
	Destinations []movie.DestinationState
	Order        []int // the destinations that are still to be served, by index, the next one first
	// Spent is how long earlier runs have worked on the destinations: all of a movie together have five minutes (decisions 33 and
	// 55).
	Spent    time.Duration
	Success  bool
	ClosedAt time.Time // when the movie ended
	// Request numbers what the delivery was asked for by, at RequestedAt: the end of the movie is 0, redeliveries follow.
	Request     int
	RequestedAt time.Time
	Message     string      // why there is no video
	Plan        *movie.Plan // nil when none was laid out
	File        *movie.File // nil when none was made
	FileGone    bool        // the file is not there (any more): its address is null
	Position    eventstore.Position
	// Known spares what is recorded under this claim from reading the movie's stream again.
	Known *commands.KnownMovie
}

// StartDeliveryHandler handles StartDelivery.
type StartDeliveryHandler struct{ movies commands.Movies }

// NewStartDeliveryHandler returns a handler.
func NewStartDeliveryHandler(log *eventstore.Log, now func() time.Time) StartDeliveryHandler {
	return StartDeliveryHandler{commands.NewMovies(log, now)}
}

// Handle claims the destinations. ErrNothingToDo: the movie is not closed, has no destinations, has served them, or another has
// the claim; or the delivery was ended just now, because three crashes count against its last open destination.
func (h StartDeliveryHandler) Handle(ctx context.Context, cmd StartDelivery) (DeliveryClaim, error) {
	d, err := h.movies.Must(ctx, cmd.Project, func(m *movie.Movie, at time.Time) ([]domain.Event, error) {
		return m.StartDelivery(cmd.Worker, cmd.Dead, cmd.Death, at), nil
	})
	if err != nil {
		return DeliveryClaim{}, err
	}
	if d.Delivered() { // it was claimed and ended in one
		return DeliveryClaim{}, commands.ErrNothingToDo
	}
	submitted, _ := d.Submitted()
	closing, _ := d.Closing()
	request, requested := d.DeliveryRequest()
	claim := DeliveryClaim{
		Account:      d.Account(),
		Run:          d.DeliveryClaim().Number,
		DocumentHash: submitted.DocumentHash,
		Destinations: d.Destinations(),
		Order:        d.DeliveryOrder(),
		Spent:        d.DeliverySpent(),
		Success:      closing.Success,
		ClosedAt:     closing.At,
		Request:      request,
		RequestedAt:  requested,
		Message:      closing.Message,
		Plan:         closing.Plan,
		File:         closing.File,
		FileGone:     closing.FileGone,
		Position:     d.Position,
		Known:        d.Known(),
	}
	return claim, nil
}
