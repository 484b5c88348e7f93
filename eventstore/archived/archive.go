package archived

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"moviola/domain/blobkey"
	"moviola/eventstore"
)

const (
	// mostStreams and mostBytes bound how much is archived in one step, and so the memory that it takes.
	mostStreams = 2000
	mostBytes   = 16 << 20
	// truncations is how many streams are truncated at the same time: the log syncs many appends at once.
	truncations = 16
)

// Rule says what is archived.
type Rule struct {
	// Before: a stream is archived when its newest event was stored earlier.
	Before time.Time
	// Ended reports whether a stream has ended, by all its events. A stream may go on after that.
	Ended func(events []eventstore.Recorded) (bool, error)
}

// Done is what a call of Archive has done.
type Done struct {
	Files, Streams, Events int
	Bytes                  int64 // size of the files
}

// ErrBusy says that another process archives.
var ErrBusy = errors.New("another process archives the same log")

// Archive moves the streams that the rule names from the log to archive files. It may be interrupted at any moment, and called
// again by any process: nothing is lost and nothing is doubled. Streams that were looked at before are looked at again only when
// they have new events.
func (s *Store) Archive(ctx context.Context, rule Rule) (Done, error) {
	var done Done
	for {
		if _, err := s.catalog.refresh(ctx); err != nil {
			return done, err
		}
		last, through, open := s.catalog.state()
		for _, entry := range open {
			if err := s.truncateStreams(ctx, entry); err != nil {
				return done, fmt.Errorf("truncate what is in archive file %s: %w", entry.Key, err)
			}
		}
		if len(open) > 0 {
			continue // the catalogue has grown
		}
		b, err := s.search(ctx, rule, through)
		if err != nil {
			return done, fmt.Errorf("look for streams that have ended: %w", err)
		}
		if b.through == through {
			return done, nil
		}
		entry := Entry{Through: b.through}
		if len(b.events) > 0 {
			if entry, err = s.store(ctx, b); err != nil {
				return done, fmt.Errorf("store an archive file: %w", err)
			}
		}
		if err := s.commit(ctx, last, entry); err != nil {
			return done, err
		}
		if entry.Key != "" {
			done.Files, done.Streams, done.Events = done.Files+1, done.Streams+entry.Streams, done.Events+entry.Events
			done.Bytes += entry.Bytes
		}
	}
}

// batch is what is archived together.
type batch struct {
	events  []eventstore.Recorded
	month   string              // in which the streams have ended
	through eventstore.Position // streams whose newest event is up to here were looked at
}

// stretch is a part of the log: the streams with events in it, and where it ends.
type stretch struct {
	streams []string
	month   string
	end     eventstore.Position
}

// search collects the streams that have ended, from a position of the log on.
func (s *Store) search(ctx context.Context, rule Rule, from eventstore.Position) (batch, error) {
	part, err := s.stretch(ctx, rule.Before, from)
	b := batch{month: part.month, through: part.end}
	if err != nil {
		return b, err
	}
	for _, stream := range part.streams {
		events, err := s.candidate(ctx, stream, part.end, rule.Ended)
		if err != nil {
			return b, fmt.Errorf("%s: %w", stream, err)
		}
		b.events = append(b.events, events...)
	}
	slices.SortFunc(b.events, func(a, b eventstore.Recorded) int { return a.Position.Compare(b.Position) })
	return b, nil
}

// stretch reads the log up to the first event that is too new, up to the end of a month, or until there is enough for a file.
func (s *Store) stretch(ctx context.Context, before time.Time, from eventstore.Position) (stretch, error) {
	found := stretch{end: from}
	known := map[string]bool{}
	size := 0
	for event, err := range s.Store.ReadAll(ctx, eventstore.Forwards, from) {
		if err != nil {
			return found, err
		}
		month := event.Created.UTC().Format("2006-01")
		if !event.Created.Before(before) || len(found.streams) > 0 && month != found.month {
			return found, nil
		}
		found.month, found.end = month, event.Position
		if category, _ := eventstore.SplitStream(event.Stream); category != s.category {
			continue
		}
		if !known[event.Stream] {
			known[event.Stream] = true
			found.streams = append(found.streams, event.Stream)
		}
		if size += len(event.Data) + len(event.Metadata); len(found.streams) == mostStreams || size >= mostBytes {
			return found, nil
		}
	}
	return found, nil
}

// candidate returns the events of a stream that are to be archived: none when it has not ended, or has events after the position
// end.
func (s *Store) candidate(
	ctx context.Context, stream string, end eventstore.Position, ended func([]eventstore.Recorded) (bool, error),
) ([]eventstore.Recorded, error) {
	var events []eventstore.Recorded
	for event, err := range s.ReadStream(ctx, stream, eventstore.Forwards, 0) {
		if err != nil {
			return nil, err
		}
		events = append(events, event)
	}
	if len(events) < 2 || events[0].Revision != 0 || events[len(events)-1].Position.Compare(end) > 0 {
		return nil, nil // the newest event stays in the log: a stream of one event would not get smaller
	}
	if is, err := ended(events); err != nil || !is {
		return nil, err
	}
	described, err := describe(ctx, s.Store, stream)
	if err != nil {
		return nil, err
	}
	return events[min(described.Archived.end(), eventstore.Revision(len(events))):], nil
}

// store writes an archive file and reads it back.
func (s *Store) store(ctx context.Context, b batch) (Entry, error) {
	content, entry, err := encodeFile(b.events)
	if err != nil {
		return entry, err
	}
	entry.Through = b.through
	entry.Key = blobkey.HistoryFile(b.month, fmt.Sprintf("%020d-%s", entry.First.Commit, uuid.NewString()[:8]))
	if err := s.files.Put(ctx, entry.Key, bytes.NewReader(content)); err != nil {
		return entry, err
	}
	if err := s.verify(ctx, entry, b.events); err != nil {
		return entry, errors.Join(fmt.Errorf("read %s back: %w", entry.Key, err), s.files.Delete(ctx, entry.Key))
	}
	return entry, nil
}

// verify reads a whole file and compares it with the events that it has to have.
func (s *Store) verify(ctx context.Context, entry Entry, want []eventstore.Recorded) error {
	if err := s.compare(ctx, entry); err != nil {
		return err
	}
	fresh := newShelf(s.files) // reads as every later reader does
	dir, err := fresh.directory(ctx, entry)
	if err != nil {
		return err
	}
	if _, err := fresh.places(ctx, entry); err != nil {
		return err
	}
	for _, b := range dir.Blocks {
		events, err := fresh.block(ctx, entry.Key, b)
		if err != nil {
			return err
		}
		if len(events) > len(want) || !slices.EqualFunc(events, want[:len(events)], same) {
			return errors.New("it has other events")
		}
		want = want[len(events):]
	}
	if len(want) > 0 {
		return fmt.Errorf("it lacks %d events", len(want))
	}
	return nil
}

func same(a, b eventstore.Recorded) bool {
	return a.ID == b.ID && a.Stream == b.Stream && a.Revision == b.Revision && a.Position == b.Position && a.Type == b.Type &&
		a.Created.Equal(b.Created) && bytes.Equal(a.Data, b.Data) && bytes.Equal(a.Metadata, b.Metadata)
}

// commit names a file in the catalogue. From then on it is read.
func (s *Store) commit(ctx context.Context, after eventstore.Revision, entry Entry) error {
	_, err := s.catalog.append(ctx, after, archivedType, entry)
	if !errors.Is(err, eventstore.ErrConflict) {
		return err // the outcome may be unknown: a file that nothing names does no harm, and one that is named must stay
	}
	if entry.Key != "" {
		if err := s.files.Delete(ctx, entry.Key); err != nil {
			return err
		}
	}
	return ErrBusy
}

// truncateStreams truncates the streams of a file in the log, and says so in the catalogue.
func (s *Store) truncateStreams(ctx context.Context, entry Entry) error {
	places, err := s.opened.places(ctx, entry)
	if err != nil {
		return err
	}
	work := make(chan place)
	failed := make(chan error, truncations)
	var all sync.WaitGroup
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for range truncations {
		all.Go(func() {
			for p := range work {
				if err := truncate(ctx, s.Store, p.Stream, part{File: entry.Revision, First: p.First, End: p.End}); err != nil {
					failed <- fmt.Errorf("%s: %w", p.Stream, err)
					cancel()
					return
				}
			}
		})
	}
give:
	for _, p := range places {
		select {
		case work <- p:
		case <-ctx.Done():
			break give
		}
	}
	close(work)
	all.Wait()
	close(failed)
	for err := range failed {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	last, _, _ := s.catalog.state()
	_, err = s.catalog.append(ctx, last, truncatedType, truncation{File: entry.Revision})
	if errors.Is(err, eventstore.ErrConflict) { // another process has written to the catalogue: this one looks again
		return nil
	}
	return err
}
