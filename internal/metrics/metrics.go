// Package metrics has the Prometheus metrics of a process. The measured packages do not import it: they call functions and small
// interfaces that they are given.
//
// Every label has a bounded set of values, such as names of routes, kinds of work, types of events or plans. No label value is
// chosen by a client.
package metrics

import (
	"net/http"
	"runtime"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"moviola/eventstore"
)

// other is the label value for whatever has no label value of its own.
const other = "other"

// Metrics holds the metrics of one process. It is safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry
	codec    *eventstore.Codec

	requests    *prometheus.CounterVec
	requestTime *prometheus.HistogramVec

	appends    *prometheus.CounterVec
	appendTime prometheus.Histogram
	events     *prometheus.CounterVec

	work     *prometheus.CounterVec
	workTime *prometheus.HistogramVec
	busy     *prometheus.GaugeVec

	renders   *prometheus.CounterVec
	frames    *prometheus.CounterVec
	stageTime *prometheus.HistogramVec
	speed     prometheus.Histogram
	pages     *prometheus.CounterVec

	calls     *prometheus.CounterVec
	callTime  *prometheus.HistogramVec
	callBytes *prometheus.CounterVec

	deliveries   *prometheus.CounterVec
	deliveryTime *prometheus.HistogramVec
	credits      *prometheus.CounterVec
	anchors      *prometheus.CounterVec
	scavenge     *prometheus.GaugeVec
}

// Buckets of histograms, in seconds.
var (
	answerBounds = []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 15}
	appendBounds = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, 1, 5}
	workBounds   = []float64{.01, .05, .25, 1, 5, 15, 60, 300, 900}
	callBounds   = []float64{.05, .1, .25, .5, 1, 2.5, 5, 15, 60, 300}
	speedBounds  = []float64{.1, .25, .5, 1, 2, 4, 8, 16, 32}
)

// New returns the metrics of a process. version is the version of the program; codec decodes the events whose content is counted.
func New(version string, codec *eventstore.Codec) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), codec: codec}
	m.requests = m.counter("http_requests_total", "Answered requests.", "operation", "status")
	m.requestTime = m.histogram("http_request_duration_seconds", "Time from a request's header to the end of its answer.",
		answerBounds, "operation")
	m.appends = m.counter("appends_total", "Appends to the log by what came of them: ok, conflict, unavailable, error.",
		"category", "result")
	m.appendTime = m.histogram("append_duration_seconds", "Time of an append that succeeded.",
		appendBounds).WithLabelValues().(prometheus.Histogram)
	m.events = m.counter("events_appended_total", "Events that this process appended to the log.", "type")
	m.work = m.counter("work_total", "Pieces of work that ended: ok, failed (it is tried again), nothing (it was done "+
		"already) or handed_back.", "kind", "result")
	m.workTime = m.histogram("work_duration_seconds", "Time of a piece of work in this process.", workBounds, "kind")
	m.busy = m.gauge("slots_busy", "Pieces of work that this process does now.", "kind")
	m.renders = m.counter("renders_total", "Movies that came to an outcome here: rendered, cached (copied from an equal "+
		"one) or failed.", "result")
	m.frames = m.counter("render_frames_total", "Frames of movies by where they came from: encoded, or cached in windows of "+
		"earlier renders.", "source")
	m.stageTime = m.histogram("render_stage_duration_seconds", "Time of a stage of a render.", workBounds, "stage")
	m.speed = m.histogram("render_speed_ratio", "Length of a movie by the time its render took: 1 is real time.",
		speedBounds).WithLabelValues().(prometheus.Histogram)
	m.pages = m.counter("render_pages_total",
		"Pictures and films of html pages and SVG drawings by what came of them: ok, error.", "result")
	m.calls = m.counter("outbound_requests_total", "Requests to other servers by what they are for, and the class of the "+
		"answer's status; error: there was none.", "purpose", "result")
	m.callTime = m.histogram("outbound_request_duration_seconds", "Time until the header of another server's answer.",
		callBounds, "purpose")
	m.callBytes = m.counter("outbound_received_bytes_total", "Bytes of bodies that other servers sent.", "purpose")
	m.deliveries = m.counter("delivery_attempts_total", "Tries at a destination by its kind and what came of them: ok, "+
		"error, skipped.", "kind", "result")
	m.deliveryTime = m.histogram("delivery_attempt_duration_seconds", "Time of a try at a destination.", callBounds, "kind")
	m.credits = m.counter("credits_total", "Credits that this process moved: granted, held, charged, released.", "movement")
	m.anchors = m.counter("anchors_total", "Tries to keep an anchor of the ledgers at a place, by its kind and what came of them: "+
		"ok, error.", "kind", "result")
	m.scavenge = m.gauge("scavenge_events", "Archived events that use room in the event store until it is scavenged.")
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.build(version)
	return m
}

// build registers the gauge with the version of this program.
func (m *Metrics) build(version string) {
	revision := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" {
				revision = setting.Value
			}
		}
	}
	m.gauge("build_info", "1, with what runs here in its labels.", "version", "revision", "goversion", "goarch").
		WithLabelValues(version, revision, runtime.Version(), runtime.GOARCH).Set(1)
}

const namespace = "moviola"

func (m *Metrics) counter(name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
	m.registry.MustRegister(c)
	return c
}

func (m *Metrics) gauge(name, help string, labels ...string) *prometheus.GaugeVec {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, labels)
	m.registry.MustRegister(g)
	return g
}

func (m *Metrics) histogram(name, help string, bounds []float64, labels ...string) *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: bounds}, labels)
	m.registry.MustRegister(h)
	return h
}

// Gatherer returns what collects the metrics at a scrape.
func (m *Metrics) Gatherer() prometheus.Gatherer { return m.registry }

// Register adds further collectors to those that a scrape reads.
func (m *Metrics) Register(all ...prometheus.Collector) { m.registry.MustRegister(all...) }

// Show adds a gauge whose value is computed at every scrape.
func (m *Metrics) Show(name, help string, value func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, value))
}

// Answered counts a response. All requests without a route count as one operation.
func (m *Metrics) Answered(operation string, status int, took time.Duration) {
	if operation == "" {
		operation = other
	}
	code := strconv.Itoa(status)
	if http.StatusText(status) == "" {
		code = other
	}
	m.requests.WithLabelValues(operation, code).Inc()
	m.requestTime.WithLabelValues(operation).Observe(took.Seconds())
}

// Slots sets the gauge of slots by kind of work, and creates the series of running work.
func (m *Metrics) Slots(slots map[string]int) {
	all := m.gauge("slots", "Pieces of work that this process does at the same time at most.", "kind")
	for kind, n := range slots {
		all.WithLabelValues(kind).Set(float64(n))
		m.busy.WithLabelValues(kind).Set(0)
	}
}

// Working counts the start of an item of work, and returns a function that counts its end.
func (m *Metrics) Working(kind string) (ended func(result string)) {
	began := time.Now()
	m.busy.WithLabelValues(kind).Inc()
	return func(result string) {
		m.busy.WithLabelValues(kind).Dec()
		m.work.WithLabelValues(kind, result).Inc()
		m.workTime.WithLabelValues(kind).Observe(time.Since(began).Seconds())
	}
}
