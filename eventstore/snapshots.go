package eventstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"moviola/domain"
)

const (
	// metaPrefix and the name of a stream form the name of its metadata stream, whose events have the type metaType.
	metaPrefix = "$$"
	metaType   = "$metadata"
)

// Snapshot is an event that contains the state folded from another stream, up to one of that stream's events. A reader starts
// from the snapshot and folds the later events only. A snapshot that does not fit the stream is ignored.
type Snapshot interface {
	domain.Event
	// StandsOn returns the last event that the snapshot includes, by revision and id.
	StandsOn() (revision int64, event string)
}

// Snapshots reads and writes snapshots. A stream of snapshots keeps only its newest event. It is safe for concurrent use.
type Snapshots struct{ log *Log }

// NewSnapshots returns the snapshots of a log.
func NewSnapshots(log *Log) Snapshots { return Snapshots{log: log} }

// Newest returns the newest snapshot in the stream named stream, which was folded from the events of the stream named of.
// The Appended is the revision and position of the last event that the snapshot includes. Newest returns false when there
// is no snapshot, and when this program cannot decode it. It also returns false when the log lacks that last event, for
// example because the log was restored to an earlier moment.
func (s Snapshots) Newest(ctx context.Context, stream, of string) (Snapshot, Appended, bool, error) {
	none := Appended{Revision: NoStream}
	recorded, found, err := first(s.log.store.ReadStream(ctx, stream, Backwards, -1))
	if err != nil || !found {
		return nil, none, false, wrapRead(stream, err)
	}
	event, _, err := s.log.codec.Decode(recorded)
	snapshot, ok := event.(Snapshot)
	if err != nil || !ok {
		return nil, none, false, nil
	}
	revision, id := snapshot.StandsOn()
	base, found, err := first(s.log.store.ReadStream(ctx, of, Forwards, Revision(max(revision, 0))))
	if err != nil || !found || base.Revision != Revision(revision) || base.ID.String() != id {
		return nil, none, false, wrapRead(of, err)
	}
	return snapshot, Appended{Revision: base.Revision, Position: base.Position}, true, nil
}

// first returns the first event that a read yields.
func first(events func(func(Recorded, error) bool)) (Recorded, bool, error) {
	for recorded, err := range events {
		return recorded, err == nil, err
	}
	return Recorded{}, false, nil
}

func wrapRead(stream string, err error) error {
	if err != nil {
		return fmt.Errorf("read %s: %w", stream, err)
	}
	return nil
}

// Take appends a snapshot to its stream. When another process appends one at the same time, only one of the two is stored,
// and that is no error. A snapshot that is too large for one append is ErrTooLarge; the only loss is the time that folding
// takes.
func (s Snapshots) Take(ctx context.Context, stream string, meta Meta, snapshot Snapshot) error {
	if err := s.limit(ctx, stream); err != nil {
		return err
	}
	last, err := s.log.Last(ctx, stream)
	if err != nil {
		return err
	}
	_, err = s.log.Append(ctx, stream, last.Revision, meta, snapshot)
	return ignoreConflict(err)
}

// limit sets $maxCount 1 on a stream of snapshots, so that the store keeps only the newest one.
func (s Snapshots) limit(ctx context.Context, stream string) error {
	described, err := s.log.Last(ctx, metaPrefix+stream)
	if err != nil || described.Revision != NoStream {
		return err
	}
	_, err = s.log.AppendProposed(ctx, metaPrefix+stream, NoStream, Proposed{
		ID: uuid.NewSHA1(idNamespace, []byte(metaPrefix+stream)), Type: metaType, Data: []byte(`{"$maxCount":1}`),
	})
	return ignoreConflict(err)
}

func ignoreConflict(err error) error {
	if errors.Is(err, ErrConflict) {
		return nil
	}
	return err
}
