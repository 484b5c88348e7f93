package embedded

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"moviola/eventstore/embedded/logfile"
)

// expectation is the expected revision of a write.
type expectation struct {
	kind     expectationKind
	revision int64 // the expected revision when kind is expectExact
}

type expectationKind int

const (
	expectAny expectationKind = iota
	expectNoStream
	expectExists
	expectExact
)

// last is the revision that the stream is expected to end at. It is defined for expectNoStream and expectExact only.
func (e expectation) last() int64 {
	if e.kind == expectNoStream {
		return -1
	}
	return e.revision
}

var errStreamDeleted = errors.New("the stream is deleted")

// wrongVersionError is a conflict. current is the stream's actual revision; -1: it has no events.
type wrongVersionError struct{ current int64 }

func (e *wrongVersionError) Error() string {
	return fmt.Sprintf("the stream is at revision %d", e.current)
}

// verdict is the decision on an append. When the same append was stored before, done is its last record. When done is nil, the
// append has to be written.
type verdict struct{ done *logfile.Record }

// decide compares an append's expected revision with the last revision of its stream. It changes nothing, so a refused append
// leaves no trace.
func (w *writer) decide(ctx context.Context, h *logfile.Head, op *operation) (verdict, error) {
	switch op.expected.kind {
	case expectAny, expectExists:
		if op.expected.kind == expectExists {
			if h.Meta.SoftDeleted() {
				return verdict{}, errStreamDeleted
			}
			if h.Last < 0 && !h.Meta.Known {
				return verdict{}, &wrongVersionError{current: h.Last}
			}
		}
		return w.decideByID(ctx, h, op)
	default:
		return w.decideByRevision(ctx, h, op)
	}
}

// decideByID recognises a retried append without an expected revision by its events' ids, anywhere in the stream.
func (w *writer) decideByID(ctx context.Context, h *logfile.Head, op *operation) (verdict, error) {
	var last *logfile.Record
	for i, event := range op.events {
		found, err := w.find(ctx, op.stream, event.ID)
		if err != nil {
			return verdict{}, err
		}
		if found == nil && i == 0 {
			return verdict{}, nil
		}
		if found == nil {
			return verdict{}, &wrongVersionError{current: h.Last}
		}
		last = found
	}
	return verdict{done: last}, nil
}

// decideByRevision compares the expected revision with the stream's last revision. When the stream has events after the expected
// revision, decideByRevision compares the ids of these events with those of the append, to recognise a retry.
func (w *writer) decideByRevision(ctx context.Context, h *logfile.Head, op *operation) (verdict, error) {
	expected := op.expected.last()
	if op.expected.kind == expectNoStream {
		expected = h.Absent()
	}
	wrong := &wrongVersionError{current: h.Last}
	switch {
	case expected == h.Last:
		return verdict{}, nil
	case expected > h.Last:
		return verdict{}, wrong
	case len(op.events) == 0:
		return verdict{}, wrong
	}
	there, err := w.revisions(ctx, op.stream, expected+1, expected+int64(len(op.events)))
	if err != nil {
		return verdict{}, err
	}
	for i, event := range op.events {
		if i < len(there) && there[i].ID == event.ID {
			continue
		}
		if i == 0 && op.expected.kind == expectNoStream && h.Meta.SoftDeleted() {
			return verdict{}, nil // a deleted stream counts as one without events
		}
		return verdict{}, wrong
	}
	return verdict{done: there[len(there)-1]}, nil
}

// find looks for an event id in a stream: among the records that the writer has not committed yet, and in the log.
func (w *writer) find(ctx context.Context, stream string, id [16]byte) (*logfile.Record, error) {
	for _, r := range w.batchOf[stream] {
		if r.ID == id {
			return r, nil
		}
	}
	return w.log.Find(ctx, stream, id)
}

// revisions returns a stream's records with the revisions from low to high, including those that the writer has not
// committed yet. It returns all of them in one list, since the size of an append is limited.
func (w *writer) revisions(ctx context.Context, stream string, low, high int64) ([]*logfile.Record, error) {
	var found []*logfile.Record
	for next := low; next <= high; {
		page, err := w.log.ReadStream(ctx, stream,
			logfile.StreamPage{Low: next, High: high, Until: logfile.NoLimit, Limit: logfile.PageLimit})
		if err != nil {
			return nil, err
		}
		if len(page) == 0 {
			break
		}
		found = append(found, page...)
		next = page[len(page)-1].Revision + 1
	}
	if len(found) == 0 || found[0].Revision > low {
		// the newest event before the stream was collapsed is still known
		known, err := w.log.Collapsed(ctx, stream)
		if err != nil {
			return nil, err
		}
		if known != nil && low <= known.Revision && known.Revision <= high {
			found = slices.Insert(found, 0, known)
		}
	}
	for _, r := range w.batchOf[stream] {
		if r.Revision >= low && r.Revision <= high {
			found = append(found, r)
		}
	}
	return found, nil
}
