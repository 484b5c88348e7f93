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
	Worker  string // name of the worker, unique to one start of one process
	Dead    int    // number of the run whose worker is known to be dead; 0: none
	Death   domain.Death
}

// DeliveryClaim is a claim on the destinations of a movie, with their state and the facts that are sent to them.
type DeliveryClaim struct {
	Account      domain.AccountID
	Run          int
	DocumentHash string // hex SHA-256 of the document under DocumentKey; that document names the destinations
	// Destinations is the state of each destination, by index, as all earlier runs have left it.
	Destinations []movie.DestinationState
	Order        []int // indexes of the destinations that are still to be tried, the next one first
	// Spent is the time that earlier runs have used since the delivery, or the newest redelivery, began. All runs of one
	// delivery or redelivery together have five minutes (decisions 33 and 55).
	Spent    time.Duration
	Success  bool
	ClosedAt time.Time // when the movie ended
	// Request is the number of the request for this delivery: 0 is the end of the movie, 1 is the first redelivery. RequestedAt is
	// the time of the request.
	Request     int
	RequestedAt time.Time
	Message     string            // why the movie has no video
	Plan        *movie.Dimensions // size and length of the movie; nil: not known when it ended
	File        *movie.File       // the rendered file; nil: none was made
	FileGone    bool              // no rendered file exists (any more): its address is null
	Position    eventstore.Position
	// Known is the movie right after the claim. Later commands of this claim get Known, so that they need not read the movie's
	// stream again.
	Known *commands.KnownMovie
}

// StartDeliveryHandler handles StartDelivery.
type StartDeliveryHandler struct{ movies commands.Movies }

// NewStartDeliveryHandler returns a handler.
func NewStartDeliveryHandler(log *eventstore.Log, now func() time.Time) StartDeliveryHandler {
	return StartDeliveryHandler{commands.NewMovies(log, now)}
}

// Handle claims the destinations. ErrNothingToDo: the movie is not closed; it has no destinations, or none is left; another
// worker has the claim; or Handle has just ended the delivery, after three crashes at its last open destination.
func (h StartDeliveryHandler) Handle(ctx context.Context, cmd StartDelivery) (DeliveryClaim, error) {
	d, err := h.movies.Must(ctx, cmd.Project, func(m *movie.Movie, at time.Time) ([]domain.Event, error) {
		return m.StartDelivery(cmd.Worker, cmd.Dead, cmd.Death, at), nil
	})
	if err != nil {
		return DeliveryClaim{}, err
	}
	if d.Delivered() { // the call of StartDelivery above has ended the delivery, so there is nothing to claim
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
