package tracing

import (
	"context"
	"sync/atomic"

	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// mostWaiting is how many ended spans may wait for the collector. It is the length of the batcher's queue: so the batcher has
// room for every span that is counted as waiting, and drops none itself.
const mostWaiting = sdk.DefaultMaxQueueSize

// Counts are the spans of a process since its start, by what became of them.
type Counts struct {
	Sent    int64 // number of spans that the collector took
	Failed  int64 // number of spans that the collector did not take
	Dropped int64 // number of spans lost because too many were waiting
}

// counter counts the spans that were sent, failed or dropped, and bounds those that wait in the batcher. It is the span processor
// in front of the batcher; countingExporter, behind the batcher, tells it the results.
type counter struct {
	sdk.SpanProcessor // the batcher, which sends spans in the background
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
