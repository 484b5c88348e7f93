package observing

import (
	"github.com/prometheus/client_golang/prometheus"

	"moviola/internal/tracing"
)

// spans reports metrics about the spans of this process: how many the OpenTelemetry collector took, how many it did not
// take, and how many were dropped because too many were waiting. It implements prometheus.Collector.
type spans func() tracing.Counts

var spansTotal = prometheus.NewDesc("moviola_spans_total",
	"Spans by what became of them: sent, failed (the collector did not take them) or dropped (too many were waiting).",
	[]string{"result"}, nil)

// Describe implements prometheus.Collector.
func (s spans) Describe(to chan<- *prometheus.Desc) { to <- spansTotal }

// Collect implements prometheus.Collector.
func (s spans) Collect(to chan<- prometheus.Metric) {
	counts := s()
	for result, n := range map[string]int64{"sent": counts.Sent, "failed": counts.Failed, "dropped": counts.Dropped} {
		to <- prometheus.MustNewConstMetric(spansTotal, prometheus.CounterValue, float64(n), result)
	}
}
