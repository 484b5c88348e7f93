package eventstoredb

import (
	"context"
	"time"

	"moviola/eventstore"
)

// Wait is how long a call waits for a server that was not reached yet, and the error that it then gets.
func Wait(ctx context.Context, patience time.Duration) (time.Duration, error) {
	began := time.Now()
	_, err := newGate(max(grace, patience)).enter(ctx, ctx)
	return time.Since(began), err
}

// Truncated is what a copy makes of the metadata of a stream in whose place it has put events at the revisions from first to last.
func Truncated(metadata []byte, first, last eventstore.Revision) ([]byte, error) {
	return truncated(metadata, revisions{first, last})
}
