package ops_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"moviola/handlers/ops"
)

func TestOps(t *testing.T) {
	t.Parallel()
	good := func(context.Context) error { return nil }
	bad := func(context.Context) error { return errors.New("connection refused") }
	stuck := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	tests := []struct {
		name, path string
		checks     map[string]ops.Check
		status     int
		want       []string
	}{
		{"alive", "/healthz", map[string]ops.Check{"event store": bad}, 200, []string{`{"status":"ok"}`}},
		{"ready", "/readyz", map[string]ops.Check{"event store": good, "files": good}, 200, []string{`{"status":"ok","checks":{"event store":"ok","files":"ok"}}`}},
		{"nothing to check", "/readyz", nil, 200, []string{`{"status":"ok"}`}},
		{"not ready", "/readyz", map[string]ops.Check{"event store": bad, "files": good}, 503, []string{`"status":"not ready"`, `"event store":"connection refused"`, `"files":"ok"`}},
		{"a check that hangs", "/readyz", map[string]ops.Check{"files": stuck}, 503, []string{`"files":"context deadline exceeded"`}},
		{"metrics", "/metrics", nil, 200, []string{"# TYPE moviola_test_total counter", "moviola_test_total 3"}},
		{"profiles", "/debug/pprof/", nil, 200, []string{"goroutine"}},
		{"a profile", "/debug/pprof/goroutine?debug=1", nil, 200, []string{"goroutine profile:"}},
		{"unknown", "/nowhere", nil, 404, []string{`"message":"Not found"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			registry := prometheus.NewRegistry()
			counter := prometheus.NewCounter(prometheus.CounterOpts{Name: "moviola_test_total", Help: "A test."})
			registry.MustRegister(counter)
			counter.Add(3)
			answer := httptest.NewRecorder()
			ops.New(ops.Config{Ready: tt.checks, Metrics: registry}).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, tt.path, nil))
			if answer.Code != tt.status {
				t.Errorf("status %d, want %d", answer.Code, tt.status)
			}
			for _, want := range tt.want {
				if !strings.Contains(answer.Body.String(), want) {
					t.Errorf("no %s in %s", want, answer.Body)
				}
			}
		})
	}
}
