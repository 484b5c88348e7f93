package eventstore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"moviola/domain"
)

// Log reads and writes domain events through a Store and a Codec. It is safe for concurrent use.
type Log struct {
	store Store
	codec *Codec
}

// NewLog returns a Log over a store.
func NewLog(store Store, codec *Codec) *Log { return &Log{store: store, codec: codec} }

// Store returns the underlying store, for those who follow the whole log.
func (l *Log) Store() Store { return l.store }

// Codec returns the codec with which the log encodes and decodes events.
func (l *Log) Codec() *Codec { return l.codec }

// Aggregate is state that is folded from the events of its stream. Apply validates nothing and cannot fail.
type Aggregate interface {
	Apply(domain.Event)
}

// Fold calls apply with the events of a stream, in order, and returns where the stream ends: NoStream with the zero
// Position when the stream does not exist. An event that cannot be decoded ends the fold with an error.
func (l *Log) Fold(ctx context.Context, stream string, apply func(domain.Event)) (Appended, error) {
	return l.FoldAfter(ctx, stream, Appended{Revision: NoStream}, apply)
}

// FoldAfter calls apply with the events of a stream after a known place, like Fold. It returns the end of the stream, which is
// that place when there are no newer events.
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

// CatchUp is FoldAfter with retries while the store is unavailable, until the context ends.
func (l *Log) CatchUp(ctx context.Context, stream string, after Appended, apply func(domain.Event)) (Appended, error) {
	err := whileUnavailable(ctx, func() error {
		var err error
		after, err = l.FoldAfter(ctx, stream, after, apply)
		return err
	})
	return after, err
}

// Last returns the revision and the position of a stream's last event, or NoStream when the stream does not exist. It reads one
// event.
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

// Propose encodes events, so that AppendProposed can append them.
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

// Append adds events to a stream whose last revision is the parameter expected. While the store is unavailable, Append
// retries with the same event ids until the context ends. When the stream is at another revision, the error is ErrConflict,
// unless the same events are stored there already.
func (l *Log) Append(ctx context.Context, stream string, expected Revision, meta Meta, events ...domain.Event) (Appended, error) {
	proposed, err := l.Propose(stream, meta, events...)
	if err != nil {
		return Appended{}, err
	}
	return l.AppendProposed(ctx, stream, expected, proposed...)
}

// AppendProposed is Append for encoded events, which may differ in their Meta.
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

// Decision is the result of a decide function: the events to append and their metadata.
type Decision struct {
	Meta   Meta
	Events []domain.Event
}

// Decide loads an aggregate, calls decide, and appends the events of its decision at the loaded revision (optimistic
// concurrency). The aggregate must be new: Decide folds it, and applies the appended events to it too.
//
// After a conflict, Decide folds the events that others have appended and calls decide again. While the store is unavailable,
// Decide retries. It does both until the context ends. So decide may be called more than once: any effect it has must be safe to
// repeat. An error of decide is returned as it is. When the decision has no events, nothing is appended, and the end of the
// stream is returned.
func (l *Log) Decide(ctx context.Context, stream string, a Aggregate, decide func() (Decision, error)) (Appended, error) {
	at, err := l.CatchUp(ctx, stream, Appended{Revision: NoStream}, a.Apply)
	if err != nil {
		return at, err
	}
	return l.DecideAfter(ctx, stream, a, at, decide)
}

// DecideAfter is Decide for an aggregate that is already folded up to a place in its stream. It reads nothing unless the append
// meets a conflict: use it for streams that nearly always have one writer. It returns the place up to which the aggregate is
// folded now, also with an error.
func (l *Log) DecideAfter(
	ctx context.Context, stream string, a Aggregate, at Appended, decide func() (Decision, error),
) (Appended, error) {
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
