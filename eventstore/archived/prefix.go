package archived

import (
	"context"
	"fmt"
	"slices"

	"moviola/eventstore"
)

// Prefix names the oldest events of a stream: those up to a revision.
type Prefix struct {
	Stream  string
	Through eventstore.Revision // revision of the newest event that the prefix includes
}

// ArchivePrefixes copies to archive files the oldest events of streams that have not ended, and then truncates the streams in the
// log. As with Archive, the newest archived event of each stream stays in the log, too. A call that was interrupted can be
// repeated by any process; events that are archived already are passed over.
func (s *Store) ArchivePrefixes(ctx context.Context, prefixes []Prefix) (Done, error) {
	var done Done
	collapse, err := s.collapses(ctx)
	if err == nil {
		_, _, err = s.settle(ctx, "", collapse)
	}
	if err != nil {
		return done, err
	}
	var b step
	streams, size := 0, 0
	for _, prefix := range prefixes {
		described, err := describe(ctx, s.Store, prefix.Stream)
		if err != nil {
			return done, fmt.Errorf("%s: %w", prefix.Stream, err)
		}
		next, counted := described.Archived.end(), false
		if next > prefix.Through {
			continue
		}
		for event, err := range s.Store.ReadStream(ctx, prefix.Stream, eventstore.Forwards, next) {
			if err == nil && event.Revision != next {
				err = fmt.Errorf("the log has event %d where %d is expected", event.Revision, next)
			}
			if err != nil {
				return done, fmt.Errorf("%s: %w", prefix.Stream, err)
			}
			if next > prefix.Through {
				break
			}
			if !counted {
				streams, counted = streams+1, true
			}
			b.events, b.month, next = append(b.events, event), event.Created.UTC().Format("2006-01"), next+1
			if size += len(event.Data) + len(event.Metadata); size < mostBytes && streams < mostStreams {
				continue
			}
			if err := s.flush(ctx, &b, &done, collapse); err != nil {
				return done, err
			}
			streams, size, counted = 0, 0, false
		}
	}
	return done, s.flush(ctx, &b, &done, collapse)
}

// flush writes the events collected in b to an archive file, truncates their streams in the log, adds the file to done,
// and empties b. When b has no events, flush does nothing.
func (s *Store) flush(ctx context.Context, b *step, done *Done, collapse bool) error {
	if len(b.events) == 0 {
		return nil
	}
	last, through, err := s.settle(ctx, "", collapse)
	if err != nil {
		return err
	}
	slices.SortFunc(b.events, func(a, b eventstore.Recorded) int { return a.Position.Compare(b.Position) })
	b.through = through
	entry, err := s.store(ctx, *b)
	if err != nil {
		return fmt.Errorf("store an archive file: %w", err)
	}
	if err := s.commit(ctx, last, entry); err != nil {
		return err
	}
	done.add(entry)
	*b = step{}
	_, _, err = s.settle(ctx, "", collapse)
	return err
}
