package archived

import (
	"context"
	"slices"

	"moviola/eventstore"
)

// Subscribe implements eventstore.Store. While the subscription is behind the end of the log, it brings archived events
// too, each at its place in the order of the log.
func (s *Store) Subscribe(
	ctx context.Context, after eventstore.Position, filter eventstore.Filter,
) (eventstore.Subscription, error) {
	inner, err := s.Store.Subscribe(ctx, after, filter)
	if err != nil || len(filter.Categories) > 0 && !slices.ContainsFunc(filter.Categories, s.archives) {
		return inner, err // streams of other categories are not archived
	}
	return &subscription{Subscription: inner, store: s, filter: filter, tape: newTape(s.opened, eventstore.Forwards, after)}, nil
}

// subscription is a subscription to the log. While it is behind the end of the log, it merges the archived events into those of
// the log, in the way of the function merged.
type subscription struct {
	eventstore.Subscription // the subscription to the log
	store                   *Store
	filter                  eventstore.Filter
	tape                    *tape

	ready []eventstore.Notice // notices of the log that were not delivered yet
	live  bool                // the end of the log was reached, and every notice before it was delivered
	err   error               // why the subscription to the log has ended; returned when ready is empty
}

// Next implements eventstore.Subscription.
func (s *subscription) Next(ctx context.Context) (eventstore.Notice, error) {
	for {
		switch {
		case len(s.ready) > 0:
		case s.err != nil:
			return eventstore.Notice{}, s.err
		case s.live:
			notice, err := s.Subscription.Next(ctx)
			if err != nil {
				return notice, err
			}
			s.live = !notice.FellBehind
			s.ready = append(s.ready, notice)
		default:
			if err := s.collect(ctx); err != nil {
				s.Close()
				return eventstore.Notice{}, err
			}
			continue
		}
		notice, ok, err := s.step(ctx)
		if err != nil {
			s.Close()
			return eventstore.Notice{}, err
		}
		if ok {
			return notice, nil
		}
	}
}

// collect receives notices of the log, and reads the catalogue afterwards: by then the catalogue names the archive file of
// every archived event that the log lacked.
func (s *subscription) collect(ctx context.Context) error {
	s.ready = s.ready[:0]
	for size := 0; len(s.ready) < mostChunk && size < chunkBytes; {
		notice, err := s.Subscription.Next(ctx)
		if err != nil {
			s.err = err
			break
		}
		s.ready = append(s.ready, notice)
		if notice.CaughtUp {
			break
		}
		if notice.Event != nil {
			size += len(notice.Event.Data) + len(notice.Event.Metadata)
		}
	}
	if len(s.ready) == 0 {
		return nil
	}
	entries, err := s.store.catalog.refresh(ctx)
	s.tape.add(entries)
	return err
}

// step returns what to deliver next: the first notice of ready, or an archived event that precedes it. It returns false when the
// first notice is skipped, because the subscription has come to its position before.
func (s *subscription) step(ctx context.Context) (eventstore.Notice, bool, error) {
	notice := s.ready[0]
	var place eventstore.Position // place in the order of the log; zero: the end of the log
	switch {
	case notice.Event != nil:
		place = notice.Event.Position
	case notice.Checkpoint != nil:
		place = *notice.Checkpoint
	}
	// no archived event precedes these notices
	if notice.FellBehind || notice.Checkpoint != nil && place == (eventstore.Position{}) {
		s.ready = s.ready[1:]
		return notice, true, nil
	}
	if place != (eventstore.Position{}) && s.tape.passed(place) {
		s.ready = s.ready[1:]
		return notice, false, nil
	}
	if !s.live {
		event, err := s.before(ctx, place, notice.Event != nil)
		if event != nil || err != nil {
			return eventstore.Notice{Event: event}, err == nil, err
		}
	}
	s.ready = s.ready[1:]
	if place != (eventstore.Position{}) {
		s.tape.cursor = place
	}
	s.live = s.live || notice.CaughtUp
	return notice, true, nil
}

// before returns the next archived event that matches the filter and is at the position given by place or precedes it; nil:
// there is none. The zero place is the end of the log. When logHasIt is true, the log has the event at that position
// itself, and the archived copy is skipped.
func (s *subscription) before(
	ctx context.Context, place eventstore.Position, logHasIt bool,
) (*eventstore.Recorded, error) {
	for {
		event, ok, err := s.tape.next(ctx, place)
		if err != nil || !ok || logHasIt && event.Position == place {
			return nil, err
		}
		if s.filter.Matches(event) {
			return &event, nil
		}
	}
}
