package archived

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"

	"moviola/eventstore"
)

var _ eventstore.Store = (*Store)(nil)

// Files stores the archive files. Their keys begin with blobkey.History.
type Files interface {
	// Put stores the bytes of r. They are durable when it returns.
	Put(ctx context.Context, key string, r io.Reader) error
	Open(ctx context.Context, key string) (io.ReadSeekCloser, error)
	Delete(ctx context.Context, key string) error
}

// Store is a log together with its archive. It is safe for concurrent use.
type Store struct {
	eventstore.Store // the log, which this Store wraps
	files            Files
	category         string   // category of the streams that are archived when they have ended
	begun            []string // categories of the streams of which the oldest events may be archived
	catalog          *catalog
	opened           *directoryCache
	mayFunc          func(context.Context) (bool, error) // reports whether the log may collapse streams; nil: it may not
}

// New returns a store that reads log together with its archive files. Archive archives streams of the given category when
// they have ended. ArchivePrefixes archives the oldest events of streams that have not ended; begun lists the categories
// of those streams.
func New(log eventstore.Store, files Files, category string, begun ...string) *Store {
	return &Store{
		Store: log, files: files, category: category, begun: begun, catalog: newCatalog(log), opened: newDirectoryCache(files),
	}
}

// CollapseIf lets the log collapse the streams that have ended, from the next step of archiving for which the function may
// returns true. That must be so only when the log can collapse streams, and every running process reads collapsed streams.
// It is called before the store is used.
func (s *Store) CollapseIf(may func(context.Context) (bool, error)) { s.mayFunc = may }

// collapses reports whether the log may collapse streams now.
func (s *Store) collapses(ctx context.Context) (bool, error) {
	if s.mayFunc == nil {
		return false, nil
	}
	may, err := s.mayFunc(ctx)
	if err != nil {
		return false, fmt.Errorf("find out whether archived streams may be collapsed: %w", err)
	}
	return may, nil
}

// mayCollapse reports whether a stream may be collapsed in the log: then the log has no event of it.
func (s *Store) mayCollapse(stream string) bool {
	category, _ := eventstore.SplitStream(stream)
	return category == s.category
}

// Append implements eventstore.Store. The error of a conflict tells the last revision of a collapsed stream, too.
func (s *Store) Append(
	ctx context.Context, stream string, expected eventstore.Revision, events ...eventstore.Proposed,
) (eventstore.Appended, error) {
	done, err := s.Store.Append(ctx, stream, expected, events...)
	var conflict *eventstore.ConflictError
	if !errors.As(err, &conflict) || conflict.Actual != eventstore.NoStream || !s.mayCollapse(stream) {
		return done, err
	}
	for newest, failed := range s.ReadStream(ctx, stream, eventstore.Backwards, -1) {
		if failed != nil {
			return done, fmt.Errorf("after a conflict: %w", failed)
		}
		return done, &eventstore.ConflictError{Stream: stream, Expected: expected, Actual: newest.Revision}
	}
	return done, err
}

// archives reports whether streams of a category may have events in the archive.
func (s *Store) archives(category string) bool {
	return category == s.category || slices.Contains(s.begun, category)
}

// A log reads a stream in pages. What is behind the first page may be collapsed before it is read: a page has at most so
// many events, and ends when it has more than so many bytes.
const (
	pageEvents = 256
	pageBytes  = 1 << 20
)

// ReadStream implements eventstore.Store. A stream that is not truncated is read from the log alone, at no extra cost.
func (s *Store) ReadStream(
	ctx context.Context, stream string, dir eventstore.Direction, from eventstore.Revision,
) iter.Seq2[eventstore.Recorded, error] {
	if dir == eventstore.Backwards {
		return s.readBackwards(ctx, stream, from)
	}
	return func(yield func(eventstore.Recorded, error) bool) {
		next, count, size := max(from, 0), 0, 0
		for event, err := range s.Store.ReadStream(ctx, stream, dir, from) {
			count, size = count+1, size+len(event.Data)+len(event.Metadata)
			if err == nil && event.Revision > next && !s.fill(ctx, stream, dir, next, event.Revision, yield) {
				return
			}
			if !yield(event, err) || err != nil {
				return
			}
			next = event.Revision + 1
		}
		if s.mayCollapse(stream) && (count == 0 || count >= pageEvents || size >= pageBytes) {
			s.fill(ctx, stream, dir, next, math.MaxInt64, yield)
		}
	}
}

// readBackwards reads a stream from new to old.
func (s *Store) readBackwards(
	ctx context.Context, stream string, from eventstore.Revision,
) iter.Seq2[eventstore.Recorded, error] {
	return func(yield func(eventstore.Recorded, error) bool) {
		next, seen := from, false // next is the revision that is expected next when seen is true
		for event, err := range s.Store.ReadStream(ctx, stream, eventstore.Backwards, from) {
			if err == nil && seen && event.Revision < next &&
				!s.fill(ctx, stream, eventstore.Backwards, event.Revision+1, next+1, yield) {
				return
			}
			if !yield(event, err) || err != nil {
				return
			}
			next, seen = event.Revision-1, true
		}
		switch {
		case next >= 0:
			s.fill(ctx, stream, eventstore.Backwards, 0, next+1, yield)
		case !seen && s.mayCollapse(stream):
			s.fill(ctx, stream, eventstore.Backwards, 0, math.MaxInt64, yield)
		}
	}
}

// fill yields the archived events of a stream with low <= revision < high. It returns false when the reader has stopped or an
// error has occurred. Events that no archive file has were removed by retention, and are skipped.
func (s *Store) fill(
	ctx context.Context, stream string, dir eventstore.Direction, low, high eventstore.Revision,
	yield func(eventstore.Recorded, error) bool,
) bool {
	events, err := s.archivedEvents(ctx, stream, low, high)
	if err != nil {
		yield(eventstore.Recorded{}, fmt.Errorf("read stream %s from the archive: %w", stream, err))
		return false
	}
	for i := range events {
		if dir == eventstore.Backwards {
			i = len(events) - 1 - i
		}
		if !yield(events[i], nil) {
			return false
		}
	}
	return true
}

// errIncomplete says that an archive file lacks events of a stream although the stream's metadata says that the file has
// them. In its text, "it" is the stream that the wrapping error names.
var errIncomplete = errors.New("the archive lacks events of it: restore the archive files from a backup")

// archivedEvents returns a stream's archived events with low <= revision < high.
func (s *Store) archivedEvents(
	ctx context.Context, stream string, low, high eventstore.Revision,
) ([]eventstore.Recorded, error) {
	described, err := describe(ctx, s.Store, stream)
	if err != nil {
		return nil, err
	}
	var events []eventstore.Recorded
	for _, part := range described.Archived.Parts {
		if part.End <= low || part.First >= high {
			continue
		}
		entry, err := s.catalog.at(ctx, part.File)
		if err != nil {
			return nil, err
		}
		found, err := s.opened.stream(ctx, entry, stream)
		if err != nil {
			return nil, err
		}
		if len(found) != int(part.End-part.First) || found[0].Revision != part.First {
			return nil, unreadable(entry.Key, errIncomplete)
		}
		events = append(events, found[max(low-part.First, 0):min(high, part.End)-part.First]...)
	}
	return events, nil
}
