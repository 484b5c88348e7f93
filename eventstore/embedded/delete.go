package embedded

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"moviola/eventstore/embedded/logfile"
	"moviola/eventstore/embedded/wire"
)

// Delete deletes a stream softly: readers no longer find it, and a later append brings it back with the next revision.
func (s *service) Delete(ctx context.Context, request *streams.DeleteReq) (*streams.DeleteResp, error) {
	op := &operation{remove: true, stream: string(request.GetOptions().GetStreamIdentifier().GetStreamName())}
	switch expected := request.GetOptions().GetExpectedStreamRevision().(type) {
	case *streams.DeleteReq_Options_Revision:
		op.expected = expectation{kind: expectExact, revision: wire.Number(expected.Revision)}
	case *streams.DeleteReq_Options_NoStream:
		op.expected = expectation{kind: expectNoStream}
	case *streams.DeleteReq_Options_StreamExists:
		op.expected = expectation{kind: expectExists}
	}
	r, err := s.remove(ctx, op)
	if err != nil {
		return nil, err
	}
	position := &streams.DeleteResp_Position{CommitPosition: uint64(r.position), PreparePosition: uint64(r.position)}
	return &streams.DeleteResp{PositionOption: &streams.DeleteResp_Position_{Position: position}}, nil
}

// Tombstone deletes a stream for good: nothing can be read from it or written to it any more. $all keeps the tombstone.
func (s *service) Tombstone(ctx context.Context, request *streams.TombstoneReq) (*streams.TombstoneResp, error) {
	op := &operation{remove: true, forGood: true, stream: string(request.GetOptions().GetStreamIdentifier().GetStreamName())}
	switch expected := request.GetOptions().GetExpectedStreamRevision().(type) {
	case *streams.TombstoneReq_Options_Revision:
		op.expected = expectation{kind: expectExact, revision: wire.Number(expected.Revision)}
	case *streams.TombstoneReq_Options_NoStream:
		op.expected = expectation{kind: expectNoStream}
	case *streams.TombstoneReq_Options_StreamExists:
		op.expected = expectation{kind: expectExists}
	}
	r, err := s.remove(ctx, op)
	if err != nil {
		return nil, err
	}
	position := &streams.TombstoneResp_Position{CommitPosition: uint64(r.position), PreparePosition: uint64(r.position)}
	return &streams.TombstoneResp{PositionOption: &streams.TombstoneResp_Position_{Position: position}}, nil
}

// remove deletes a stream, softly or for good.
func (s *service) remove(ctx context.Context, op *operation) (result, error) {
	op.ctx, op.reply = ctx, make(chan result, 1)
	if op.stream == "" || op.stream == "$all" || op.forGood && strings.HasPrefix(op.stream, logfile.MetaPrefix) {
		return result{}, status.Errorf(codes.InvalidArgument, "%q is not the name of a stream to delete", op.stream)
	}
	if err := s.authorize(ctx, op.stream, rightDelete); err != nil {
		return result{}, err
	}
	r := s.writer.submit(op)
	var wrong *wrongVersionError
	switch {
	case errors.As(r.err, &wrong):
		return result{}, wire.Refuse(ctx, codes.FailedPrecondition, "Delete failed: "+wrong.Error(), "wrong-expected-version",
			"stream-name", op.stream, "expected-version", op.expected.String(), "actual-version", strconv.FormatInt(wrong.current, 10))
	case errors.Is(r.err, errStreamDeleted):
		return result{}, refuseDeleted(ctx, op.stream)
	case r.err != nil:
		return result{}, failed(r.err)
	}
	return r, nil
}

// String returns the expected revision as the protocol's trailers write it: as a number.
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
