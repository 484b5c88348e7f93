package web

import (
	"context"
	"time"

	"moviola/eventstore"
)

// maxWait is how long an answer is delayed at most until the read models include the change. Design §4.
const maxWait = time.Second

// Projected waits until the read models include a position of the log.
type Projected interface {
	WaitFor(ctx context.Context, position eventstore.Position) error
}

// Await waits up to maxWait until the read models include a command's events, so that the client's next query shows them.
// After maxWait it returns anyway: the change is valid, although it is not visible yet.
func Await(ctx context.Context, p Projected, position eventstore.Position) {
	ctx, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	_ = p.WaitFor(ctx, position)
}
