package embedded

import (
	"errors"
	"io"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"moviola/eventstore/embedded/logfile"
	"moviola/eventstore/embedded/wire"
)

// maxAppendBytes is the maximum size of one append in bytes, the default of EventStoreDB.
const maxAppendBytes = 1 << 20

// Append receives an append's options and events, writes them and answers.
func (s *service) Append(call streams.Streams_AppendServer) error {
	request, err := receiveAppend(call)
	if err != nil {
		return err
	}
	ctx := call.Context()
	if request.refusal != nil {
		return refuseInvalid(ctx, request.refusal)
	}
	op := request.op
	if err := s.authorize(ctx, op.stream, rightWrite); err != nil {
		return err
	}
	op.ctx, op.reply = ctx, make(chan result, 1)
	r := s.writer.submit(op)
	var wrong *wrongVersionError
	switch {
	case r.err == nil:
		return call.SendAndClose(appendSucceeded(op, r))
	case errors.As(r.err, &wrong):
		return call.SendAndClose(appendConflicted(op.expected, wrong.current))
	case errors.Is(r.err, errStreamDeleted):
		return refuseDeleted(ctx, op.stream)
	default:
		return failed(r.err)
	}
}

// appendRequest is a received append; refusal is the first error found in it.
type appendRequest struct {
	op      *operation
	refusal error
}

// receiveAppend reads the whole request, also when it will be refused: a client that is answered while it is still sending
// sees the end of its stream instead of the answer. The events after the first error are read and dropped.
func receiveAppend(call streams.Streams_AppendServer) (appendRequest, error) {
	request := appendRequest{op: &operation{}}
	for first := true; ; first = false {
		message, err := call.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return request, err
		}
		if request.refusal != nil {
			continue
		}
		if first {
			request.refusal = request.op.setOptions(message.GetOptions())
			continue
		}
		request.refusal = request.addEvent(message.GetProposedMessage())
	}
	if request.op.stream == "" && request.refusal == nil {
		request.refusal = status.Error(codes.InvalidArgument, "an append needs options")
	}
	return request, nil
}

func (op *operation) setOptions(options *streams.AppendReq_Options) error {
	op.stream = string(options.GetStreamIdentifier().GetStreamName())
	if op.stream == "" || op.stream == "$all" {
		return status.Errorf(codes.InvalidArgument, "%q is not the name of a stream to write to", op.stream)
	}
	switch expected := options.GetExpectedStreamRevision().(type) {
	case *streams.AppendReq_Options_Revision:
		op.expected = expectation{kind: expectExact, revision: wire.Number(expected.Revision)}
	case *streams.AppendReq_Options_NoStream:
		op.expected = expectation{kind: expectNoStream}
	case *streams.AppendReq_Options_StreamExists:
		op.expected = expectation{kind: expectExists}
	case *streams.AppendReq_Options_Any:
		op.expected = expectation{kind: expectAny}
	default:
		return status.Error(codes.InvalidArgument, "an append needs an expected revision")
	}
	return nil
}

func (r *appendRequest) addEvent(message *streams.AppendReq_ProposedMessage) error {
	kind, content := message.GetMetadata()["type"], message.GetMetadata()["content-type"]
	if kind == "" || content == "" {
		return errProperties
	}
	if content != wire.ContentJSON && content != wire.ContentBytes {
		return status.Errorf(codes.InvalidArgument, "content-type %q is neither %s nor %s", content,
			wire.ContentJSON, wire.ContentBytes)
	}
	id, err := wire.ReadID(message.GetId())
	if err != nil {
		return err
	}
	r.op.bytes += int64(len(message.GetData()) + len(message.GetCustomMetadata()) + 2*len(kind))
	if r.op.bytes > maxAppendBytes {
		r.op.events = nil
		return sizeError(maxAppendBytes)
	}
	r.op.events = append(r.op.events, &logfile.Record{
		ID: id, Kind: kind, JSON: content == wire.ContentJSON, Data: message.GetData(), Metadata: message.GetCustomMetadata(),
	})
	return nil
}

func appendSucceeded(op *operation, r result) *streams.AppendResp {
	success := &streams.AppendResp_Success{
		CurrentRevisionOption: &streams.AppendResp_Success_CurrentRevision{CurrentRevision: uint64(r.revision)},
		PositionOption:        &streams.AppendResp_Success_NoPosition{NoPosition: &shared.Empty{}},
	}
	if r.revision < 0 {
		success.CurrentRevisionOption = &streams.AppendResp_Success_NoStream{NoStream: &shared.Empty{}}
	}
	if len(op.events) > 0 {
		success.PositionOption = &streams.AppendResp_Success_Position{Position: &streams.AppendResp_Position{
			CommitPosition: uint64(r.position), PreparePosition: uint64(r.position),
		}}
	}
	return &streams.AppendResp{Result: &streams.AppendResp_Success_{Success: success}}
}

// appendConflicted makes the response to an append whose expected revision is wrong. The protocol reports such a conflict as a
// response, not as a failed call.
func appendConflicted(expected expectation, current int64) *streams.AppendResp {
	wrong := &streams.AppendResp_WrongExpectedVersion{
		CurrentRevisionOption: &streams.AppendResp_WrongExpectedVersion_CurrentRevision{CurrentRevision: uint64(current)},
	}
	if current < 0 {
		wrong.CurrentRevisionOption = &streams.AppendResp_WrongExpectedVersion_CurrentNoStream{CurrentNoStream: &shared.Empty{}}
	}
	switch expected.kind {
	case expectExact:
		wrong.ExpectedRevisionOption = &streams.AppendResp_WrongExpectedVersion_ExpectedRevision{
			ExpectedRevision: uint64(expected.revision),
		}
	case expectNoStream:
		wrong.ExpectedRevisionOption = &streams.AppendResp_WrongExpectedVersion_ExpectedNoStream{ExpectedNoStream: &shared.Empty{}}
	case expectExists:
		wrong.ExpectedRevisionOption = &streams.AppendResp_WrongExpectedVersion_ExpectedStreamExists{
			ExpectedStreamExists: &shared.Empty{},
		}
	case expectAny:
		wrong.ExpectedRevisionOption = &streams.AppendResp_WrongExpectedVersion_ExpectedAny{ExpectedAny: &shared.Empty{}}
	}
	return &streams.AppendResp{Result: &streams.AppendResp_WrongExpectedVersion_{WrongExpectedVersion: wrong}}
}
