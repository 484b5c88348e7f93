package tracing_test

import (
	"context"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/sirupsen/logrus/hooks/test"

	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/handlers/http/web"
	"moviola/internal/metrics"
	"moviola/internal/tracing"
	"moviola/projections"
)

// TestOff: without --otlp a request, an append and a piece of work allocate nothing for traces.
func TestOff(t *testing.T) {
	var off *tracing.Tracer
	handler, client, ctx := http.NewServeMux(), &http.Client{}, t.Context()
	if off.Requests(handler) != http.Handler(handler) || off.Client(client, metrics.Sources) != client || off.Pages(nil) != nil {
		t.Error("something stands around the handler, the client or the pages although there are no traces")
	}
	task, answered, written := projections.Task{}, web.Answered{Context: ctx}, eventstore.Written{Stream: "movie-1"}
	if n := testing.AllocsPerRun(1000, func() {
		off.Answered(answered)
		off.Written(ctx, written)
		_, ended := off.Work(ctx, task)
		off.Stage(ctx, "window", time.Second)
		off.Tried(ctx, movie.DeliveryAttempted{}, "example.com")
		ended("ok")
		if eventstore.MetaOf(ctx, "", time.Time{}).Traceparent != "" {
			t.Error("an event carries a trace context")
		}
	}); n != 0 {
		t.Errorf("%v allocations without traces", n)
	}
}

// TestOpen_TLS: the collector's certificate is checked against the given authority, and the token is sent to it.
func TestOpen_TLS(t *testing.T) {
	asked := make(chan string, 10)
	server := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- r.URL.Path + " " + r.Header.Get("Authorization")
	}))
	defer server.Close()
	authority := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(authority, block, 0o600); err != nil {
		t.Fatal(err)
	}
	log, lines := test.NewNullLogger()
	send := func(authority string) {
		t.Helper()
		tracer, err := tracing.Open(t.Context(), tracing.Config{URL: server.URL, Token: "secret", Authority: authority, Sample: 1, Log: log})
		if err != nil {
			t.Fatal(err)
		}
		handler := tracer.Requests(http.NotFoundHandler())
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
		if err := tracer.Close(context.Background()); err != nil {
			t.Log(err)
		}
	}
	send(authority)
	select {
	case got := <-asked:
		if got != "/v1/traces Bearer secret" {
			t.Errorf("the collector was asked %q", got)
		}
	default:
		t.Errorf("the collector was not asked: %v", lines.AllEntries())
	}
	send("")
	if len(asked) > 0 {
		t.Error("spans were sent to a collector with a certificate of an unknown authority")
	}
}

// TestOpen_Refusals: what cannot work is said at the start.
func TestOpen_Refusals(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, authority := range []string{empty, empty + ".missing"} {
		_, err := tracing.Open(t.Context(), tracing.Config{URL: "https://localhost:4318", Authority: authority, Log: logrus.New()})
		if err == nil {
			t.Errorf("%s is taken as authorities", authority)
		}
	}
}

// TestUnanswered: a collector that takes nothing costs spans, not requests; what waits is bounded.
func TestUnanswered(t *testing.T) {
	hold := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hold }))
	defer server.Close()
	defer close(hold)
	log, _ := test.NewNullLogger()
	tracer, err := tracing.Open(t.Context(), tracing.Config{URL: server.URL, Sample: 1, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	served := 0
	handler := tracer.Requests(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served++ }))
	for range 10_000 {
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
	}
	if served != 10_000 {
		t.Errorf("%d requests served", served)
	}
	if err := tracer.Close(t.Context()); err != nil {
		t.Log(err)
	}
}
