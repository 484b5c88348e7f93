package embedded

import (
	"context"
	"fmt"

	"moviola/eventstore/embedded/logfile"
)

// remove deletes a stream softly: it sets metadata that hides all its events. A later append brings the stream back with the next
// revision.
func (w *writer) remove(ctx context.Context, h *logfile.Head, op *operation) result {
	meta, err := w.head(ctx, logfile.MetaPrefix+op.stream)
	if err != nil {
		return result{err: err}
	}
	if err := checkRemoval(h, op.expected); err != nil {
		return result{err: err}
	}
	if h.Last < 0 && meta.Last < 0 {
		return result{err: &wrongVersionError{current: h.Last}}
	}
	data := fmt.Sprintf(`{"$tb":%d}`, int64(logfile.SoftDeleted))
	w.addMeta(op.stream, h, meta, []byte(data))
	return result{revision: h.Last, position: w.last}
}

// checkRemoval compares a deletion's expected revision with the stream's last revision.
func checkRemoval(h *logfile.Head, expected expectation) error {
	switch expected.kind {
	case expectExact, expectNoStream:
		if expected.last() != h.Last {
			return &wrongVersionError{current: h.Last}
		}
	case expectExists:
		if h.Meta.SoftDeleted() {
			return errStreamDeleted
		}
	case expectAny:
	}
	return nil
}

// bury deletes a stream for good: it appends a tombstone as the last event. A stream without events can be buried, too.
func (w *writer) bury(h *logfile.Head, op *operation) result {
	if err := checkRemoval(h, op.expected); err != nil {
		return result{err: err}
	}
	h.Last = logfile.Tombstoned - 1 // the tombstone's revision does not depend on the stream's length
	w.add(op.stream, h, []*logfile.Record{{ID: newEventID(), Kind: logfile.TombstoneType}})
	return result{revision: h.Last, position: w.last}
}

// undelete prepares a softly deleted stream for new events: those become visible, the deleted ones stay hidden.
func (w *writer) undelete(ctx context.Context, h *logfile.Head, stream string) error {
	meta, err := w.head(ctx, logfile.MetaPrefix+stream)
	if err != nil {
		return err
	}
	known, err := w.revisions(ctx, logfile.MetaPrefix+stream, meta.Last, meta.Last)
	if err != nil {
		return fmt.Errorf("read the metadata of %s: %w", stream, err)
	}
	var before []byte
	if len(known) > 0 {
		before = known[0].Data
	}
	data, err := logfile.WithTruncateBefore(before, h.Last+1)
	if err != nil {
		return fmt.Errorf("write the metadata of %s: %w", stream, err)
	}
	w.addMeta(stream, h, meta, data)
	return nil
}

// addMeta adds a metadata event to the records of the next commit, and applies it to the stream's head.
func (w *writer) addMeta(stream string, h, meta *logfile.Head, data []byte) {
	w.add(logfile.MetaPrefix+stream, meta, []*logfile.Record{{ID: newEventID(), Kind: logfile.MetaType, JSON: true, Data: data}})
	h.Meta = logfile.ParseMeta(data)
	w.limited[stream] = true
}
