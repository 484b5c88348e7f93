package projections

import (
	"fmt"
	"time"

	"moviola/domain"
	"moviola/eventstore"
)

// Event is a decoded event with its place in stream and log.
type Event struct {
	Category string // category of the stream
	ID       string // id of the stream: the part of its name after the first dash
	Revision eventstore.Revision
	Position eventstore.Position
	Account  domain.AccountID // account named in the metadata; empty: the event belongs to no account
	// Correlation is the correlation id from the metadata: the same for everything that follows from one request.
	Correlation string
	Traceparent string // trace context from the metadata
	Data        domain.Event
}

// decodeEvent decodes a stored event. An unknown type is an error: if it were skipped, documents that lack its effect would claim
// to include it.
func decodeEvent(codec *eventstore.Codec, r eventstore.Recorded) (Event, error) {
	data, meta, err := codec.Decode(r)
	if err != nil {
		return Event{}, fmt.Errorf("decode event %d of %s: %w", r.Revision, r.Stream, err)
	}
	category, id := eventstore.SplitStream(r.Stream)
	return Event{
		Category: category, ID: id,
		Revision: r.Revision, Position: r.Position,
		Account: meta.Account, Correlation: meta.Correlation, Traceparent: meta.Traceparent, Data: data,
	}, nil
}

// millis returns a time as every document store keeps it: in UTC, in whole milliseconds.
func millis(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// millisOf returns a copy of a time as every document store keeps it: in UTC, in whole milliseconds. For nil it returns
// nil.
func millisOf(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	out := millis(*t)
	return &out
}
