// Package tracing makes OpenTelemetry spans of what a process does, and sends them to a collector by OTLP. The traced packages do
// not import it: they call functions and small interfaces that they are given. A nil Tracer makes no spans and allocates nothing.
//
// The work for a movie belongs to one trace. It usually begins with the request that submits the movie; events carry its
// trace context in their metadata, so that the work which follows, in whichever process, belongs to it. The trace context
// of a client becomes a link of the request's span, never its parent: clients must not decide which spans are sent, nor
// under which id.
//
// Attributes come from the list in attributes.go: ids, kinds, counts, times, and hosts without path.
package tracing

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/sirupsen/logrus"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"moviola/eventstore"
)

// closeTime limits how long a shutdown waits for a collector to take the last spans.
const closeTime = 2 * time.Second

// complainEvery is the minimum time between two log messages about spans that could not be sent.
const complainEvery = time.Minute

// defaultPath is the path for traces in the OTLP specification.
const defaultPath = "/v1/traces"

// Config is what Open needs.
type Config struct {
	URL       string  // address of the collector, http:// or https://; without a path, /v1/traces is the path
	Token     string  // bearer token for the collector; empty: none
	Authority string  // PEM file of the certificate authorities to trust; empty: those of the system
	Sample    float64 // the share of traces that are sent, 0 to 1
	Version   string  // version of the program
	Worker    string  // name of this process, as in its claims; another one after each start
	Roles     []string
	Log       logrus.FieldLogger
}

// Tracer makes spans. It is safe for concurrent use.
type Tracer struct {
	tracer   trace.Tracer
	provider *sdk.TracerProvider
	carrier  propagation.TraceContext
	counts   *counter
}

// Open returns a tracer that sends its spans in the background. It does not check whether the collector responds: without a
// collector, spans are lost, but requests and renders continue. At most 2048 spans are queued; further ones are dropped.
func Open(ctx context.Context, cfg Config) (*Tracer, error) {
	options, err := exporterOptions(cfg)
	if err != nil {
		return nil, err
	}
	exporter, err := otlptracehttp.New(ctx, options...)
	if err != nil {
		return nil, fmt.Errorf("--otlp: %w", err)
	}
	otel.SetErrorHandler(&complainer{log: cfg.Log})
	counts := counted(exporter)
	provider := sdk.NewTracerProvider(
		sdk.WithSpanProcessor(counts),
		sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(cfg.Sample))),
		sdk.WithResource(resource.NewSchemaless(serviceName.String("moviola"), serviceVersion.String(cfg.Version),
			serviceInstance.String(cfg.Worker), processRoles.StringSlice(cfg.Roles))),
	)
	return &Tracer{tracer: provider.Tracer("moviola"), provider: provider, counts: counts}, nil
}

func exporterOptions(cfg Config) ([]otlptracehttp.Option, error) {
	address, err := url.Parse(cfg.URL)
	if err != nil {
		return nil, errors.New("--otlp: give an address such as https://collector.example.com:4318")
	}
	if strings.Trim(address.Path, "/") == "" {
		address.Path = defaultPath
	}
	options := []otlptracehttp.Option{otlptracehttp.WithEndpointURL(address.String())}
	if cfg.Token != "" {
		options = append(options, otlptracehttp.WithHeaders(map[string]string{"Authorization": "Bearer " + cfg.Token}))
	}
	if cfg.Authority != "" {
		authorities, err := os.ReadFile(cfg.Authority)
		if err != nil {
			return nil, fmt.Errorf("--otlp-ca: %w", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(authorities) {
			return nil, fmt.Errorf("--otlp-ca: %s has no certificate in PEM", cfg.Authority)
		}
		options = append(options, otlptracehttp.WithTLSClientConfig(&tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}))
	}
	return options, nil
}

// Close sends the queued spans, for at most two seconds. Spans that are not sent by then are lost, without an error.
func (t *Tracer) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, closeTime)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil && ctx.Err() == nil {
		return fmt.Errorf("send the last spans: %w", err)
	}
	return nil
}

// complainer logs, at a limited rate, that spans could not be sent. It implements otel.ErrorHandler.
type complainer struct {
	log  logrus.FieldLogger
	mu   sync.Mutex
	last time.Time
}

// Handle implements otel.ErrorHandler.
func (c *complainer) Handle(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); now.Sub(c.last) >= complainEvery {
		c.last = now
		c.log.WithError(err).Warn("spans not sent to the collector of --otlp, they are lost; the service goes on without them")
	}
}

// carried returns a copy of ctx. Events that are appended with the copy get the trace context of the span in ctx.
func (t *Tracer) carried(ctx context.Context) context.Context {
	carrier := propagation.MapCarrier{}
	t.carrier.Inject(ctx, carrier)
	return eventstore.WithTraceparent(ctx, carrier.Get("traceparent"))
}

// remote returns a context in which new spans are children of a trace context, given as text. An invalid text changes nothing.
func (t *Tracer) remote(ctx context.Context, traceparent string) context.Context {
	return t.carrier.Extract(ctx, propagation.MapCarrier{"traceparent": traceparent})
}

// ended starts a span for something that has just ended after the time took. The caller ends the span.
func (t *Tracer) ended(ctx context.Context, name string, took time.Duration, options ...trace.SpanStartOption) trace.Span {
	now := time.Now()
	_, span := t.tracer.Start(ctx, name, append(options, trace.WithTimestamp(now.Add(-took)))...)
	return span
}
