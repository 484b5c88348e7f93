package eventstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"
)

// DiscardProperty is the field of a stream's metadata that says, with the value true: when all events of the stream are
// truncated ($tb), nobody needs the stream any more. The embedded event store then lets an append that expects no stream
// succeed, and removes the stream later. EventStoreDB does not know the field, and keeps the newest event of such a stream.
const DiscardProperty = "moviolaDiscard"

// CollapseProperty is the field of a stream's metadata that says, with the value true: when all events of the stream are
// truncated ($tb), the stream may be collapsed. The embedded event store then keeps nothing but its last revision and its
// metadata, so that the stream goes on as before. EventStoreDB does not know the field, and keeps the newest event of such
// a stream.
const CollapseProperty = "moviolaCollapse"

// Discard deletes a stream whose newest event has the revision given by last. An event that is appended meanwhile stays. The call
// may be repeated. The store must be one that knows DiscardProperty: in another store the stream still exists, so an append that
// expects no stream (NoStream) would be refused.
func Discard(ctx context.Context, store Store, stream string, last Revision) error {
	expected, fields := NoStream, map[string]json.RawMessage{}
	for {
		fields["$tb"] = json.RawMessage(fmt.Sprint(int64(last) + 1))
		fields[DiscardProperty] = json.RawMessage("true")
		data, err := json.Marshal(fields)
		if err != nil {
			return err
		}
		_, err = store.Append(ctx, metaPrefix+stream, expected, Proposed{
			ID: uuid.NewSHA1(idNamespace, fmt.Appendf(nil, "discard\x00%s\x00%d", stream, last)), Type: metaType, Data: data,
		})
		if !errors.Is(err, ErrConflict) {
			return err
		}
		if expected, fields, err = describe(ctx, store, stream); err != nil {
			return err
		}
	}
}

// describe reads the metadata of a stream, and its revision. Metadata that is not JSON counts as none.
func describe(ctx context.Context, store Store, stream string) (Revision, map[string]json.RawMessage, error) {
	fields := map[string]json.RawMessage{}
	newest, found, err := first(store.ReadStream(ctx, metaPrefix+stream, Backwards, -1))
	if err != nil || !found {
		return NoStream, fields, err
	}
	if json.Unmarshal(newest.Data, &fields) != nil || fields == nil {
		fields = map[string]json.RawMessage{}
	}
	return newest.Revision, fields, nil
}

// Discards reports whether the metadata of a stream discards the stream.
func Discards(metadata []byte) bool {
	var fields map[string]json.RawMessage
	return json.Unmarshal(metadata, &fields) == nil && string(fields[DiscardProperty]) == "true"
}
