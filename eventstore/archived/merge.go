package archived

import (
	"context"
	"iter"
	"strings"

	"moviola/eventstore"
)

// The numbers of events of the log, and their size in bytes, after which the catalogue is read: few events at first, because
// many readers want a single one.
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

// everything is a store that can also yield system events.
type everything interface {
	ReadEverything(ctx context.Context, dir eventstore.Direction, from eventstore.Position) iter.Seq2[eventstore.Recorded, error]
}

// ReadEverything is ReadAll with the metadata of streams. It leaves out what the archive has changed in the metadata: a copy made
// from it is a complete log that needs no archive files.
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

// withoutArchive undoes what archiving has changed in the metadata of a stream; it leaves other events as they are. It
// returns false for an event of the catalogue, and for metadata in which no other fields remain.
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

// merged yields the events of the log and of the archive in the order of their positions.
//
// An archived event may be removed from the log at any time after the catalogue names its archive file. So merged first
// collects events of the log and then reads the catalogue: every archived event that the log lacked is in a file that the
// catalogue names by then. An event that is in both is taken from the log.
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

// merger yields the events of the log, and between them the archived events that its tape (the reader of all archive
// files) returns, in the order of their positions.
type merger struct {
	store *Store
	tape  *tape
	yield func(eventstore.Recorded) bool
	ended bool  // yield has returned false
	err   error // why the reading has failed: an error of the log, of the catalogue or of an archive file
}

// flush yields the events of chunk, which come from the log, and before each the archived events that precede it. When end is
// true, it then yields all remaining archived events. It returns false when the reader has stopped or an error has occurred.
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

// pass yields the archived events that come before the parameter position, which is the position of an event of the log. The
// zero position stands for the end of the log. It returns false when the reader has stopped or an error has occurred.
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
