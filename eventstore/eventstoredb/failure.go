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

// isCode looks for one of the client's error codes. The client's own helper misses wrapped errors.
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

// isAway reports whether an error means that the server cannot be reached, so that other calls would fail too. A node that
// is not the leader may answer with the status NOT_FOUND. Such a node counts as unreachable, so that another one is looked
// for.
func isAway(err error) bool {
	return isCode(err, esdb.ErrorUnavailable, esdb.ErrorCodeConnectionClosed, esdb.ErrorCodeNotLeader) ||
		status.Code(err) == codes.Unavailable || status.Code(err) == codes.NotFound
}

// translate marks a transient error as eventstore.ErrUnavailable. Other errors of the server concern the request itself and stay
// as they are: a retry would not help. A conflict and a missing stream stay as they are too: they are answers.
func translate(err error) error {
	if status.Code(err) == codes.NotFound { // a node that is not the leader answers with this status
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

// outcomeError returns the error of a call in the form that its caller should see.
func outcomeError(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil: // the client's error is only a consequence of the ended context
		return ctx.Err()
	default:
		return translate(err)
	}
}
