package eventstore

import "context"

// lookBack is how many of the newest events of the log Missing reads at most. When all of them come after the position of a
// subscription, it counts as stalled: even if no event matches its filter, a subscription gets a checkpoint more often than
// every lookBack events.
const lookBack = 1024

// End returns the position of the last event of the log (Store.Head). While the store is unavailable, End tries again
// until the context ends.
func (l *Log) End(ctx context.Context) (Position, error) {
	var end Position
	err := whileUnavailable(ctx, func() error {
		var err error
		end, err = l.store.Head(ctx)
		return err
	})
	return end, err
}

// Missing looks for an event after a position that a subscription with this filter should have brought, or passed by with a
// checkpoint, and returns that event's position; zero when there is none. It reads backwards from the end of the log, at
// most lookBack events. When all of these come after the position and none matches the filter, it returns the position of
// the last one read: a checkpoint should have passed it.
func Missing(ctx context.Context, store Store, after Position, filter Filter) (Position, error) {
	head, err := store.Head(ctx)
	if err != nil || head.Compare(after) <= 0 {
		return Position{}, err
	}
	considered := 0
	for recorded, err := range store.ReadAll(ctx, Backwards, Position{}) {
		switch considered++; {
		case err != nil:
			return Position{}, err
		case recorded.Position.Compare(after) <= 0:
			return Position{}, nil
		case filter.Matches(recorded), considered == lookBack:
			return recorded.Position, nil
		}
	}
	return Position{}, nil
}
