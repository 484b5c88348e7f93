package eventstoredb

import (
	"context"
	"time"
)

// Wait is how long a call waits for a server that was not reached yet, and the error that it then gets.
func Wait(ctx context.Context, patience time.Duration) (time.Duration, error) {
	began := time.Now()
	_, err := newGate(max(grace, patience)).enter(ctx, ctx)
	return time.Since(began), err
}
