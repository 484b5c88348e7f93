package embedded

import (
	"context"
	"errors"
	"io"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/google/uuid"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/emptypb"

	"moviola/eventstore/embedded/wire"
)

const (
	// maximum of unanswered appends of one call of BatchAppend; at this limit no more requests are read from the call
	maxUnanswered = 256
	maxPartial    = 64 // maximum of appends of one call of BatchAppend that were received only in part
)

// batched is one append of a batch call, from its first message until the writer has handled it.
type batched struct {
	id      *shared.UUID
	options *streams.BatchAppendReq_Options
	request appendRequest
	end     context.CancelFunc // cancels the append's deadline; nil when it has none
	refusal error              // why the append was not handed to the writer; nil: the writer has it
}

// BatchAppend receives appends without waiting for the answers to earlier ones, until maxUnanswered appends wait for
// theirs. It answers the appends in the order in which they were completely received. Those that are not refused are
// written in this order, too. Each succeeds or fails on its own.
func (s *service) BatchAppend(call streams.Streams_BatchAppendServer) error {
	unanswered := make(chan *batched, maxUnanswered)
	received := make(chan error, 1)
	go func() {
		defer close(unanswered)
		received <- s.receiveBatches(call, unanswered)
	}()
	for {
		select {
		case b, more := <-unanswered:
			if !more {
				return <-received
			}
			r := result{err: b.refusal}
			if b.refusal == nil {
				r = s.writer.await(b.request.op)
			}
			if b.end != nil {
				b.end()
			}
			if err := call.Send(b.answer(r)); err != nil {
				return err
			}
		case <-s.closing:
			return failed(errClosed)
		}
	}
}

// receiveBatches reads the messages of a call and hands every completely received append to the writer.
func (s *service) receiveBatches(call streams.Streams_BatchAppendServer, whole chan<- *batched) error {
	partial := map[uuid.UUID]*batched{}
	for {
		message, err := call.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		id, err := wire.ReadID(message.GetCorrelationId())
		if err != nil {
			return err
		}
		b, begun := partial[id]
		if !begun {
			if len(partial) >= maxPartial {
				return status.Errorf(codes.InvalidArgument, "more than %d appends are begun and not ended", maxPartial)
			}
			b = &batched{id: message.GetCorrelationId(), options: message.GetOptions(), request: appendRequest{op: &operation{}}}
			b.request.refusal = b.request.op.setBatchOptions(message.GetOptions())
			partial[id] = b
		}
		for _, event := range message.GetProposedMessages() {
			if b.request.refusal == nil {
				b.request.refusal = b.request.addEvent(&streams.AppendReq_ProposedMessage{
					Id: event.GetId(), Metadata: event.GetMetadata(), CustomMetadata: event.GetCustomMetadata(), Data: event.GetData(),
				})
			}
		}
		if !message.GetIsFinal() {
			continue
		}
		delete(partial, id)
		s.hand(call.Context(), b)
		select {
		case whole <- b:
		case <-call.Context().Done():
			return call.Context().Err()
		}
	}
}

// hand queues an append for the writer, unless it is refused.
func (s *service) hand(ctx context.Context, b *batched) {
	op := b.request.op
	op.ctx, op.reply = ctx, make(chan result, 1)
	if deadline := b.options.GetDeadline(); deadline != nil {
		op.ctx, b.end = context.WithTimeout(ctx, deadline.AsDuration())
	} else if moment := b.options.GetDeadline_21_10_0(); moment != nil {
		op.ctx, b.end = context.WithDeadline(ctx, moment.AsTime())
	}
	if b.refusal = b.request.refusal; b.refusal == nil {
		b.refusal = s.denied(ctx, op.stream, rightWrite)
	}
	if b.refusal == nil {
		b.refusal = s.writer.enqueue(op)
	}
}

func (op *operation) setBatchOptions(options *streams.BatchAppendReq_Options) error {
	simple := &streams.AppendReq_Options{StreamIdentifier: options.GetStreamIdentifier()}
	switch expected := options.GetExpectedStreamPosition().(type) {
	case *streams.BatchAppendReq_Options_StreamPosition:
		simple.ExpectedStreamRevision = &streams.AppendReq_Options_Revision{Revision: expected.StreamPosition}
	case *streams.BatchAppendReq_Options_NoStream:
		simple.ExpectedStreamRevision = &streams.AppendReq_Options_NoStream{}
	case *streams.BatchAppendReq_Options_Any:
		simple.ExpectedStreamRevision = &streams.AppendReq_Options_Any{}
	case *streams.BatchAppendReq_Options_StreamExists:
		simple.ExpectedStreamRevision = &streams.AppendReq_Options_StreamExists{}
	}
	return op.setOptions(simple)
}

// answer makes the response to an append of a batch.
func (b *batched) answer(r result) *streams.BatchAppendResp {
	answer := &streams.BatchAppendResp{CorrelationId: b.id, StreamIdentifier: b.options.GetStreamIdentifier()}
	if r.err != nil {
		answer.Result = &streams.BatchAppendResp_Error{Error: batchError(r.err, b.request.op)}
		return answer
	}
	success := &streams.BatchAppendResp_Success{
		CurrentRevisionOption: &streams.BatchAppendResp_Success_CurrentRevision{CurrentRevision: uint64(r.revision)},
		PositionOption:        &streams.BatchAppendResp_Success_NoPosition{NoPosition: &emptypb.Empty{}},
	}
	if r.revision < 0 {
		success.CurrentRevisionOption = &streams.BatchAppendResp_Success_NoStream{NoStream: &emptypb.Empty{}}
	}
	if len(b.request.op.events) > 0 {
		success.PositionOption = &streams.BatchAppendResp_Success_Position{Position: &shared.AllStreamPosition{
			CommitPosition: uint64(r.position), PreparePosition: uint64(r.position),
		}}
	}
	answer.Result = &streams.BatchAppendResp_Success_{Success: success}
	return answer
}

// batchError converts an error to the message of a batch response. Clients tell the reasons apart by the message's details, and
// some clients fail when a message has no details.
func batchError(err error, op *operation) *statuspb.Status {
	told := status.Convert(err)
	if _, isStatus := status.FromError(err); !isStatus {
		told = status.Convert(failed(err))
	}
	answer := &statuspb.Status{Code: int32(told.Code()), Message: told.Message()}
	var details proto.Message = &shared.Unknown{}
	var wrong *wrongVersionError
	var invalid *invalidError
	switch {
	case errors.As(err, &wrong):
		answer.Code, answer.Message, details = int32(codes.Unknown), "WrongExpectedVersion", wrongVersion(wrong, op.expected)
	case errors.Is(err, errStreamDeleted):
		answer.Code, answer.Message = int32(codes.FailedPrecondition), "StreamDeleted"
		details = &shared.StreamDeleted{StreamIdentifier: wire.Stream(op.stream)}
	case errors.As(err, &invalid) && invalid.tooLarge:
		details = &shared.MaximumAppendSizeExceeded{MaxAppendSize: maxAppendBytes}
	case told.Code() == codes.InvalidArgument:
		details = &shared.BadRequest{Message: told.Message()}
	case told.Code() == codes.PermissionDenied:
		details = &shared.AccessDenied{}
	case told.Code() == codes.DeadlineExceeded:
		details = &shared.Timeout{}
	}
	if packed, err := anypb.New(details); err == nil {
		answer.Details = append(answer.Details, packed)
	}
	return answer
}

// wrongVersion describes a conflict: the expected and the actual revision.
func wrongVersion(wrong *wrongVersionError, expected expectation) *shared.WrongExpectedVersion {
	details := &shared.WrongExpectedVersion{
		CurrentStreamRevisionOption: &shared.WrongExpectedVersion_CurrentStreamRevision{CurrentStreamRevision: uint64(wrong.current)},
	}
	if wrong.current < 0 {
		details.CurrentStreamRevisionOption = &shared.WrongExpectedVersion_CurrentNoStream{CurrentNoStream: &emptypb.Empty{}}
	}
	switch expected.kind {
	case expectExact:
		details.ExpectedStreamPositionOption = &shared.WrongExpectedVersion_ExpectedStreamPosition{
			ExpectedStreamPosition: uint64(expected.revision),
		}
	case expectNoStream:
		details.ExpectedStreamPositionOption = &shared.WrongExpectedVersion_ExpectedNoStream{ExpectedNoStream: &emptypb.Empty{}}
	case expectExists:
		details.ExpectedStreamPositionOption = &shared.WrongExpectedVersion_ExpectedStreamExists{ExpectedStreamExists: &emptypb.Empty{}}
	case expectAny:
		details.ExpectedStreamPositionOption = &shared.WrongExpectedVersion_ExpectedAny{ExpectedAny: &emptypb.Empty{}}
	}
	return details
}
