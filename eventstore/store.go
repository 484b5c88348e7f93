// Package eventstore is the interface to the log: the Store, the codec that turns domain events into stored ones and back, and
// the helpers that fold a stream or follow the log. Its folders hold the implementations: eventstoredb (the official client),
// embedded (a server of our own that the client talks to), archived (another of them, with old streams in files) and memory
// (unit tests).
package eventstore

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Revision is the number of an event in its stream: 0, 1, 2, ...
type Revision int64

// NoStream is the revision of a stream that has no event yet.
const NoStream Revision = -1

// Position is a place in the log of all streams. Positions grow, with gaps; the zero Position is before the first event.
type Position struct {
	Commit  uint64
	Prepare uint64
}

// Compare returns -1, 0 or +1 as p comes before q, is q, or comes after q.
func (p Position) Compare(q Position) int {
	switch {
	case p.Commit < q.Commit || p.Commit == q.Commit && p.Prepare < q.Prepare:
		return -1
	case p == q:
		return 0
	default:
		return 1
	}
}

// Proposed is an event to be appended. A retry of the same append uses the same ID.
type Proposed struct {
	ID       uuid.UUID
	Type     string
	Data     []byte // event as JSON
	Metadata []byte // Metadata as JSON
}

// Recorded is a stored event.
type Recorded struct {
	ID       uuid.UUID
	Stream   string
	Revision Revision
	Position Position
	Type     string
	Data     []byte
	Metadata []byte
	Created  time.Time
}

// Appended is where an append ended: revision and position of its last event.
type Appended struct {
	Revision Revision
	Position Position
}

// Direction of a read.
type Direction int

// Forwards means from old to new, Backwards from new to old.
const (
	Forwards Direction = iota
	Backwards
)

// Store appends to and reads from the log.
//
// Every call ends when its context ends, with the context's error, possibly wrapped. All methods are safe for concurrent use. A
// transient failure (the server cannot be reached) is ErrUnavailable. The outcome of an append is then unknown: the caller
// retries it with the same event ids and the same expected revision, which is idempotent.
type Store interface {
	// Append adds events to a stream, all or none, when the stream's last revision is the expected one (NoStream for a new stream).
	// Otherwise it returns a *ConflictError, which matches ErrConflict and has the stream's actual revision. It needs at least one
	// event. An append is idempotent: when events with the same ids are already stored from expected+1 on, it succeeds and writes
	// nothing.
	Append(ctx context.Context, stream string, expected Revision, events ...Proposed) (Appended, error)

	// ReadStream yields the events of a stream that retention leaves visible, beginning with the revision from. Backwards,
	// a negative from means the end of the stream. A stream that does not exist yields nothing. An error is the last pair
	// of the sequence; a read that was cut short always yields one, and never looks like the end of the stream.
	ReadStream(ctx context.Context, stream string, dir Direction, from Revision) iter.Seq2[Recorded, error]

	// Head returns the position of the last event of the log, system events included, and the zero Position when the log is
	// empty. It reads one event.
	Head(ctx context.Context) (Position, error)

	// ReadAll yields the events of the log. With Forwards, it yields the events after the position from, the oldest
	// first. With Backwards, it yields the events before from, the newest first. When from is the zero Position, it
	// yields the whole log in either direction. System events (types that begin with $) are left out.
	ReadAll(ctx context.Context, dir Direction, from Position) iter.Seq2[Recorded, error]

	// Subscribe follows the log after a position, in commit order, without gaps or repetitions (a catch-up subscription): first
	// the stored events, then a CaughtUp, then new events. System events are left out. The subscription ends with its context.
	Subscribe(ctx context.Context, after Position, filter Filter) (Subscription, error)
}

// Filter narrows a subscription. The zero Filter matches every event that is not a system event.
type Filter struct {
	// Categories are the stream categories that match: the part of a stream's name before its first dash. Empty: all.
	Categories []string
}

// Matches reports whether a subscription with this filter brings an event.
func (f Filter) Matches(event Recorded) bool {
	if strings.HasPrefix(event.Type, "$") {
		return false
	}
	category, id := SplitStream(event.Stream)
	return len(f.Categories) == 0 || len(event.Stream) > len(category)+len(id) && slices.Contains(f.Categories, category)
}

// Subscription reads the log from a position on.
type Subscription interface {
	// Next waits for the next notice. After an error the subscription has ended: the caller subscribes again after the last
	// position seen.
	Next(ctx context.Context) (Notice, error)
	// Close ends the subscription. It may be called at any time and more than once.
	Close()
}

// Notice is one message of a subscription. Exactly one of its fields is set.
type Notice struct {
	Event      *Recorded
	Checkpoint *Position // the server has searched the log up to this position; no event after the last Event matches the filter
	CaughtUp   bool      // every stored event was brought: from now on events come as they are appended
	FellBehind bool      // the subscription is behind the end of the log again
}

// ErrConflict is what errors.Is finds in a *ConflictError.
var ErrConflict = errors.New("the stream is not at the expected revision")

// ErrUnavailable says that the store cannot be reached now. An append that ends with it may have been stored.
var ErrUnavailable = errors.New("the event store is unavailable")

// ErrIncomplete says that a file with a part of the log could not be read: for example, the file is missing or damaged, or
// its storage does not answer. The error names the file. A call that is repeated usually fails again until somebody has
// done something about it.
var ErrIncomplete = errors.New("the log cannot be read as a whole")

// ErrTooLarge says that an append is larger than the store takes in one call (EventStoreDB: 1 MiB). A retry would fail again.
var ErrTooLarge = errors.New("the append is too large")

// ConflictError says at which revision the stream is instead of the expected one.
type ConflictError struct {
	Stream   string
	Expected Revision
	Actual   Revision
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("stream %s is at revision %d, not %d", e.Stream, e.Actual, e.Expected)
}

// Is makes errors.Is(err, ErrConflict) true.
func (e *ConflictError) Is(target error) bool { return target == ErrConflict }
