package tracing

import (
	"context"
	"sync/atomic"

	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// mostWaiting is how many ended spans may wait for the collector. The batcher's own queue is as long, and a batch is taken out of
// it, so it never drops a span that was let in here.
const mostWaiting = sdk.DefaultMaxQueueSize

// Counts are the spans of a process since its start, by what became of them.
type Counts struct {
	Sent    int64 // the collector took them
	Failed  int64 // the collector did not take them
	Dropped int64 // too many were waiting
}

// counter lets a bounded number of spans wait in the batcher, and counts what becomes of all. It is the span processor before the
// batcher and the exporter behind it.
type counter struct {
	sdk.SpanProcessor // the batcher
	waiting           atomic.Int64
	sent, failed      atomic.Int64
	dropped           atomic.Int64
}

// OnEnd implements sdk.SpanProcessor.
func (c *counter) OnEnd(span sdk.ReadOnlySpan) {
	if !span.SpanContext().IsSampled() {
		return
	}
	if c.waiting.Add(1) > mostWaiting {
		c.waiting.Add(-1)
		c.dropped.Add(1)
		return
	}
	c.SpanProcessor.OnEnd(span)
}

// countingExporter counts the spans that an exporter takes.
type countingExporter struct {
	sdk.SpanExporter
	to *counter
}

// ExportSpans implements sdk.SpanExporter.
func (e countingExporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := e.SpanExporter.ExportSpans(ctx, spans)
	n := int64(len(spans))
	e.to.waiting.Add(-n)
	if err != nil {
		e.to.failed.Add(n)
		return err
	}
	e.to.sent.Add(n)
	return nil
}

// counted returns a processor that sends spans by an exporter in the background, and counts them.
func counted(exporter sdk.SpanExporter) *counter {
	c := &counter{}
	c.SpanProcessor = sdk.NewBatchSpanProcessor(countingExporter{exporter, c}, sdk.WithMaxQueueSize(mostWaiting))
	return c
}

// Counts returns how many spans were sent and lost. The tracer may be nil.
func (t *Tracer) Counts() Counts {
	if t == nil {
		return Counts{}
	}
	return Counts{Sent: t.counts.sent.Load(), Failed: t.counts.failed.Load(), Dropped: t.counts.dropped.Load()}
}
