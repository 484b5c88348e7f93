package projections

import (
	"fmt"
	"time"

	"moviola/domain"
	"moviola/eventstore"
)

// Event is a stored event together with its content.
type Event struct {
	Category string // of the stream
	ID       string // of the stream: what follows the first dash
	Revision eventstore.Revision
	Position eventstore.Position
	Account  domain.AccountID // from the metadata; empty when nobody's
	// Correlation is the id of all that follows from one request, from the metadata.
	Correlation string
	Data        domain.Event
}

// decodeEvent reads a stored event. A type that the codec does not know is an error: skipping it would leave its effect out of
// documents that later say they had seen it.
func decodeEvent(codec *eventstore.Codec, r eventstore.Recorded) (Event, error) {
	data, meta, err := codec.Decode(r)
	if err != nil {
		return Event{}, fmt.Errorf("decode event %d of %s: %w", r.Revision, r.Stream, err)
	}
	category, id := eventstore.SplitStream(r.Stream)
	return Event{
		Category: category, ID: id,
		Revision: r.Revision, Position: r.Position,
		Account: meta.Account, Correlation: meta.Correlation, Data: data,
	}, nil
}

// millis is a time as every document store keeps it: UTC, whole milliseconds.
func millis(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// millisOf is millis for times that may be absent.
func millisOf(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	out := millis(*t)
	return &out
}
