package eventstoredb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"moviola/eventstore"
)

const (
	metaPrefix = "$$" // prefix of the name of a metadata stream; the name of the described stream follows
	metaType   = "$metadata"
	// placeholder is the type of the events that a copy writes in place of events that retention has removed from the
	// source, so that later events keep their revisions. It is a system type, so readers leave placeholders out.
	placeholder = "$removed"
	// filledProperty is a field in the metadata of a copied stream. It holds the range of revisions at which the stream
	// has placeholders (events in place of those that the source has removed).
	filledProperty = "copyFilled"
)

// revisions is a range of revisions: from the first element up to the second, which is not included.
type revisions [2]eventstore.Revision

// fill appends placeholders (events in place of those that the source has removed) at the revisions in missing. Metadata
// truncates them before the first is appended, so that no reader of the stream ever sees one. Truncated events are hidden,
// so a later copy cannot read how many placeholders an interrupted fill has appended: the metadata stores where the fill
// began, and the later copy repeats all appends of the fill.
func (c *copier) fill(ctx context.Context, stream string, missing revisions) error {
	meta, err := c.newest(ctx, c.to, metaPrefix+stream)
	if err != nil {
		return err
	}
	event := eventstore.Recorded{Type: metaType, Data: []byte(`{}`)}
	if meta != nil {
		event.Data = meta.Data
	}
	if begun, ok := filled(event.Data); ok && begun[1] == missing[1] {
		missing = begun
	} else {
		event.ID = fillID(stream, missing[1], metaType)
		if event.Data, err = truncated(event.Data, missing); err != nil {
			return err
		}
		if err := c.appendMeta(ctx, stream, meta, event); err != nil {
			return err
		}
	}
	for from := missing[0]; from < missing[1]; from += copyEvents {
		events := make([]eventstore.Proposed, min(missing[1]-from, copyEvents))
		for i := range events {
			events[i] = eventstore.Proposed{
				ID: fillID(stream, from+eventstore.Revision(i), placeholder), Type: placeholder, Data: []byte(`{}`),
			}
		}
		// A conflict means that an earlier try has appended these placeholders (events in place of removed ones), and
		// that retention in the target has removed them since. If the conflict has another reason, the copy fails when it
		// appends the events that come after the placeholders.
		if _, err := c.to.Append(ctx, stream, from-1, events...); err != nil && !errors.Is(err, eventstore.ErrConflict) {
			return err
		}
		c.done.Filled += int64(len(events))
	}
	return nil
}

// fillID returns the id of an event that a copy adds. It is the same in every copy of the same log.
func fillID(stream string, revision eventstore.Revision, kind string) uuid.UUID {
	return uuid.NewSHA1(uuid.NameSpaceOID, fmt.Appendf(nil, "moviola copy\x00%s\x00%d\x00%s", stream, revision, kind))
}

// copyMeta copies event, a metadata event of the stream named stream. If the target's stream begins with placeholders
// (events in place of those that the source has removed), the new metadata hides them, too.
func (c *copier) copyMeta(ctx context.Context, stream string, event eventstore.Recorded) error {
	meta, err := c.newest(ctx, c.to, metaPrefix+stream)
	if err != nil || meta != nil && meta.ID == event.ID {
		return err
	}
	if meta != nil {
		if there, ok := filled(meta.Data); ok {
			if event.Data, err = truncated(event.Data, there); err != nil {
				return err
			}
		}
	}
	return c.appendMeta(ctx, stream, meta, event)
}

func (c *copier) appendMeta(ctx context.Context, stream string, newest *eventstore.Recorded, event eventstore.Recorded) error {
	expected := eventstore.NoStream
	if newest != nil {
		expected = newest.Revision
	}
	_, err := c.to.Append(ctx, metaPrefix+stream, expected, proposed(event))
	return err
}

func (c *copier) newest(ctx context.Context, store *Store, stream string) (*eventstore.Recorded, error) {
	for event, err := range store.ReadStream(ctx, stream, eventstore.Backwards, -1) {
		if err != nil {
			return nil, err
		}
		return &event, nil
	}
	return nil, nil
}

// filled reads the range of placeholders (events in place of removed ones) from the metadata of a copied stream. ok is
// false when the metadata has no such range.
func filled(data []byte) (there revisions, ok bool) {
	var fields map[string]json.RawMessage
	ok = json.Unmarshal(data, &fields) == nil && json.Unmarshal(fields[filledProperty], &there) == nil
	return there, ok
}

// truncated changes the metadata of a copied stream so that it hides the placeholders (events in place of those that the
// source has removed) and all events before them. It also stores the range of the placeholders, which is the parameter
// there, in the metadata. All other fields stay the same.
func truncated(data []byte, there revisions) ([]byte, error) {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &fields); err != nil {
		return nil, fmt.Errorf("read the metadata: %w", err)
	}
	if fields == nil { // null
		fields = map[string]json.RawMessage{}
	}
	var before eventstore.Revision
	if json.Unmarshal(fields["$tb"], &before) != nil || before < there[1] {
		fields["$tb"] = json.RawMessage(fmt.Sprint(there[1]))
	}
	property, err := json.Marshal(there)
	if err != nil {
		return nil, err
	}
	fields[filledProperty] = property
	return json.Marshal(fields)
}
