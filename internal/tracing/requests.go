package tracing

import (
	"context"
	"net/http"
	"strings"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"moviola/eventstore"
	"moviola/handlers/http/web"
)

// otherRequest is the name of spans of requests without a route.
const otherRequest = "HTTP"

// Requests returns a handler that starts a trace for every request. The client's traceparent becomes a link of the span.
func (t *Tracer) Requests(next http.Handler) http.Handler {
	if t == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		options := []trace.SpanStartOption{trace.WithNewRoot(), trace.WithSpanKind(trace.SpanKindServer)}
		caller := trace.SpanContextFromContext(t.carrier.Extract(context.Background(), propagation.HeaderCarrier(r.Header)))
		if caller.IsValid() {
			options = append(options, trace.WithLinks(trace.Link{SpanContext: caller.WithTraceState(trace.TraceState{})}))
		}
		ctx, span := t.tracer.Start(r.Context(), otherRequest, options...)
		defer span.End()
		next.ServeHTTP(w, r.WithContext(t.carried(ctx)))
	})
}

// Answered sets name, attributes and status of the span of an answered request. The handler of Requests ends the span.
func (t *Tracer) Answered(a web.Answered) {
	if t == nil {
		return
	}
	span := trace.SpanFromContext(a.Context)
	if !span.IsRecording() {
		return
	}
	span.SetAttributes(requestID.String(a.RequestID), status.Int(a.Status))
	if a.Operation != "" { // a span without an operation omits the method, which may be any text of the client
		verb, path, _ := strings.Cut(a.Operation, " ")
		span.SetName(a.Operation)
		span.SetAttributes(method.String(verb), route.String(path))
	}
	if a.Account != "" {
		span.SetAttributes(accountID.String(string(a.Account)))
	}
	if a.Status >= http.StatusInternalServerError || a.Status == 0 {
		span.SetStatus(codes.Error, "")
	}
}

// Written makes a span for an append that a request or an item of work makes.
func (t *Tracer) Written(ctx context.Context, w eventstore.Written) {
	if t == nil || !trace.SpanFromContext(ctx).IsRecording() {
		return
	}
	kind, _ := eventstore.SplitStream(w.Stream)
	types := typesOf(w.Events)
	span := t.ended(ctx, "append "+kind, w.Took, trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(category.String(kind), eventTypes.StringSlice(types)))
	if w.Err != nil {
		span.SetStatus(codes.Error, "")
	}
	span.End()
}
