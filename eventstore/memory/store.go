// Package memory implements eventstore.Store in memory, for unit tests. Nothing in it is durable, and it ignores $maxAge.
// Tests can inject faults to see what a caller does when the store fails before or after it has stored an append.
package memory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"sort"
	"strings"
	"sync"
	"time"

	"moviola/eventstore"
)

var _ eventstore.Store = (*Store)(nil)

// maxAppendBytes is the maximum size of one append: the default of EventStoreDB, in bytes.
const maxAppendBytes = 1 << 20

// gap is the distance between two positions: more than one, so that no caller relies on positions without gaps.
const gap = 16

// Store is an eventstore.Store in memory.
type Store struct {
	now func() time.Time

	mu      sync.Mutex
	log     []eventstore.Recorded
	streams map[string][]int // indices in the field log of the events of each stream
	changed chan struct{}    // closed and replaced at each append, and when subscriptions are dropped
	dropped int              // how many times subscriptions were dropped
	faults  Faults
}

// Option is an option of New.
type Option func(*Store)

// WithClock sets the clock for the creation time of events. The default is time.Now.
func WithClock(now func() time.Time) Option {
	return func(s *Store) { s.now = now }
}

// New returns an empty store.
func New(options ...Option) *Store {
	s := &Store{now: time.Now, streams: map[string][]int{}, changed: make(chan struct{})}
	for _, option := range options {
		option(s)
	}
	return s
}

// Append implements eventstore.Store.
func (s *Store) Append(
	ctx context.Context, stream string, expected eventstore.Revision, events ...eventstore.Proposed,
) (eventstore.Appended, error) {
	if err := check(stream, expected, events); err != nil {
		return eventstore.Appended{}, err
	}
	if err := ctx.Err(); err != nil {
		return eventstore.Appended{}, fmt.Errorf("append to %s: %w", stream, err)
	}
	faults := s.currentFaults()
	if err := faults.before(ctx, stream, events); err != nil {
		return eventstore.Appended{}, fmt.Errorf("append to %s: %w", stream, err)
	}
	appended, err := s.append(stream, expected, events)
	if err != nil {
		return eventstore.Appended{}, err
	}
	if err := faults.after(ctx, stream, events); err != nil {
		return eventstore.Appended{}, fmt.Errorf("append to %s: %w", stream, err)
	}
	return appended, nil
}

func check(stream string, expected eventstore.Revision, events []eventstore.Proposed) error {
	if stream == "" || len(events) == 0 {
		return errors.New("an append needs the name of a stream and at least one event")
	}
	if expected < eventstore.NoStream {
		return fmt.Errorf("append to %s: %d is no revision", stream, expected)
	}
	size := 0
	for _, event := range events {
		size += len(event.Data) + len(event.Metadata) + 2*len(event.Type)
	}
	if size > maxAppendBytes {
		return fmt.Errorf("append %d bytes to %s: %w", size, stream, eventstore.ErrTooLarge)
	}
	return nil
}

func (s *Store) append(stream string, expected eventstore.Revision, events []eventstore.Proposed) (eventstore.Appended, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	indices := s.streams[stream]
	actual := eventstore.Revision(len(indices)) - 1
	if expected == eventstore.NoStream {
		expected = s.absent(stream)
	}
	if expected != actual {
		return s.repeated(stream, expected, events)
	}
	for _, event := range events {
		indices = append(indices, len(s.log))
		s.log = append(s.log, eventstore.Recorded{
			ID:       event.ID,
			Stream:   stream,
			Revision: eventstore.Revision(len(indices)) - 1,
			Position: positionAt(len(s.log)),
			Type:     event.Type,
			Data:     bytes.Clone(event.Data),
			Metadata: bytes.Clone(event.Metadata),
			Created:  s.now().UTC(),
		})
	}
	s.streams[stream] = indices
	s.wake()
	return appendedAt(s.log[len(s.log)-1]), nil
}

// repeated decides an append whose expected revision is not the stream's last one: it succeeds when events with the same
// ids are already stored at that place, and is a conflict otherwise.
func (s *Store) repeated(stream string, expected eventstore.Revision, events []eventstore.Proposed) (eventstore.Appended, error) {
	indices := s.streams[stream]
	conflict := &eventstore.ConflictError{Stream: stream, Expected: expected, Actual: eventstore.Revision(len(indices)) - 1}
	if int(expected)+len(events) >= len(indices) {
		return eventstore.Appended{}, conflict
	}
	var last eventstore.Recorded
	for i, event := range events {
		last = s.log[indices[int(expected)+1+i]]
		if last.ID != event.ID {
			return eventstore.Appended{}, conflict
		}
	}
	return appendedAt(last), nil
}

// wake makes every waiting subscription check the log again. The caller holds the lock.
func (s *Store) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// ReadStream implements eventstore.Store.
func (s *Store) ReadStream(
	ctx context.Context, stream string, dir eventstore.Direction, from eventstore.Revision,
) iter.Seq2[eventstore.Recorded, error] {
	return func(yield func(eventstore.Recorded, error) bool) {
		s.mu.Lock()
		log := s.log
		indices := s.streams[stream]
		visible := s.firstVisible(stream)
		s.mu.Unlock()
		if dir == eventstore.Backwards && (from < 0 || int(from) >= len(indices)) {
			from = eventstore.Revision(len(indices)) - 1
		}
		step, i := 1, max(int(from), visible)
		if dir == eventstore.Backwards {
			step, i = -1, int(from)
		}
		next := func() (eventstore.Recorded, bool) {
			if i < visible || i >= len(indices) {
				return eventstore.Recorded{}, false
			}
			i += step
			return log[indices[i-step]], true
		}
		s.yieldAll(ctx, next, yield)
	}
}

// ReadAll implements eventstore.Store.
func (s *Store) ReadAll(
	ctx context.Context, dir eventstore.Direction, from eventstore.Position,
) iter.Seq2[eventstore.Recorded, error] {
	return func(yield func(eventstore.Recorded, error) bool) {
		s.mu.Lock()
		log := s.log
		s.mu.Unlock()
		step, i := 1, firstAfter(log, from)
		if dir == eventstore.Backwards {
			step, i = -1, firstFrom(log, from)-1
			if from == (eventstore.Position{}) {
				i = len(log) - 1
			}
		}
		next := func() (eventstore.Recorded, bool) {
			for ; i >= 0 && i < len(log); i += step {
				if !isSystem(log[i]) {
					i += step
					return log[i-step], true
				}
			}
			return eventstore.Recorded{}, false
		}
		s.yieldAll(ctx, next, yield)
	}
}

// Head implements eventstore.Store.
func (s *Store) Head(ctx context.Context) (eventstore.Position, error) {
	err := s.currentFaults().read(ctx)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return eventstore.Position{}, fmt.Errorf("read the end of the log: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.log) == 0 {
		return eventstore.Position{}, nil
	}
	return s.log[len(s.log)-1].Position, nil
}

// yieldAll yields the results of next until next returns false, the reader stops or the context ends; then it yields the
// context's error. When the store's injected fault makes the read fail, yieldAll yields that error only.
func (s *Store) yieldAll(
	ctx context.Context, next func() (eventstore.Recorded, bool), yield func(eventstore.Recorded, error) bool,
) {
	if err := s.currentFaults().read(ctx); err != nil {
		yield(eventstore.Recorded{}, fmt.Errorf("read: %w", err))
		return
	}
	for {
		if err := ctx.Err(); err != nil {
			yield(eventstore.Recorded{}, fmt.Errorf("read: %w", err))
			return
		}
		recorded, ok := next()
		if !ok || !yield(copyOf(recorded), nil) {
			return
		}
	}
}

func positionAt(index int) eventstore.Position {
	at := uint64(index+1) * gap
	return eventstore.Position{Commit: at, Prepare: at}
}

func firstAfter(log []eventstore.Recorded, p eventstore.Position) int {
	return sort.Search(len(log), func(i int) bool { return log[i].Position.Compare(p) > 0 })
}

func firstFrom(log []eventstore.Recorded, p eventstore.Position) int {
	return sort.Search(len(log), func(i int) bool { return log[i].Position.Compare(p) >= 0 })
}

func isSystem(r eventstore.Recorded) bool { return strings.HasPrefix(r.Type, "$") }

func appendedAt(r eventstore.Recorded) eventstore.Appended {
	return eventstore.Appended{Revision: r.Revision, Position: r.Position}
}

// copyOf copies an event, so that a reader's changes do not reach the log.
func copyOf(r eventstore.Recorded) eventstore.Recorded {
	r.Data, r.Metadata = bytes.Clone(r.Data), bytes.Clone(r.Metadata)
	return r
}
