package tracing

import (
	"context"
	"slices"
	"time"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"moviola/domain/movie"
	"moviola/handlers/background/processors"
	"moviola/internal/metrics"
	"moviola/projections"
)

// ofMovies are the kinds of work on movies. Subjects of other kinds may contain names that people chose, so spans leave them out.
var ofMovies = []string{
	projections.WorkRender, projections.WorkStop, projections.WorkSettle, projections.WorkDeliver, projections.WorkTimeout,
	projections.WorkAbandon, projections.WorkExpire,
}

// Work begins the span of an item of work, in the trace of the request from which the item follows. The returned function ends
// the span with a result.
func (t *Tracer) Work(ctx context.Context, task projections.Task) (context.Context, func(result string)) {
	if t == nil {
		return ctx, func(string) {}
	}
	ctx, span := t.tracer.Start(t.remote(ctx, task.Traceparent), "work "+task.Kind, trace.WithSpanKind(trace.SpanKindConsumer),
		trace.WithAttributes(kindOf.String(task.Kind), accountID.String(task.Account), attemptNo.Int(task.Attempt)))
	if isMovie(task) {
		span.SetAttributes(projectID.String(task.Subject))
	}
	if task.Correlation != "" {
		span.SetAttributes(requestID.String(task.Correlation))
	}
	return t.carried(ctx), func(result string) {
		span.SetAttributes(resultIs.String(result))
		if result == processors.ResultFailed {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

func isMovie(task projections.Task) bool {
	_, _, item := projections.ItemOfFetch(task.ID)
	return slices.Contains(ofMovies, task.Kind) || task.Kind == projections.WorkFetch && !item
}

// Stage makes a span of a stage of a render that has just ended.
func (t *Tracer) Stage(ctx context.Context, stage string, took time.Duration) {
	if t != nil {
		t.ended(ctx, "render "+stage, took).End()
	}
}

// Tried makes a span of a try at a destination that has just ended.
func (t *Tracer) Tried(ctx context.Context, try movie.DeliveryAttempted, server string) {
	if t == nil {
		return
	}
	kind := metrics.Destination(try.Type)
	took := time.Duration(try.DurationMS) * time.Millisecond
	span := t.ended(ctx, "deliver "+kind, took, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(kindOf.String(kind),
		tryNo.Int(try.Try), resultIs.String(string(try.Status)), status.Int(try.HTTPStatus), host.String(server)))
	if try.Status == movie.DeliveryError {
		span.SetStatus(codes.Error, "")
	}
	span.End()
}
