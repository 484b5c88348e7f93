package embedded

import (
	"context"
	"fmt"
)

// remove deletes a stream softly: its metadata says that nothing of it is visible. A later append brings the stream back
// with the next revision.
func (w *writer) remove(ctx context.Context, h *head, op *operation) result {
	meta, err := w.head(ctx, metaPrefix+op.stream)
	if err != nil {
		return result{err: err}
	}
	wrong := result{err: &wrongVersionError{current: h.last}}
	switch op.expected.kind {
	case expectExact, expectNoStream:
		if op.expected.last() != h.last {
			return wrong
		}
	case expectExists:
		if h.meta.softDeleted() {
			return result{err: errStreamDeleted}
		}
	case expectAny:
	}
	if h.last < 0 && meta.last < 0 {
		return wrong
	}
	data := fmt.Sprintf(`{"$tb":%d}`, int64(softDeleted))
	w.addMeta(op.stream, h, meta, []byte(data))
	return result{revision: h.last, position: w.last}
}

// undelete makes the events that follow visible, and keeps those that were deleted out of sight.
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

// addMeta writes a stream's metadata and acts on it.
func (w *writer) addMeta(stream string, h, meta *head, data []byte) {
	w.add(metaPrefix+stream, meta, []*record{{id: newEventID(), kind: metaType, json: true, data: data}})
	h.meta = parseMeta(data)
	w.limited[stream] = true
}
