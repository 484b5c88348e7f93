// Package ops serves monitoring for operators: liveness, readiness, metrics and profiles, and further pages such as the
// operators' console. Its address should be reachable by operators only: answers may name internal parts.
package ops

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"net/http/pprof"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"moviola/domain"
	"moviola/handlers/http/web"
)

// checkTime is the time limit of a check. A check that takes longer counts as failed.
const checkTime = 2 * time.Second

// Check reports whether one part of the process works. It ends when its context ends.
type Check func(ctx context.Context) error

// Config is what New needs.
type Config struct {
	// Ready are the checks that must all pass before the process gets requests, by name.
	Ready map[string]Check
	// Metrics gathers the metrics that /metrics serves.
	Metrics prometheus.Gatherer
	// Hosts are the accepted host names of requests, beside IP addresses and localhost. This prevents DNS rebinding: a page in
	// an operator's browser may make its own host name resolve to this address, but requests under that name are refused.
	Hosts []string
	// MetricsToken must be in the header Authorization of requests for /metrics, as `Bearer TOKEN`; empty: no token is needed.
	MetricsToken string
	// Pages are the handlers of further pages, by path. Each is served at and below its path.
	Pages map[string]http.Handler
	// Pprof reports whether Go's profiles are served too.
	Pprof bool
}

// New returns the handler of the operators' address: /healthz, /readyz, /metrics, the Pages, and /debug/pprof/ when Pprof is set.
func New(cfg Config) http.Handler {
	mux := web.NewRouter()
	mux.Handle("/healthz", web.Methods{http.MethodGet: alive})
	mux.Handle("/readyz", web.Methods{http.MethodGet: cfg.ready})
	metrics := promhttp.HandlerFor(cfg.Metrics, promhttp.HandlerOpts{})
	mux.Handle("/metrics", web.Methods{http.MethodGet: cfg.forScrapers(metrics.ServeHTTP)})
	for path, page := range cfg.Pages {
		mux.Handle(path, page)
		mux.PathPrefix(path + "/").Handler(page)
	}
	if cfg.Pprof {
		// The command line is not served: it may have secrets.
		for name, serve := range map[string]http.HandlerFunc{
			"profile": pprof.Profile, "symbol": pprof.Symbol, "trace": pprof.Trace,
		} {
			mux.HandleFunc("/debug/pprof/"+name, serve)
		}
		mux.PathPrefix("/debug/pprof/").HandlerFunc(pprof.Index)
	}
	return cfg.calledByName(mux)
}

var errHost = domain.Errorf(domain.Invalid, "host_not_allowed",
	"This host name is not allowed here: use an IP address or localhost, or name it with --ops-host")

// anyHost are the paths that accept every host name: probes and scrapers use their own names, and these paths reveal no secrets.
var anyHost = []string{"/healthz", "/readyz", "/metrics"}

var errMetricsToken = domain.Errorf(domain.Unauthenticated, "token_invalid", "Invalid token")

// forScrapers requires MetricsToken in every request. It compares hashes, so that the response time tells nothing about the
// token.
func (c Config) forScrapers(next http.HandlerFunc) http.HandlerFunc {
	if c.MetricsToken == "" {
		return next
	}
	want := sha256.Sum256([]byte("Bearer " + c.MetricsToken))
	return func(w http.ResponseWriter, r *http.Request) {
		given := sha256.Sum256([]byte(r.Header.Get("Authorization")))
		if subtle.ConstantTimeCompare(given[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			web.Refuse(w, http.StatusUnauthorized, errMetricsToken)
			return
		}
		next(w, r)
	}
}

// calledByName refuses requests whose host name is not one of this address. It accepts every host name for the paths in
// anyHost.
func (c Config) calledByName(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(anyHost, r.URL.Path) && !web.CalledByName(r.Host, c.Hosts...) {
			web.Refuse(w, http.StatusMisdirectedRequest, errHost)
			return
		}
		next.ServeHTTP(w, r)
	})
}

type health struct {
	Status string            `json:"status"`
	Checks map[string]string `json:"checks,omitempty"`
}

// alive answers that the process responds. It checks no dependencies, because restarting the process does not help when a
// store is unavailable.
func alive(w http.ResponseWriter, _ *http.Request) {
	_ = web.Write(w, http.StatusOK, health{Status: OK}) // encoding plain strings never fails
}

// ready reports whether every check passes, and names the checks that fail.
func (c Config) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), checkTime)
	defer cancel()
	answer, status := health{Status: OK, Checks: Outcomes(ctx, c.Ready)}, http.StatusOK
	for _, outcome := range answer.Checks {
		if outcome != OK {
			answer.Status, status = "not ready", http.StatusServiceUnavailable
		}
	}
	_ = web.Write(w, status, answer) // encoding plain strings never fails
}

// OK is the result of a successful check.
const OK = "ok"

// Outcomes runs all checks at the same time and waits for them. It returns the result of each check by its name: OK or the
// problem.
func Outcomes(ctx context.Context, checks map[string]Check) map[string]string {
	var mu sync.Mutex
	var all sync.WaitGroup
	outcomes := make(map[string]string, len(checks))
	for name, check := range checks {
		all.Go(func() {
			outcome := OK
			if err := check(ctx); err != nil {
				outcome = err.Error()
			}
			mu.Lock()
			defer mu.Unlock()
			outcomes[name] = outcome
		})
	}
	all.Wait()
	return outcomes
}
