package movie

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"moviola/domain"
)

const deliveryCrashedMessage = "The delivery stopped unexpectedly three times"

// delivery is the state of the delivery to all destinations of a movie.
type delivery struct {
	destinations []DestinationState
	targets      []Target
	claim        Claim // claim of the newest run
	claimed      bool
	finished     bool
	requests     int       // number of redeliveries that were requested
	requested    time.Time // time of the newest redelivery request

	spent time.Duration // total time of runs since the delivery began that counts, each up to its newest event
	since time.Time     // time of the newest event of the newest run
}

// DestinationState is the state of the delivery to one destination, over all runs.
type DestinationState struct {
	// Tries is the number of tries, 0 to 3. It may be higher when the service gives the destination up because runs died
	// while they served it (see Cut): each such run then counts as a try.
	Tries int
	Final bool              // no further try follows
	Last  DeliveryAttempted // the newest try; its At is the time when the try ended

	Cut     int // number of runs whose process died while this destination was being served
	Crashed int // among the runs counted in Cut, the number whose process is known to have failed by itself
}

// open sets the initial states of a movie's destinations.
func (d *delivery) open(count int, targets []Target) {
	d.destinations = make([]DestinationState, count)
	d.targets = targets
}

func (d *delivery) apply(event domain.Event) {
	switch e := event.(type) {
	case DeliveryStarted:
		if d.claimed {
			d.charge(e.Death)
		}
		d.claim, d.claimed = Claim{Number: e.Run, Worker: e.Worker}, true
		d.since = e.At
	case DeliveryAttempted:
		if e.Index < 0 || e.Index >= len(d.destinations) {
			return
		}
		d.took(e.At, e.Spent)
		state := &d.destinations[e.Index]
		state.Tries, state.Final, state.Last = e.Try, e.Final, e
	case DeliveryReleased:
		d.took(e.At, e.Spent)
		d.claimed = false
	case DeliveryFinished:
		d.claimed, d.finished = false, true
	case RedeliveryRequested:
		d.reopen(e)
	}
}

// took adds the time from the run's previous event until at to the field spent, or what the event at that time says that
// counts of it. The time between a run's last event and the death of its process is unknown, and not counted.
func (d *delivery) took(at time.Time, counts *int64) {
	passed := max(0, at.Sub(d.since))
	d.since = d.since.Add(passed)
	if counts != nil {
		passed = time.Duration(*counts) * time.Millisecond
	}
	d.spent += passed
}

// DeliverySpent returns the total time that runs have taken for the movie's destinations since the delivery, or the newest
// redelivery, began. Time in which no process ran, or in which a run waited for the service's own stores, is not part of it.
// Decisions 55 and 107.
func (m *Movie) DeliverySpent() time.Duration { return m.delivery.spent }

// reopen resets the states of the destinations that a redelivery serves again. Run numbers continue.
func (d *delivery) reopen(e RedeliveryRequested) {
	d.requests, d.requested, d.claimed, d.finished, d.spent = e.Request, e.At, false, false, 0
	for i := range d.destinations {
		if e.Index == nil || *e.Index == i {
			d.destinations[i] = DestinationState{}
		}
	}
}

// order returns the indexes of the destinations without a final result, in the order of serving: destinations that were being
// served when a run was cut short come last. Decision 56.
func (d *delivery) order() []int {
	var open []int
	for i, state := range d.destinations {
		if !state.Final {
			open = append(open, i)
		}
	}
	slices.SortStableFunc(open, func(a, b int) int { return cmp.Compare(d.destinations[a].Cut, d.destinations[b].Cut) })
	return open
}

// charge records that a run was cut short while it served the first open destination.
func (d *delivery) charge(death domain.Death) {
	if open := d.order(); len(open) > 0 {
		state := &d.destinations[open[0]]
		state.Cut++
		if death != domain.Unexplained {
			state.Crashed++
		}
	}
}

// DeliveryRequest returns the number and the time of the request that the current delivery serves: 0 is the delivery at the
// movie's end, higher numbers are the owner's redeliveries. All runs for one request have the same number and time.
func (m *Movie) DeliveryRequest() (number int, at time.Time) {
	if m.delivery.requests == 0 && m.closing != nil {
		return 0, m.closing.At
	}
	return m.delivery.requests, m.delivery.requested
}

// DeliveryOrder returns the indexes of the destinations that are still to be served, the next one first.
func (m *Movie) DeliveryOrder() []int { return m.delivery.order() }

// Delivered reports whether every destination has its final result.
func (m *Movie) Delivered() bool { return m.delivery.finished }

// Destinations returns the state of each destination, by index.
func (m *Movie) Destinations() []DestinationState {
	return append([]DestinationState(nil), m.delivery.destinations...)
}

// DeliveryClaim returns the claim of the newest run, also after the run has ended; the zero Claim: no run has begun.
func (m *Movie) DeliveryClaim() Claim { return m.delivery.claim }

// StartDelivery claims the destinations of a closed movie for a worker. dead is the run whose worker is known to be dead (0:
// none), and death is the cause of that worker's death. It returns no event when the movie is not closed, has no
// destinations, has served all of them, or is claimed by a worker that is not known to be dead. A destination that was being
// served in three runs that failed by themselves gets status error; the other destinations are served. Decision 56.
func (m *Movie) StartDelivery(worker string, dead int, death domain.Death, now time.Time) []domain.Event {
	d := &m.delivery
	if m.closing == nil || len(d.destinations) == 0 || d.finished || d.claimed && d.claim.Number != dead {
		return nil
	}
	started := DeliveryStarted{Run: d.claim.Number + 1, Worker: worker, At: now}
	open := d.order()
	if !d.claimed || len(open) == 0 || death == domain.Unexplained {
		return []domain.Event{started}
	}
	started.Death = death
	events := []domain.Event{started}
	state := d.destinations[open[0]]
	if state.Crashed+1 < domain.MaxCrashes {
		return events
	}
	events = append(events, d.given(started, open[0], state.Tries+state.Cut+1, deliveryCrashedMessage))
	if len(open) == 1 {
		events = append(events, DeliveryFinished{Run: started.Run, At: started.At})
	}
	return events
}

// giveUp ends a delivery in a new run, so that its events cannot be confused with those of an earlier run whose worker is only
// presumed dead.
func (d *delivery) giveUp(started DeliveryStarted, message string) []domain.Event {
	events := []domain.Event{started}
	for i, state := range d.destinations {
		if !state.Final {
			events = append(events, d.given(started, i, state.Tries+1, message))
		}
	}
	return append(events, DeliveryFinished{Run: started.Run, At: started.At})
}

// given returns the final result, with status error, of a destination that is given up after some tries.
func (d *delivery) given(started DeliveryStarted, index, tries int, message string) DeliveryAttempted {
	result := DeliveryAttempted{
		Run: started.Run, Index: index, Try: tries, Final: true,
		Status: DeliveryError, Message: message, At: started.At,
	}
	if index < len(d.targets) {
		result.Type, result.ID = d.targets[index].Type, d.targets[index].ID
	}
	return result
}

// RequestRedelivery returns the owner's request for another delivery: to the destination at an index, or to all when index is
// nil. The delivery before must have finished. Decisions 32 and 33.
func (m *Movie) RequestRedelivery(by domain.AccountID, index *int, now time.Time) ([]domain.Event, error) {
	d := &m.delivery
	switch {
	case m.submitted == nil || m.account != by: // NotFound, because another account must not learn that the movie exists
		return nil, domain.Errorf(domain.NotFound, "movie_not_found", "Movie %s not found", m.project)
	case len(d.destinations) == 0:
		return nil, domain.Errorf(domain.Invalid, "no_destinations", "Movie %s has no destinations", m.project)
	case index != nil && (*index < 0 || *index >= len(d.destinations)):
		return nil, domain.Errorf(domain.Invalid, "index_invalid", "index must be from 0 to %d", len(d.destinations)-1)
	case m.closing == nil:
		return nil, domain.Errorf(domain.Conflict, "movie_still_rendering",
			"Movie %s is still rendering. Its destinations are served when it ends.", m.project)
	case !d.finished:
		return nil, domain.Errorf(domain.Conflict, "delivery_in_progress",
			"Movie %s is being delivered. Wait until that has ended.", m.project)
	}
	return []domain.Event{RedeliveryRequested{Request: d.requests + 1, Index: index, At: now}}, nil
}

// RecordDelivery records one try of the current run; for a try of another run the error is ErrLost. The try that completes
// the last destination also closes the delivery. RecordDelivery returns no event when the try is recorded already. A try
// out of sequence is an error, because the caller has made a mistake.
func (m *Movie) RecordDelivery(worker string, try DeliveryAttempted) ([]domain.Event, error) {
	d := &m.delivery
	if !d.claimed && !d.finished || d.claim != (Claim{Number: try.Run, Worker: worker}) {
		return nil, ErrLost
	}
	if try.Index < 0 || try.Index >= len(d.destinations) {
		return nil, fmt.Errorf("movie %s has no destination %d", m.project, try.Index)
	}
	state := d.destinations[try.Index]
	switch {
	case state.Last.Run == try.Run && state.Tries == try.Try:
		return nil, nil
	case d.finished:
		return nil, ErrLost
	case state.Final || try.Try != state.Tries+1:
		return nil, fmt.Errorf("try %d at destination %d of movie %s does not follow try %d", try.Try, try.Index, m.project,
			state.Tries)
	}
	try.Message = domain.Brief(try.Message)
	events := []domain.Event{try}
	if try.Final && d.allFinalBut(try.Index) {
		events = append(events, DeliveryFinished{Run: try.Run, At: try.At})
	}
	return events, nil
}

// allFinalBut reports whether every destination except the one at an index has its final result.
func (d *delivery) allFinalBut(index int) bool {
	for i, state := range d.destinations {
		if i != index && !state.Final {
			return false
		}
	}
	return true
}

// ReleaseDelivery releases the current run, which has taken the time spent since its previous event. It returns no event when
// the run was released before; for a run that is not current the error is ErrLost.
func (m *Movie) ReleaseDelivery(c Claim, spent time.Duration, now time.Time) ([]domain.Event, error) {
	d := &m.delivery
	switch {
	case d.claim != c || d.finished:
		return nil, ErrLost
	case !d.claimed:
		return nil, nil
	}
	return []domain.Event{DeliveryReleased{Run: c.Number, Worker: c.Worker, At: now, Spent: SpentOf(spent)}}, nil
}

// FinishDelivery closes the delivery in the current run, when every destination has its final result. It returns no event when
// the delivery is closed already; for a run that is not current the error is ErrLost.
func (m *Movie) FinishDelivery(c Claim, now time.Time) ([]domain.Event, error) {
	d := &m.delivery
	switch {
	case d.claim != c || !d.claimed && !d.finished:
		return nil, ErrLost
	case d.finished:
		return nil, nil
	}
	for i, state := range d.destinations {
		if !state.Final {
			return nil, fmt.Errorf("destination %d of movie %s has no final result", i, m.project)
		}
	}
	return []domain.Event{DeliveryFinished{Run: c.Number, At: now}}, nil
}
