package archived

import (
	"context"
	"iter"
	"strings"

	"moviola/eventstore"
)

// How many events of the log are read before the catalogue is: few at the beginning, for those who want one event only.
const (
	firstChunk = 16
	mostChunk  = 1024
	chunkBytes = 4 << 20
)

// ReadAll implements eventstore.Store.
func (s *Store) ReadAll(
	ctx context.Context, dir eventstore.Direction, from eventstore.Position,
) iter.Seq2[eventstore.Recorded, error] {
	return s.merged(ctx, dir, from, s.Store.ReadAll(ctx, dir, from))
}

// everything is a log that yields its system events too.
type everything interface {
	ReadEverything(ctx context.Context, dir eventstore.Direction, from eventstore.Position) iter.Seq2[eventstore.Recorded, error]
}

// ReadEverything is ReadAll with the metadata of streams, as the log would be if nothing had ever been archived: a copy of what
// it yields needs no archive.
func (s *Store) ReadEverything(
	ctx context.Context, dir eventstore.Direction, from eventstore.Position,
) iter.Seq2[eventstore.Recorded, error] {
	log, ok := s.Store.(everything)
	if !ok {
		return s.ReadAll(ctx, dir, from)
	}
	return s.merged(ctx, dir, from, func(yield func(eventstore.Recorded, error) bool) {
		for event, err := range log.ReadEverything(ctx, dir, from) {
			keep := true
			if err == nil {
				keep, err = withoutArchive(&event)
			}
			if keep && !yield(event, err) || err != nil {
				return
			}
		}
	})
}

// withoutArchive takes out of an event what the archive has added to the log. It returns false when nothing is left of the event.
func withoutArchive(event *eventstore.Recorded) (bool, error) {
	if event.Stream == CatalogStream {
		return false, nil
	}
	if event.Type != metaType || !strings.HasPrefix(event.Stream, metaPrefix) {
		return true, nil
	}
	data, err := unarchived(event.Data)
	event.Data = data
	return data != nil, err
}

// merged yields the events of a read of the log and of the archive in the order of their positions.
//
// An event may be removed from the log at any time, but only after the catalogue has named its file. So events of the log are
// collected, and then the catalogue is read: what the log lacked is in files that this read knows. An event that both have comes
// from the log.
func (s *Store) merged(
	ctx context.Context, dir eventstore.Direction, from eventstore.Position, log iter.Seq2[eventstore.Recorded, error],
) iter.Seq2[eventstore.Recorded, error] {
	return func(yield func(eventstore.Recorded, error) bool) {
		m := &merger{store: s, tape: newTape(s.opened, dir, from), yield: func(e eventstore.Recorded) bool { return yield(e, nil) }}
		var chunk []eventstore.Recorded
		size, limit := 0, firstChunk
		for event, err := range log {
			if err != nil {
				if m.flush(ctx, chunk, false) {
					m.err = err
				}
				break
			}
			chunk = append(chunk, event)
			if size += len(event.Data) + len(event.Metadata); len(chunk) < limit && size < chunkBytes {
				continue
			}
			if !m.flush(ctx, chunk, false) {
				break
			}
			chunk, size, limit = chunk[:0], 0, min(2*limit, mostChunk)
		}
		if !m.ended && m.err == nil {
			m.flush(ctx, chunk, true)
		}
		if m.err != nil && !m.ended {
			yield(eventstore.Recorded{}, m.err)
		}
	}
}

// merger merges events of the log with those of a tape.
type merger struct {
	store *Store
	tape  *tape
	yield func(eventstore.Recorded) bool
	ended bool  // yield has returned false
	err   error // why the merge cannot go on
}

// flush yields events of the log, and the archived events before them; at the end of the log all that are left. It returns false
// when the read is over.
func (m *merger) flush(ctx context.Context, chunk []eventstore.Recorded, end bool) bool {
	entries, err := m.store.catalog.refresh(ctx)
	if err != nil {
		m.err = err
		return false
	}
	m.tape.add(entries)
	for _, event := range chunk {
		if !m.pass(ctx, event.Position) {
			return false
		}
		if m.ended = !m.yield(event); m.ended {
			return false
		}
	}
	return !end || m.pass(ctx, eventstore.Position{})
}

// pass yields the archived events before a position of the log, at which the log has an event itself; the zero position is the
// end. It returns false when the read is over.
func (m *merger) pass(ctx context.Context, position eventstore.Position) bool {
	for {
		event, ok, err := m.tape.next(ctx, position)
		if err != nil {
			m.err = err
			return false
		}
		if !ok {
			if position != (eventstore.Position{}) {
				m.tape.cursor = position
			}
			return true
		}
		if event.Position == position {
			continue
		}
		if m.ended = !m.yield(event); m.ended {
			return false
		}
	}
}
