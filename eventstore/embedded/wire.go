package embedded

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/google/uuid"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const (
	contentJSON  = "application/json"
	contentBytes = "application/octet-stream"
)

// fromWireID reads an id in either of the protocol's forms.
func fromWireID(id *shared.UUID) (uuid.UUID, error) {
	switch value := id.GetValue().(type) {
	case *shared.UUID_Structured_:
		var parsed uuid.UUID
		binary.BigEndian.PutUint64(parsed[:8], uint64(value.Structured.GetMostSignificantBits()))
		binary.BigEndian.PutUint64(parsed[8:], uint64(value.Structured.GetLeastSignificantBits()))
		return parsed, nil
	case *shared.UUID_String_:
		parsed, err := uuid.Parse(value.String_)
		if err != nil {
			return uuid.Nil, status.Errorf(codes.InvalidArgument, "event id %q is no UUID", value.String_)
		}
		return parsed, nil
	default:
		return uuid.Nil, status.Error(codes.InvalidArgument, "an event needs an id")
	}
}

func toWireID(id uuid.UUID, asString bool) *shared.UUID {
	if asString {
		return &shared.UUID{Value: &shared.UUID_String_{String_: id.String()}}
	}
	return &shared.UUID{Value: &shared.UUID_Structured_{Structured: &shared.UUID_Structured{
		MostSignificantBits:  int64(binary.BigEndian.Uint64(id[:8])),
		LeastSignificantBits: int64(binary.BigEndian.Uint64(id[8:])),
	}}}
}

// toWire makes the message for an event, or for a link with the event that it points to; that event is nil when it does not
// exist.
func toWire(event, link *record, idAsString bool) *streams.ReadResp {
	original := event
	if link != nil {
		original = link
	}
	return &streams.ReadResp{Content: &streams.ReadResp_Event{Event: &streams.ReadResp_ReadEvent{
		Event:    toWireRecord(event, idAsString),
		Link:     toWireRecord(link, idAsString),
		Position: &streams.ReadResp_ReadEvent_CommitPosition{CommitPosition: uint64(original.position)},
	}}}
}

// toWireRecord converts an event. Commit and prepare position are the same.
func toWireRecord(r *record, idAsString bool) *streams.ReadResp_ReadEvent_RecordedEvent {
	if r == nil {
		return nil
	}
	return &streams.ReadResp_ReadEvent_RecordedEvent{
		Id:               toWireID(r.id, idAsString),
		StreamIdentifier: streamIdentifier(r.stream),
		StreamRevision:   uint64(r.revision),
		PreparePosition:  uint64(r.position),
		CommitPosition:   uint64(r.position),
		Metadata:         wireMetadata(r),
		CustomMetadata:   r.metadata,
		Data:             r.data,
	}
}

func wireMetadata(r *record) map[string]string {
	content := contentBytes
	if r.json {
		content = contentJSON
	}
	return map[string]string{
		"type": r.kind, "content-type": content,
		"created": strconv.FormatInt(r.created, 10), // a client that cannot parse it ends its process
	}
}

func streamIdentifier(stream string) *shared.StreamIdentifier {
	return &shared.StreamIdentifier{StreamName: []byte(stream)}
}

// fromWireNumber converts a revision or position. A number above int64 becomes the highest int64.
func fromWireNumber(n uint64) int64 {
	return int64(min(n, math.MaxInt64))
}
