package observing

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"moviola/handlers/http/ops"
)

// readiness reports the results of /readyz as metrics, at each scrape. It implements prometheus.Collector.
type readiness map[string]ops.Check

var partReady = prometheus.NewDesc("moviola_part_ready", "1 while a part that the process needs answers, as /readyz tells.",
	[]string{"part"}, nil)

// Describe implements prometheus.Collector.
func (r readiness) Describe(to chan<- *prometheus.Desc) { to <- partReady }

// Collect implements prometheus.Collector. A part that does not respond within scrapeTime is reported as not ready.
func (r readiness) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTime)
	defer cancel()
	for part, outcome := range ops.Outcomes(ctx, r) {
		to <- gaugeOf(partReady, truth(outcome == ops.OK), part)
	}
}
