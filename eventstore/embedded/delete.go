package embedded

import (
	"context"
	"errors"
	"strconv"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Delete deletes a stream softly: readers no longer find it, and a later append goes on with the next revision.
func (s *service) Delete(ctx context.Context, request *streams.DeleteReq) (*streams.DeleteResp, error) {
	op := &operation{ctx: ctx, remove: true, reply: make(chan result, 1)}
	op.stream = string(request.GetOptions().GetStreamIdentifier().GetStreamName())
	if op.stream == "" || op.stream == "$all" {
		return nil, status.Errorf(codes.InvalidArgument, "%q is not the name of a stream to delete", op.stream)
	}
	switch expected := request.GetOptions().GetExpectedStreamRevision().(type) {
	case *streams.DeleteReq_Options_Revision:
		op.expected = expectation{kind: expectExact, revision: fromWireNumber(expected.Revision)}
	case *streams.DeleteReq_Options_NoStream:
		op.expected = expectation{kind: expectNoStream}
	case *streams.DeleteReq_Options_StreamExists:
		op.expected = expectation{kind: expectExists}
	}
	r := s.writer.submit(op)
	var wrong *wrongVersionError
	switch {
	case errors.As(r.err, &wrong):
		return nil, refuse(ctx, codes.FailedPrecondition, "Delete failed: "+wrong.Error(), "wrong-expected-version",
			"stream-name", op.stream, "expected-version", op.expected.String(), "actual-version", strconv.FormatInt(wrong.current, 10))
	case errors.Is(r.err, errStreamDeleted):
		return nil, refuseDeleted(ctx, op.stream)
	case r.err != nil:
		return nil, failed(r.err)
	}
	position := &streams.DeleteResp_Position{CommitPosition: uint64(r.position), PreparePosition: uint64(r.position)}
	return &streams.DeleteResp{PositionOption: &streams.DeleteResp_Position_{Position: position}}, nil
}

// String is the number that the protocol uses for an expectation in trailers.
func (e expectation) String() string {
	switch e.kind {
	case expectNoStream:
		return "-1"
	case expectAny:
		return "-2"
	case expectExists:
		return "-4"
	default:
		return strconv.FormatInt(e.revision, 10)
	}
}
