package eventstore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"moviola/domain"
)

// Log reads and writes domain events: a Store and the Codec that speaks to it. It is safe for concurrent use.
type Log struct {
	store Store
	codec *Codec
}

// NewLog returns a Log over a store.
func NewLog(store Store, codec *Codec) *Log { return &Log{store: store, codec: codec} }

// Store is the store beneath, for those who follow the whole log.
func (l *Log) Store() Store { return l.store }

// Codec is the codec in use.
func (l *Log) Codec() *Codec { return l.codec }

// Aggregate is folded from the events of its stream. Apply validates nothing and cannot fail.
type Aggregate interface {
	Apply(domain.Event)
}

// Fold hands every event of a stream to apply, in order, and returns where the stream ends: NoStream when there is none.
// The zero Position goes with NoStream. An event that cannot be decoded ends the fold with an error.
func (l *Log) Fold(ctx context.Context, stream string, apply func(domain.Event)) (Appended, error) {
	return l.FoldAfter(ctx, stream, Appended{Revision: NoStream}, apply)
}

// FoldAfter is Fold for the events after a place in the stream that is known already. It returns that place when there is
// nothing new.
func (l *Log) FoldAfter(ctx context.Context, stream string, after Appended, apply func(domain.Event)) (Appended, error) {
	for recorded, err := range l.store.ReadStream(ctx, stream, Forwards, after.Revision+1) {
		if err != nil {
			return after, fmt.Errorf("read %s: %w", stream, err)
		}
		event, _, err := l.codec.Decode(recorded)
		if err != nil {
			return after, err
		}
		apply(event)
		after = Appended{Revision: recorded.Revision, Position: recorded.Position}
	}
	return after, nil
}

// CatchUp is FoldAfter, repeated while the store is unavailable, until the context ends.
func (l *Log) CatchUp(ctx context.Context, stream string, after Appended, apply func(domain.Event)) (Appended, error) {
	err := whileUnavailable(ctx, func() error {
		var err error
		after, err = l.FoldAfter(ctx, stream, after, apply)
		return err
	})
	return after, err
}

// Last returns where a stream ends, or NoStream when there is none. It reads one event.
func (l *Log) Last(ctx context.Context, stream string) (Appended, error) {
	for recorded, err := range l.store.ReadStream(ctx, stream, Backwards, -1) {
		if err != nil {
			return Appended{Revision: NoStream}, fmt.Errorf("read the end of %s: %w", stream, err)
		}
		return Appended{Revision: recorded.Revision, Position: recorded.Position}, nil
	}
	return Appended{Revision: NoStream}, nil
}

// IDAt returns the id of the event at a revision of a stream.
func (l *Log) IDAt(ctx context.Context, stream string, revision Revision) (uuid.UUID, error) {
	recorded, found, err := first(l.store.ReadStream(ctx, stream, Forwards, revision))
	if err == nil && (!found || recorded.Revision != revision) {
		err = errors.New("it is not there")
	}
	if err != nil {
		return uuid.Nil, fmt.Errorf("read event %d of %s: %w", revision, stream, err)
	}
	return recorded.ID, nil
}

// Propose makes events ready for AppendProposed.
func (l *Log) Propose(stream string, meta Meta, events ...domain.Event) ([]Proposed, error) {
	proposed := make([]Proposed, 0, len(events))
	for _, event := range append(slices.Clip(events), newer(events)...) {
		p, err := l.codec.Encode(stream, meta, event)
		if err != nil {
			return nil, err
		}
		proposed = append(proposed, p)
	}
	return proposed, nil
}

// Append adds events to a stream whose last revision is expected. While the store is unavailable, the same append, with the same
// ids, is repeated until the context ends. A stream that has moved is ErrConflict.
func (l *Log) Append(ctx context.Context, stream string, expected Revision, meta Meta, events ...domain.Event) (Appended, error) {
	proposed, err := l.Propose(stream, meta, events...)
	if err != nil {
		return Appended{}, err
	}
	return l.AppendProposed(ctx, stream, expected, proposed...)
}

// AppendProposed is Append for events that may differ in their Meta.
func (l *Log) AppendProposed(ctx context.Context, stream string, expected Revision, events ...Proposed) (Appended, error) {
	var appended Appended
	err := whileUnavailable(ctx, func() error {
		var err error
		appended, err = l.store.Append(ctx, stream, expected, events...)
		return err
	})
	if err != nil {
		return Appended{}, fmt.Errorf("append to %s: %w", stream, err)
	}
	return appended, nil
}

// Decision is what a decide function comes to: the events to append, and what goes with them.
type Decision struct {
	Meta   Meta
	Events []domain.Event
}

// Decide loads an aggregate, lets it decide, and appends what it decided at the loaded revision. The aggregate must be new: it
// is folded here, and the appended events are applied to it too.
//
// On a conflict the events that came in between are folded, and decide is called again; while the store is unavailable the
// step is repeated; both until the context ends. So decide may be called more than once and must have no effect but one that
// may be repeated. Its error ends Decide and is returned as it is. When it decides nothing, nothing is appended, and the
// end of the stream is returned.
func (l *Log) Decide(ctx context.Context, stream string, a Aggregate, decide func() (Decision, error)) (Appended, error) {
	at, err := l.CatchUp(ctx, stream, Appended{Revision: NoStream}, a.Apply)
	if err != nil {
		return at, err
	}
	return l.DecideAfter(ctx, stream, a, at, decide)
}

// DecideAfter is Decide for an aggregate that was folded up to a place in its stream before. Nothing is read unless the stream has moved
// on since, which only an append finds out: it is for those who are nearly always the only ones to write. What it returns is the place up
// to which the aggregate is folded now, also with an error.
func (l *Log) DecideAfter(ctx context.Context, stream string, a Aggregate, at Appended, decide func() (Decision, error)) (Appended, error) {
	for {
		d, err := decide()
		if err != nil || len(d.Events) == 0 {
			return at, err
		}
		appended, err := l.Append(ctx, stream, at.Revision, d.Meta, d.Events...)
		switch {
		case err == nil:
			for _, event := range d.Events {
				a.Apply(event)
			}
			return appended, nil
		case !errors.Is(err, ErrConflict) || ctx.Err() != nil:
			return at, err
		}
		if at, err = l.CatchUp(ctx, stream, at, a.Apply); err != nil {
			return at, err
		}
	}
}
