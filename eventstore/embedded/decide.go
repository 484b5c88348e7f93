package embedded

import (
	"context"
	"errors"
	"fmt"
)

// expectation is the expected revision of a write.
type expectation struct {
	kind     expectationKind
	revision int64 // of expectExact
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

// verdict is the decision on an append. done is the last record of the same append when it was stored before; nil: the append has
// to be written.
type verdict struct{ done *record }

// decide compares an append's expected revision with its stream. It changes nothing, so a refused append leaves no trace.
func (w *writer) decide(ctx context.Context, h *head, op *operation) (verdict, error) {
	switch op.expected.kind {
	case expectAny, expectExists:
		if op.expected.kind == expectExists {
			if h.meta.softDeleted() {
				return verdict{}, errStreamDeleted
			}
			if h.last < 0 && !h.meta.known {
				return verdict{}, &wrongVersionError{current: h.last}
			}
		}
		return w.decideByID(ctx, h, op)
	default:
		return w.decideByRevision(ctx, h, op)
	}
}

// decideByID recognises a retried append without an expected revision by its events' ids, anywhere in the stream.
func (w *writer) decideByID(ctx context.Context, h *head, op *operation) (verdict, error) {
	var last *record
	for i, event := range op.events {
		found, err := w.find(ctx, op.stream, event.id)
		if err != nil {
			return verdict{}, err
		}
		if found == nil && i == 0 {
			return verdict{}, nil
		}
		if found == nil {
			return verdict{}, &wrongVersionError{current: h.last}
		}
		last = found
	}
	return verdict{done: last}, nil
}

// decideByRevision compares the expected revision with the stream's. When the stream is further, it compares the ids of the
// events after that revision.
func (w *writer) decideByRevision(ctx context.Context, h *head, op *operation) (verdict, error) {
	expected := op.expected.last()
	wrong := &wrongVersionError{current: h.last}
	switch {
	case expected == h.last:
		return verdict{}, nil
	case expected > h.last:
		return verdict{}, wrong
	case len(op.events) == 0:
		return verdict{}, wrong
	}
	there, err := w.revisions(ctx, op.stream, expected+1, expected+int64(len(op.events)))
	if err != nil {
		return verdict{}, err
	}
	for i, event := range op.events {
		if i < len(there) && there[i].id == event.id {
			continue
		}
		if i == 0 && op.expected.kind == expectNoStream && h.meta.softDeleted() {
			return verdict{}, nil // a deleted stream counts as one without events
		}
		return verdict{}, wrong
	}
	return verdict{done: there[len(there)-1]}, nil
}

// find looks for an event id among the records of this batch and in the log.
func (w *writer) find(ctx context.Context, stream string, id [16]byte) (*record, error) {
	for _, r := range w.batchOf[stream] {
		if r.id == id {
			return r, nil
		}
	}
	return w.log.Find(ctx, stream, id)
}

// revisions returns a stream's records from low to high, those of this batch included. It reads all of them at once, since one
// append has few events.
func (w *writer) revisions(ctx context.Context, stream string, low, high int64) ([]*record, error) {
	var found []*record
	for next := low; next <= high; {
		page, err := w.log.ReadStream(ctx, stream, streamPage{low: next, high: high, until: noLimit, limit: pageLimit})
		if err != nil {
			return nil, err
		}
		if len(page) == 0 {
			break
		}
		found = append(found, page...)
		next = page[len(page)-1].revision + 1
	}
	for _, r := range w.batchOf[stream] {
		if r.revision >= low && r.revision <= high {
			found = append(found, r)
		}
	}
	return found, nil
}
