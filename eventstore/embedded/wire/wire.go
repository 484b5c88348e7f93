package wire

import (
	"context"
	"encoding/binary"
	"math"
	"net/url"
	"slices"
	"strconv"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/google/uuid"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"moviola/eventstore/embedded/logfile"
)

// The content types of events in the protocol.
const (
	ContentJSON  = "application/json"
	ContentBytes = "application/octet-stream"
)

// ReadID reads an id in either of the protocol's two forms: a text, or two integers.
func ReadID(id *shared.UUID) (uuid.UUID, error) {
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

// ID writes an id: as a text when asString is set, otherwise as two integers.
func ID(id uuid.UUID, asString bool) *shared.UUID {
	if asString {
		return &shared.UUID{Value: &shared.UUID_String_{String_: id.String()}}
	}
	return &shared.UUID{Value: &shared.UUID_Structured_{Structured: &shared.UUID_Structured{
		MostSignificantBits:  int64(binary.BigEndian.Uint64(id[:8])),
		LeastSignificantBits: int64(binary.BigEndian.Uint64(id[8:])),
	}}}
}

// Event makes the message for an event. For a link it makes the message with the link and the event that the link points to;
// this event is nil when it does not exist.
func Event(event, link *logfile.Record, idAsString bool) *streams.ReadResp {
	original := event
	if link != nil {
		original = link
	}
	return &streams.ReadResp{Content: &streams.ReadResp_Event{Event: &streams.ReadResp_ReadEvent{
		Event:    toWireRecord(event, idAsString),
		Link:     toWireRecord(link, idAsString),
		Position: &streams.ReadResp_ReadEvent_CommitPosition{CommitPosition: uint64(original.Position)},
	}}}
}

// toWireRecord converts an event. Commit and prepare position are the same.
func toWireRecord(r *logfile.Record, idAsString bool) *streams.ReadResp_ReadEvent_RecordedEvent {
	if r == nil {
		return nil
	}
	return &streams.ReadResp_ReadEvent_RecordedEvent{
		Id:               ID(r.ID, idAsString),
		StreamIdentifier: Stream(r.Stream),
		StreamRevision:   uint64(r.Revision),
		PreparePosition:  uint64(r.Position),
		CommitPosition:   uint64(r.Position),
		Metadata:         Metadata(r),
		CustomMetadata:   r.Metadata,
		Data:             r.Data,
	}
}

// Metadata returns what the protocol tells about an event besides its bytes: type, content type and time.
func Metadata(r *logfile.Record) map[string]string {
	content := ContentBytes
	if r.JSON {
		content = ContentJSON
	}
	return map[string]string{
		"type": r.Kind, "content-type": content,
		// the time is written as a number of ticks: a client that cannot parse this text ends its process
		"created": strconv.FormatInt(r.Created, 10),
	}
}

// Stream converts a stream's name to the protocol's identifier of the stream.
func Stream(stream string) *shared.StreamIdentifier {
	return &shared.StreamIdentifier{StreamName: []byte(stream)}
}

// Number converts a revision or position. A number above int64 becomes the highest int64.
func Number(n uint64) int64 {
	return int64(min(n, math.MaxInt64))
}

// Refuse ends a call with a status and trailers, by which clients tell the reasons for the status apart. The first
// trailer has the name "exception" and the value exception. trailers lists the names and values of further ones. All that
// belong to the exception must be there: clients read some trailers without checking that they are present. A value with a
// character that is not printable ASCII is sent path-escaped, because no trailer can carry it otherwise.
func Refuse(ctx context.Context, code codes.Code, message, exception string, trailers ...string) error {
	md := metadata.Pairs("exception", exception)
	for pair := range slices.Chunk(trailers, 2) {
		md.Append(pair[0], trailerText(pair[1]))
	}
	if err := grpc.SetTrailer(ctx, md); err != nil {
		return status.Errorf(codes.Internal, "set the trailers of %q: %v", message, err)
	}
	return status.Error(code, message)
}

func trailerText(value string) string {
	for _, c := range value {
		if c < ' ' || c > '~' {
			return url.PathEscape(value)
		}
	}
	return value
}
