package eventstore

import (
	"context"
	"time"

	"moviola/domain"
)

// traceKey is the context key of a trace.
type traceKey struct{}

// trace holds the correlation and causation ids that events get from the request or message that led to them.
type trace struct{ correlation, causation string }

// WithTrace returns a context whose commands mark their events with a correlation id (of everything that follows from one
// request) and a causation id (of the request, event or message that led to them). Either may be empty.
func WithTrace(ctx context.Context, correlation, causation string) context.Context {
	return context.WithValue(ctx, traceKey{}, trace{correlation, causation})
}

// MetaOf returns the metadata for events that are appended in this context.
func MetaOf(ctx context.Context, account domain.AccountID, at time.Time) Meta {
	t, _ := ctx.Value(traceKey{}).(trace)
	return Meta{Account: account, Correlation: t.correlation, Causation: t.causation, Time: at}
}

// Clock returns the time that events get.
type Clock func() time.Time

// Stamp returns the current time in UTC, truncated to milliseconds (decision 2).
func (c Clock) Stamp() time.Time { return c().UTC().Truncate(time.Millisecond) }
