package embedded

import (
	"context"
	"errors"
	"strconv"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"moviola/eventstore/embedded/logfile"
	"moviola/eventstore/embedded/wire"
)

func refuseDeleted(ctx context.Context, stream string) error {
	return wire.Refuse(ctx, codes.FailedPrecondition, "Event stream '"+stream+"' is deleted.",
		"stream-deleted", "stream-name", stream)
}

// invalidError is an append that the protocol does not allow. Its trailers are sent when the append is a call of its own, but not
// when it is part of a call of BatchAppend.
type invalidError struct {
	message  string
	trailers []string // trailers of the gRPC status, for wire.Refuse
	tooLarge bool     // the append has too many bytes
}

// Error implements error.
func (e *invalidError) Error() string { return e.message }

// GRPCStatus returns the error as a status, without the trailers.
func (e *invalidError) GRPCStatus() *status.Status {
	return status.New(codes.InvalidArgument, e.message)
}

func sizeError(limit int) error {
	return &invalidError{
		message:  "Maximum append size of " + strconv.Itoa(limit) + " bytes exceeded.",
		trailers: []string{"maximum-append-size-exceeded", "maximum-append-size", strconv.Itoa(limit)}, tooLarge: true,
	}
}

var errProperties = &invalidError{
	message:  "Required metadata properties not found: type, content-type.",
	trailers: []string{"missing-required-metadata-property", "required-metadata-properties", "type,content-type"},
}

// refuseInvalid ends the call of an append whose request was invalid.
func refuseInvalid(ctx context.Context, err error) error {
	var invalid *invalidError
	if errors.As(err, &invalid) {
		return wire.Refuse(ctx, codes.InvalidArgument, invalid.message, invalid.trailers[0], invalid.trailers[1:]...)
	}
	return err
}

// failed converts an error of the log to a status. A full queue of the writer is RESOURCE_EXHAUSTED: UNAVAILABLE would make every
// client reconnect.
func failed(err error) error {
	var corrupt *logfile.CorruptError
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
