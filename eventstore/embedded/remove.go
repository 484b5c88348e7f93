package embedded

import (
	"context"
	"fmt"
)

// remove deletes a stream softly: it sets metadata that hides all its events. A later append brings the stream back with the next
// revision.
func (w *writer) remove(ctx context.Context, h *head, op *operation) result {
	meta, err := w.head(ctx, metaPrefix+op.stream)
	if err != nil {
		return result{err: err}
	}
	if err := h.checkRemoval(op.expected); err != nil {
		return result{err: err}
	}
	if h.last < 0 && meta.last < 0 {
		return result{err: &wrongVersionError{current: h.last}}
	}
	data := fmt.Sprintf(`{"$tb":%d}`, int64(softDeleted))
	w.addMeta(op.stream, h, meta, []byte(data))
	return result{revision: h.last, position: w.last}
}

// checkRemoval compares a deletion's expected revision with the stream's.
func (h *head) checkRemoval(expected expectation) error {
	switch expected.kind {
	case expectExact, expectNoStream:
		if expected.last() != h.last {
			return &wrongVersionError{current: h.last}
		}
	case expectExists:
		if h.meta.softDeleted() {
			return errStreamDeleted
		}
	case expectAny:
	}
	return nil
}

// bury deletes a stream for good: it appends a tombstone as the last event. A stream without events can be buried, too.
func (w *writer) bury(h *head, op *operation) result {
	if err := h.checkRemoval(op.expected); err != nil {
		return result{err: err}
	}
	h.last = tombstoned - 1 // the tombstone's revision does not depend on the stream's length
	w.add(op.stream, h, []*record{{id: newEventID(), kind: tombstoneType}})
	return result{revision: h.last, position: w.last}
}

// undelete prepares a softly deleted stream for new events: those become visible, the deleted ones stay hidden.
func (w *writer) undelete(ctx context.Context, h *head, stream string) error {
	meta, err := w.head(ctx, metaPrefix+stream)
	if err != nil {
		return err
	}
	known, err := w.revisions(ctx, metaPrefix+stream, meta.last, meta.last)
	if err != nil {
		return fmt.Errorf("read the metadata of %s: %w", stream, err)
	}
	var before []byte
	if len(known) > 0 {
		before = known[0].data
	}
	data, err := withTruncateBefore(before, h.last+1)
	if err != nil {
		return fmt.Errorf("write the metadata of %s: %w", stream, err)
	}
	w.addMeta(stream, h, meta, data)
	return nil
}

// addMeta appends a metadata event to the batch and applies it to the stream's head.
func (w *writer) addMeta(stream string, h, meta *head, data []byte) {
	w.add(metaPrefix+stream, meta, []*record{{id: newEventID(), kind: metaType, json: true, data: data}})
	h.meta = parseMeta(data)
	w.limited[stream] = true
}
