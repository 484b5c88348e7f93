package tracing

import (
	"context"
	"image"
	"net/http"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"moviola/domain/timeline"
	"moviola/internal/metrics"
)

// Client returns a client that makes a span for every request, until the header of the answer is read. Each redirect is a request
// of its own.
func (t *Tracer) Client(client *http.Client, purpose metrics.Purpose) *http.Client {
	if t == nil {
		return client
	}
	traced := *client
	base := client.Transport
	if base == nil {
		base = http.DefaultTransport
	}
	traced.Transport = tracedTransport{base, t, purpose}
	return &traced
}

type tracedTransport struct {
	base    http.RoundTripper
	tracer  *Tracer
	purpose metrics.Purpose
}

// RoundTrip implements http.RoundTripper. The span contains the host only, because paths and queries may contain secrets.
func (t tracedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	_, span := t.tracer.tracer.Start(r.Context(), "fetch "+string(t.purpose), trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(purposeOf.String(string(t.purpose)), host.String(r.URL.Hostname())))
	defer span.End()
	answer, err := t.base.RoundTrip(r)
	switch {
	case err != nil:
		span.SetStatus(codes.Error, "")
	default:
		span.SetAttributes(status.Int(answer.StatusCode))
	}
	return answer, err
}

// CloseIdleConnections passes the call of http.Client on to the base transport.
func (t tracedTransport) CloseIdleConnections() {
	if closer, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}

// Pages returns a renderer of web pages that makes a span for each page.
func (t *Tracer) Pages(pages metrics.Pages) metrics.Pages {
	if t == nil {
		return pages
	}
	return tracedPages{pages, t}
}

type tracedPages struct {
	metrics.Pages
	tracer *Tracer
}

// Still implements metrics.Pages.
func (p tracedPages) Still(ctx context.Context, page timeline.Page, w, h int) (picture *image.NRGBA, err error) {
	ctx, end := p.begin(ctx, "page still")
	defer func() { end(err) }()
	return p.Pages.Still(ctx, page, w, h)
}

// Frames implements metrics.Pages.
func (p tracedPages) Frames(
	ctx context.Context, page timeline.Page, w, h int, rate timeline.Rate, n int64,
	yield func(i int64, frame *image.NRGBA) error,
) (err error) {
	ctx, end := p.begin(ctx, "page film")
	defer func() { end(err) }()
	return p.Pages.Frames(ctx, page, w, h, rate, n, yield)
}

// Drawing implements metrics.Pages.
func (p tracedPages) Drawing(ctx context.Context, svg []byte, v timeline.DrawingView) (picture *image.NRGBA, err error) {
	ctx, end := p.begin(ctx, "page drawing")
	defer func() { end(err) }()
	return p.Pages.Drawing(ctx, svg, v)
}

func (p tracedPages) begin(ctx context.Context, name string) (context.Context, func(error)) {
	ctx, span := p.tracer.tracer.Start(ctx, name)
	return ctx, func(err error) {
		if err != nil {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}
