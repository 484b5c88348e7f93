package ops_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"moviola/handlers/http/ops"
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
		{"the command line", "/debug/pprof/cmdline", nil, 404, nil},
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
			ops.New(ops.Config{Ready: tt.checks, Metrics: registry, Pprof: true}).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "http://localhost:9464"+tt.path, nil))
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

// TestOps_hosts calls the address by names. A page whose own name points to it must not read profiles; probes and scrapers have names of
// their own.
func TestOps_hosts(t *testing.T) {
	t.Parallel()
	tests := map[string]int{
		"localhost": 200, "localhost:9464": 200, "LOCALHOST.:9464": 200, "127.0.0.1:9464": 200, "[::1]:9464": 200, "[::1]": 200, "10.1.2.3": 200,
		"ops.internal:9464": 200, "Ops.Internal": 200, "": 421, "attacker.example": 421, "attacker.example:9464": 421, "127.0.0.1.nip.io": 421,
		"localhost.attacker.example": 421, "ops.internal.attacker.example": 421,
	}
	handler := ops.New(ops.Config{Metrics: prometheus.NewRegistry(), Hosts: []string{"ops.internal"}, Pprof: true})
	for host, named := range tests {
		for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/metrics": 200, "/debug/pprof/symbol": named} {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.Host = host
			answer := httptest.NewRecorder()
			handler.ServeHTTP(answer, r)
			if answer.Code != want {
				t.Errorf("%s of host %q: %d, want %d", path, host, answer.Code, want)
			}
		}
	}
}

// TestOps_metricsToken: where the network is shared, only who has the token scrapes; probes need none.
func TestOps_metricsToken(t *testing.T) {
	t.Parallel()
	handler := ops.New(ops.Config{Metrics: prometheus.NewRegistry(), MetricsToken: "right"})
	for _, tt := range []struct {
		path, header string
		want         int
	}{
		{"/metrics", "Bearer right", 200}, {"/metrics", "", 401}, {"/metrics", "Bearer wrong", 401}, {"/metrics", "right", 401}, {"/healthz", "", 200},
	} {
		r := httptest.NewRequest(http.MethodGet, tt.path, nil)
		r.Header.Set("Authorization", tt.header)
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, r)
		if answer.Code != tt.want || strings.Contains(answer.Body.String(), "right") {
			t.Errorf("%s with %q: %d %s", tt.path, tt.header, answer.Code, answer.Body)
		}
	}
}

// TestOps_pprof: profiles tell what is in memory, so they are there only when they were asked for.
func TestOps_pprof(t *testing.T) {
	t.Parallel()
	handler := ops.New(ops.Config{Metrics: prometheus.NewRegistry()})
	for _, path := range []string{"/debug/pprof/", "/debug/pprof/cmdline", "/debug/pprof/heap", "/debug/pprof/goroutine?debug=2"} {
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil))
		if answer.Code != http.StatusNotFound {
			t.Errorf("%s: %d, want 404", path, answer.Code)
		}
	}
}
