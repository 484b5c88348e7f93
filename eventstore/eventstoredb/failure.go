package eventstoredb

import (
	"context"
	"errors"
	"fmt"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"moviola/eventstore"
)

// isCode looks for one of the client's codes; its own helper misses wrapped errors.
func isCode(err error, codes ...esdb.ErrorCode) bool {
	var failure *esdb.Error
	if !errors.As(err, &failure) {
		return false
	}
	for _, code := range codes {
		if failure.IsErrorCode(code) {
			return true
		}
	}
	return false
}

// isAway says that an error means the server cannot be reached, so that others need not try. A node that is not the leader, which
// it says by the status NOT_FOUND, is as good as none: the client's discovery looks for another.
func isAway(err error) bool {
	return isCode(err, esdb.ErrorUnavailable, esdb.ErrorCodeConnectionClosed, esdb.ErrorCodeNotLeader) ||
		status.Code(err) == codes.Unavailable || status.Code(err) == codes.NotFound
}

// translate marks an error that may pass as eventstore.ErrUnavailable. What the server says about the request itself
// stays what it is: repeating the request would not help. A conflict and a missing stream are answers, left as they are.
func translate(err error) error {
	if status.Code(err) == codes.NotFound { // said by a node that is not the leader
		return fmt.Errorf("%w: %w", eventstore.ErrUnavailable, err)
	}
	if isCode(err, esdb.ErrorCodeWrongExpectedVersion, esdb.ErrorCodeResourceNotFound, esdb.ErrorCodeStreamDeleted,
		esdb.ErrorCodeAccessDenied, esdb.ErrorCodeUnauthenticated, esdb.ErrorCodeUnsupportedFeature, esdb.ErrorCodeParsing) {
		return err
	}
	switch status.Code(err) {
	case codes.InvalidArgument, codes.FailedPrecondition, codes.OutOfRange, codes.Unimplemented, codes.DataLoss,
		codes.PermissionDenied, codes.Unauthenticated:
		return err
	default:
		return fmt.Errorf("%w: %w", eventstore.ErrUnavailable, err)
	}
}

// outcomeError is the error of a call as its caller should see it.
func outcomeError(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil: // what the client says then is only a consequence
		return ctx.Err()
	default:
		return translate(err)
	}
}
