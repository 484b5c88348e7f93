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

// traceparentKey is the context key of a trace context.
type traceparentKey struct{}

// WithTraceparent returns a context whose commands mark their events with a trace context, in the form of W3C's traceparent
// header, so that what other processes do about them belongs to the same trace. Empty: they are not marked.
func WithTraceparent(ctx context.Context, traceparent string) context.Context {
	return context.WithValue(ctx, traceparentKey{}, traceparent)
}

// MetaOf returns the metadata for events that are appended in this context.
func MetaOf(ctx context.Context, account domain.AccountID, at time.Time) Meta {
	t, _ := ctx.Value(traceKey{}).(trace)
	traceparent, _ := ctx.Value(traceparentKey{}).(string)
	return Meta{Account: account, Correlation: t.correlation, Causation: t.causation, Traceparent: traceparent, Time: at}
}

// Clock returns the current time. Stamp makes of it the time that events get.
type Clock func() time.Time

// Stamp returns the current time in UTC, truncated to milliseconds (decision 2).
func (c Clock) Stamp() time.Time { return c().UTC().Truncate(time.Millisecond) }
