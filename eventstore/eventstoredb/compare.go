package eventstoredb

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"strings"

	"moviola/eventstore"
)

// Compared is the result of a comparison of two logs.
type Compared struct {
	Events int64  // number of events compared, in the order of $all; without stream metadata and system events
	Digest string // hex SHA-256 over stream, revision, id, type, data and metadata of each event compared
}

// Compare compares a copy with its source, from the beginning up to the position end of the source: both must have the same
// events in the same order. It leaves out system events and the metadata of streams. An event that only one of them has is
// skipped when retention has taken it out of its stream in the source.
func Compare(ctx context.Context, from Source, to *Store, end eventstore.Position) (Compared, error) {
	nextSource, stopSource := iter.Pull2(compared(from.ReadEverything(ctx, eventstore.Forwards, eventstore.Position{}), end))
	defer stopSource()
	nextTarget, stopTarget := iter.Pull2(compared(to.ReadEverything(ctx, eventstore.Forwards, eventstore.Position{}),
		eventstore.Position{}))
	defer stopTarget()
	var done Compared
	digest := sha256.New()
	source, err, more := nextSource()
	target, failed, moreTarget := nextTarget()
	for more || moreTarget {
		switch {
		case err != nil:
			return done, fmt.Errorf("compare, in the source: %w", err)
		case failed != nil:
			return done, fmt.Errorf("compare, in the target: %w", failed)
		}
		if more && moreTarget && sameEvent(source, target) {
			addEvent(digest, source)
			done.Events++
			source, err, more = nextSource()
			target, failed, moreTarget = nextTarget()
			continue
		}
		skip, err := removed(ctx, from, source, more)
		if err != nil {
			return done, err
		}
		if skip {
			source, err, more = nextSource()
			if err != nil {
				return done, fmt.Errorf("compare, in the source: %w", err)
			}
			continue
		}
		if skip, err = removed(ctx, from, target, moreTarget); err != nil {
			return done, err
		}
		if !skip {
			return done, fmt.Errorf("the target is no copy of the source: after %d equal events the source goes on with %s "+
				"and the target with %s; "+
				"empty the target and copy anew", done.Events, called(source, more), called(target, moreTarget))
		}
		target, failed, moreTarget = nextTarget()
	}
	done.Digest = fmt.Sprintf("%x", digest.Sum(nil))
	return done, nil
}

// compared yields the events of a log that are to be compared, up to a position; the zero position means no end.
func compared(all iter.Seq2[eventstore.Recorded, error], end eventstore.Position) iter.Seq2[eventstore.Recorded, error] {
	return func(yield func(eventstore.Recorded, error) bool) {
		for event, err := range all {
			if err == nil && end != (eventstore.Position{}) && end.Compare(event.Position) < 0 {
				return
			}
			if err == nil && (!isCopied(event) || strings.HasPrefix(event.Stream, metaPrefix)) {
				continue
			}
			if !yield(event, err) || err != nil {
				return
			}
		}
	}
}

// removed reports whether event is no longer in its stream in the source. The parameter is tells whether the caller has an
// event; without one, removed returns false.
func removed(ctx context.Context, from Source, event eventstore.Recorded, is bool) (bool, error) {
	if !is {
		return false, nil
	}
	for there, err := range from.ReadStream(ctx, event.Stream, eventstore.Forwards, event.Revision) {
		return err == nil && there.ID != event.ID, err
	}
	return true, nil
}

func sameEvent(a, b eventstore.Recorded) bool {
	return a.ID == b.ID && a.Stream == b.Stream && a.Revision == b.Revision && a.Type == b.Type &&
		bytes.Equal(a.Data, b.Data) && bytes.Equal(a.Metadata, b.Metadata)
}

func addEvent(digest io.Writer, event eventstore.Recorded) {
	var length [8]byte
	for _, part := range [][]byte{[]byte(event.Stream), fmt.Append(nil, event.Revision), event.ID[:], []byte(event.Type),
		event.Data, event.Metadata} {
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		_, _ = digest.Write(length[:]) // a hash never fails
		_, _ = digest.Write(part)
	}
}

func called(event eventstore.Recorded, is bool) string {
	if !is {
		return "nothing"
	}
	return fmt.Sprintf("event %d of %s", event.Revision, event.Stream)
}
