package tracing

import (
	"context"
	"errors"
	"testing"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// gate is an exporter that waits until it is opened, and then fails or not.
type gate struct {
	open  chan struct{}
	fails error
}

func (g gate) ExportSpans(ctx context.Context, _ []sdk.ReadOnlySpan) error {
	select {
	case <-g.open:
	case <-ctx.Done():
	}
	return g.fails
}
func (gate) Shutdown(context.Context) error { return nil }

// TestCounts: while the collector takes nothing, a bounded number of spans waits and all others are counted as dropped; what waits is
// counted when it is sent, or when it fails.
func TestCounts(t *testing.T) {
	t.Parallel()
	const more = 100
	for _, fails := range []error{nil, errors.New("refused")} {
		g := gate{make(chan struct{}), fails}
		c := counted(g)
		provider := sdk.NewTracerProvider(sdk.WithSpanProcessor(c))
		tracer := &Tracer{tracer: provider.Tracer("test"), provider: provider, counts: c}
		for range mostWaiting + more {
			_, span := tracer.tracer.Start(t.Context(), "x", trace.WithNewRoot())
			span.End()
		}
		if got := tracer.Counts(); got != (Counts{Dropped: more}) {
			t.Errorf("while nothing is taken: %+v", got)
		}
		close(g.open)
		_ = provider.ForceFlush(t.Context()) // its error is the exporter's, which is counted
		want := Counts{Sent: mostWaiting, Dropped: more}
		if fails != nil {
			want = Counts{Failed: mostWaiting, Dropped: more}
		}
		if got := tracer.Counts(); got != want {
			t.Errorf("the exporter's error %v: %+v, want %+v", fails, got, want)
		}
		_ = provider.Shutdown(t.Context())
	}
	if got := (*Tracer)(nil).Counts(); got != (Counts{}) {
		t.Errorf("without a collector: %+v", got)
	}
}
