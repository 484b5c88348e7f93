package eventstore

import (
	"context"
	"time"

	"moviola/domain"
)

// traceKey is the context key of a trace.
type traceKey struct{}

// trace is what events remember of the request or message that led to them.
type trace struct{ correlation, causation string }

// WithTrace returns a context whose commands mark their events with a correlation id (of everything that follows from one
// request) and a causation id (of the request, event or message that led to them). Either may be empty.
func WithTrace(ctx context.Context, correlation, causation string) context.Context {
	return context.WithValue(ctx, traceKey{}, trace{correlation, causation})
}

// MetaOf is what an append of this context says about its events.
func MetaOf(ctx context.Context, account domain.AccountID, at time.Time) Meta {
	t, _ := ctx.Value(traceKey{}).(trace)
	return Meta{Account: account, Correlation: t.correlation, Causation: t.causation, Time: at}
}

// Clock tells the time that events are given.
type Clock func() time.Time

// Stamp is now in UTC, without what is below a millisecond (decision 2).
func (c Clock) Stamp() time.Time { return c().UTC().Truncate(time.Millisecond) }
