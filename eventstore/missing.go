package eventstore

import "context"

// lookBack is how many events at the end of the log a subscription is compared with. A subscription tells of its progress more
// often than that, even when no event matches.
const lookBack = 1024

// End is the store's Head, asked for again while the store is unavailable, until the context ends.
func (l *Log) End(ctx context.Context) (Position, error) {
	var end Position
	err := whileUnavailable(ctx, func() error {
		var err error
		end, err = l.store.Head(ctx)
		return err
	})
	return end, err
}

// Missing looks whether the log holds, after a position, an event that a subscription with a filter has to bring or to tell of, and
// returns that event's position: zero when there is none. It reads from the log's end back to the position, a bounded number of
// events; a subscription that is further behind misses one.
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
