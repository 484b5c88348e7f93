package metrics

import (
	"context"
	"errors"
	"slices"

	"moviola/domain/connection"
	"moviola/domain/ledger"
	"moviola/domain/movie"
	"moviola/eventstore"
)

// Written counts an append and the content of its events.
func (m *Metrics) Written(_ context.Context, w eventstore.Written) {
	category, _ := eventstore.SplitStream(w.Stream)
	m.appends.WithLabelValues(category, resultOf(w.Err)).Inc()
	if w.Err != nil {
		return
	}
	m.appendTime.Observe(w.Took.Seconds())
	for _, event := range w.Events {
		m.events.WithLabelValues(event.Type).Inc()
		if slices.Contains(told, event.Type) {
			m.told(w.Stream, event)
		}
	}
}

func resultOf(err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, eventstore.ErrConflict):
		return "conflict"
	case errors.Is(err, eventstore.ErrUnavailable):
		return "unavailable"
	default:
		return "error"
	}
}

// told lists the events whose content is counted.
var told = []string{
	ledger.CreditsGranted{}.EventType(), ledger.CreditsHeld{}.EventType(), ledger.CreditsCharged{}.EventType(),
	ledger.CreditsReleased{}.EventType(),
	movie.RenderFinished{}.EventType(), movie.DeliveryAttempted{}.EventType(),
}

func (m *Metrics) told(stream string, event eventstore.Proposed) {
	data, _, err := m.codec.Decode(eventstore.Recorded{Stream: stream, Type: event.Type, Data: event.Data, Metadata: event.Metadata})
	if err != nil {
		return // this process has just encoded the event, so it can be decoded
	}
	switch d := data.(type) {
	case ledger.CreditsGranted:
		m.move("granted", d.Amount)
	case ledger.CreditsHeld:
		m.move("held", d.Amount)
	case ledger.CreditsCharged:
		m.move("charged", d.Amount)
	case ledger.CreditsReleased:
		m.move("released", d.Amount)
	case movie.RenderFinished:
		m.renders.WithLabelValues(outcomeOf(d)).Inc()
	case movie.DeliveryAttempted:
		kind := Destination(d.Type)
		m.deliveries.WithLabelValues(kind, string(d.Status)).Inc()
		m.deliveryTime.WithLabelValues(kind).Observe(float64(d.DurationMS) / 1000)
	}
}

// move counts moved credits by their kind of movement. Negative grants are not counted.
func (m *Metrics) move(movement string, amount int64) {
	if amount > 0 {
		m.credits.WithLabelValues(movement).Add(float64(amount))
	}
}

// Destination returns a kind of destination for metrics and logs. Unknown kinds, which clients make up, become "other".
func Destination(kind string) string {
	if slices.Contains(connection.Kinds(), kind) {
		return kind
	}
	return other
}

func outcomeOf(d movie.RenderFinished) string {
	switch {
	case !d.Success:
		return "failed"
	case d.CachedFrom != "":
		return "cached"
	default:
		return "rendered"
	}
}

// AnchorSent counts a try to send an anchor of the ledgers to a place where anchors are kept, by the kind of the place.
func (m *Metrics) AnchorSent(kind string, err error) {
	result := "ok"
	if err != nil {
		result = "error"
	}
	m.anchors.WithLabelValues(kind, result).Inc()
}

// Scavenge tells how many archived events still use room in an event store that is not our own, because it was not scavenged.
func (m *Metrics) Scavenge(events int) { m.scavenge.WithLabelValues().Set(float64(events)) }
