package web

import (
	"context"
	"time"

	"moviola/eventstore"
)

// maxWait is how long an answer is held back for the read models to catch up with it. Design §4.
const maxWait = time.Second

// Projected waits until the read models have passed a position of the log.
type Projected interface {
	WaitFor(ctx context.Context, position eventstore.Position) error
}

// Await gives the read models a moment to show what a command has done, so that the next answer does. What was done stands
// whether or not they make it.
func Await(ctx context.Context, p Projected, position eventstore.Position) {
	ctx, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	_ = p.WaitFor(ctx, position)
}
