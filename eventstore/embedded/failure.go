package embedded

import (
	"context"
	"errors"
	"strconv"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// refuse ends a call with a status and the trailers by which clients tell the reasons apart: "exception" first, then what
// the reason needs. Clients read some of them without looking whether they are there.
func refuse(ctx context.Context, code codes.Code, message, exception string, trailers ...string) error {
	md := metadata.Pairs(append([]string{"exception", exception}, trailers...)...)
	if err := grpc.SetTrailer(ctx, md); err != nil {
		return status.Errorf(codes.Internal, "set the trailers of %q: %v", message, err)
	}
	return status.Error(code, message)
}

func refuseDeleted(ctx context.Context, stream string) error {
	return refuse(ctx, codes.FailedPrecondition, "Event stream '"+stream+"' is deleted.", "stream-deleted", "stream-name", stream)
}

func refuseSize(ctx context.Context, limit int) error {
	return refuse(ctx, codes.InvalidArgument, "Maximum append size of "+strconv.Itoa(limit)+" bytes exceeded.",
		"maximum-append-size-exceeded", "maximum-append-size", strconv.Itoa(limit))
}

func refuseProperties(ctx context.Context) error {
	return refuse(ctx, codes.InvalidArgument, "Required metadata properties not found: type, content-type.",
		"missing-required-metadata-property", "required-metadata-properties", "type,content-type")
}

// failed turns an error of the log into a status. A busy writer is RESOURCE_EXHAUSTED and not UNAVAILABLE, which would make
// every client connect anew.
func failed(err error) error {
	var corrupt *CorruptError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return status.FromContextError(err).Err()
	case errors.Is(err, errBusy):
		return status.Error(codes.ResourceExhausted, err.Error())
	case errors.Is(err, errClosed):
		return status.Error(codes.Unavailable, err.Error())
	case errors.As(err, &corrupt):
		return status.Error(codes.DataLoss, err.Error())
	default:
		return status.Error(codes.Internal, err.Error())
	}
}
