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
	// One step of archiving writes at most one archive file. It collects no more streams when it has found mostStreams
	// streams, or mostBytes bytes of their events, so that it needs little memory while streams are short.
	mostStreams = 2000
	mostBytes   = 16 << 20
	// truncations is how many streams are truncated at the same time, because the log commits concurrent appends together.
	truncations = 16
)

// Rule says which streams are archived.
type Rule struct {
	// Lane is the name of the rule. For each name the archive remembers up to which position the rule has examined the log,
	// and goes on from there. A rule with a new name begins at the start of the log.
	Lane string
	// Before is a point in time: a stream is archived only if its newest event was stored before this time.
	Before time.Time
	// Ended reports whether a stream has ended. It gets all events of the stream. Events may be appended to an ended stream later.
	Ended func(events []eventstore.Recorded) (bool, error)
}

// Done is the result of one call of Archive or ArchivePrefixes.
type Done struct {
	Files, Streams, Events int
	Bytes                  int64 // total size of the archive files written
}

// ErrBusy says that another process is archiving the same log.
var ErrBusy = errors.New("another process archives the same log")

// Archive copies the events of ended streams from the log to archive files, and then truncates the streams in the log. A
// call that was interrupted can be repeated by any process: no event is lost. A rule looks at a stream again only for
// events that are later in the log than the place that the rule has reached (Rule.Lane).
//
// When the log may collapse streams (CollapseIf), it may also collapse those that were archived before, from the end of
// this call on.
func (s *Store) Archive(ctx context.Context, rule Rule) (Done, error) {
	collapse, err := s.collapses(ctx)
	if err != nil {
		return Done{}, err
	}
	done, err := s.archive(ctx, rule, collapse)
	if err == nil && collapse {
		err = s.collapseEarlier(ctx)
	}
	return done, err
}

// archive is Archive for streams that are not archived yet.
func (s *Store) archive(ctx context.Context, rule Rule, collapse bool) (Done, error) {
	var done Done
	for {
		last, through, err := s.settle(ctx, rule.Lane, collapse)
		if err != nil {
			return done, err
		}
		b, err := s.search(ctx, rule, through)
		if err != nil {
			return done, fmt.Errorf("look for streams that have ended: %w", err)
		}
		if b.through == through {
			return done, nil
		}
		entry := Entry{Through: b.through, Lane: rule.Lane}
		if len(b.events) > 0 {
			if entry, err = s.store(ctx, b); err != nil {
				return done, fmt.Errorf("store an archive file: %w", err)
			}
			entry.Lane = rule.Lane
		}
		if err := s.commit(ctx, last, entry); err != nil {
			return done, err
		}
		done.add(entry)
	}
}

// add counts an archive file.
func (d *Done) add(entry Entry) {
	if entry.Key != "" {
		d.Files, d.Streams, d.Events, d.Bytes = d.Files+1, d.Streams+entry.Streams, d.Events+entry.Events, d.Bytes+entry.Bytes
	}
}

// settle reads the catalogue, and truncates in the log the streams of every archive file for which the catalogue has no
// event $truncated yet. When collapse is true, the log may collapse those of them that have ended. It returns the last
// revision of the catalogue, and the position up to which the rule named lane has examined the log.
func (s *Store) settle(
	ctx context.Context, lane string, collapse bool,
) (last eventstore.Revision, through eventstore.Position, err error) {
	for {
		if _, err := s.catalog.refresh(ctx); err != nil {
			return 0, eventstore.Position{}, err
		}
		last, through, open := s.catalog.state(lane)
		if len(open) == 0 {
			return last, through, nil
		}
		for _, entry := range open {
			if err := s.truncateStreams(ctx, entry, collapse); err != nil {
				return last, through, fmt.Errorf("truncate what is in archive file %s: %w", entry.Key, err)
			}
		}
		// The next round reads the catalogue again, because truncateStreams has appended events to it.
	}
}

// collapseEarlier lets the log collapse the streams of archive files that were truncated when it could not. A file that
// cannot be read does not keep it from the others.
func (s *Store) collapseEarlier(ctx context.Context) error {
	if _, err := s.catalog.refresh(ctx); err != nil {
		return err
	}
	var failures []error
	for _, entry := range s.catalog.uncollapsed() {
		err := s.compare(ctx, entry) // the log may have the last intact copy of an event whose block is damaged
		if err == nil {
			err = s.truncateStreams(ctx, entry, true)
		}
		if err != nil {
			failures = append(failures, fmt.Errorf("collapse what is in archive file %s: %w", entry.Key, err))
		}
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(failures...)
}

// announce writes to the catalogue, once, that the log may collapse streams from now on: versions that cannot read such streams
// then say so when they read the catalogue.
func (s *Store) announce(ctx context.Context) error {
	for {
		if _, err := s.catalog.refresh(ctx); err != nil || s.catalog.announced() {
			return err
		}
		last, _, _ := s.catalog.state("")
		_, err := s.catalog.append(ctx, last, collapsingType, struct{}{})
		if err != nil && !errors.Is(err, eventstore.ErrConflict) {
			return err
		}
	}
}

// step has the events that one step archives together.
type step struct {
	events  []eventstore.Recorded
	month   string              // month of a last event of the step, for the key of the archive file
	through eventstore.Position // the rule has examined every stream whose newest event is at or before this position
}

// stretch is a part of the log that was searched: its end, and the streams of the archive's category that have events in
// it.
type stretch struct {
	streams []string
	month   string
	end     eventstore.Position
}

// search collects the streams that have ended, from a position of the log on.
func (s *Store) search(ctx context.Context, rule Rule, from eventstore.Position) (step, error) {
	part, err := s.stretch(ctx, rule.Before, from)
	b := step{month: part.month, through: part.end}
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

// stretch reads the log forwards and collects the streams of s.category. from is the position after which it begins.
// before is a time: stretch ends at the first event that was created at or after it. stretch also ends at the end of a
// month in which it has found a stream, and when it has found mostStreams streams, or mostBytes bytes of their events.
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

// candidate returns the events of a stream that are to be archived and are not archived yet. It returns none when, for
// example, the stream has not ended, or has events after the position given by end.
func (s *Store) candidate(
	ctx context.Context, stream string, end eventstore.Position, ended func([]eventstore.Recorded) (bool, error),
) ([]eventstore.Recorded, error) {
	described, err := describe(ctx, s.Store, stream)
	if err != nil {
		return nil, err
	}
	if archived, err := s.wholly(ctx, stream, described); err != nil || archived {
		return nil, err
	}
	var events []eventstore.Recorded
	for event, err := range s.ReadStream(ctx, stream, eventstore.Forwards, 0) {
		if err != nil {
			return nil, err
		}
		events = append(events, event)
	}
	if len(events) < 2 || events[0].Revision != 0 || events[len(events)-1].Position.Compare(end) > 0 {
		return nil, nil // the newest event always stays in the log, so archiving a stream of one event would gain nothing
	}
	if is, err := ended(events); err != nil || !is {
		return nil, err
	}
	return events[min(described.Archived.end(), eventstore.Revision(len(events))):], nil
}

// wholly reports whether all events of a stream are in the archive. It reads nothing from archive files.
func (s *Store) wholly(ctx context.Context, stream string, described description) (bool, error) {
	if len(described.Archived.Parts) == 0 {
		return false, nil
	}
	for event, err := range s.Store.ReadStream(ctx, stream, eventstore.Backwards, -1) {
		return err == nil && event.Revision < described.Archived.end(), err
	}
	return true, nil
}

// store writes an archive file, reads it back and compares it with the events.
func (s *Store) store(ctx context.Context, b step) (Entry, error) {
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

// verify reads a whole archive file and compares it with the events that the file must contain.
func (s *Store) verify(ctx context.Context, entry Entry, want []eventstore.Recorded) error {
	if err := s.compare(ctx, entry); err != nil {
		return err
	}
	fresh := newDirectoryCache(s.files) // without cached directories, as another process would read the file
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

// commit adds an archive file to the catalogue. From then on readers use the file.
func (s *Store) commit(ctx context.Context, after eventstore.Revision, entry Entry) error {
	_, err := s.catalog.append(ctx, after, archivedType, entry)
	if !errors.Is(err, eventstore.ErrConflict) {
		// The append may have succeeded in spite of an error, so the file stays. A file that the catalogue does not name does no harm.
		return err
	}
	if entry.Key != "" {
		if err := s.files.Delete(ctx, entry.Key); err != nil {
			return err
		}
	}
	return ErrBusy
}

// truncateStreams truncates the streams of an archive file in the log, and records in the catalogue that it has done so.
func (s *Store) truncateStreams(ctx context.Context, entry Entry, collapse bool) error {
	places, err := s.opened.places(ctx, entry)
	if err == nil && collapse {
		err = s.announce(ctx)
	}
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
				whole := part{File: entry.Revision, First: p.First, End: p.End}
				if err := truncate(ctx, s.Store, p.Stream, whole, collapse && s.mayCollapse(p.Stream)); err != nil {
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
	if _, err := s.catalog.refresh(ctx); err != nil {
		return err
	}
	last, _, _ := s.catalog.state("")
	_, err = s.catalog.append(ctx, last, truncatedType, truncation{File: entry.Revision, Collapse: collapse})
	if errors.Is(err, eventstore.ErrConflict) { // another process has written to the catalogue; the caller reads it again
		return nil
	}
	return err
}
