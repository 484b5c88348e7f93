package access_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/key"
	"moviola/eventstore"
	"moviola/eventstore/memory"
	"moviola/handlers/http/access"
	"moviola/handlers/http/operation"
	"moviola/handlers/http/web"
	"moviola/projections/keyring"
)

// forgeries is the number of well-formed keys that were never issued: far more than a keyring remembers as unknown.
const forgeries = 1 << 16

// installed is an installation with many keys, each of an account of its own.
type installed struct {
	values  []string
	forged  []string // well-formed keys that were never issued
	handler http.Handler
}

func generate(b *testing.B, random io.Reader, n int) []string {
	b.Helper()
	values := make([]string, n)
	for i := range values {
		var err error
		if values[i], err = key.Generate(random); err != nil {
			b.Fatal(err)
		}
	}
	return values
}

// install issues keys in a log and puts a gate over a ring that follows it.
func install(b *testing.B, keys int) installed {
	b.Helper()
	log := eventstore.NewLog(memory.New(), eventstore.NewCodec())
	random := rand.NewChaCha8([32]byte{1})
	i := installed{values: generate(b, random, keys), forged: generate(b, random, forgeries)}
	for n, value := range i.values {
		owner := domain.AccountID(fmt.Sprintf("account%09d", n))
		hash := key.Hash(value)
		put(b, log, account.Stream(owner), account.Opened{Name: "bench", Plan: "paid", At: time.Now()})
		put(b, log, key.Stream(key.ID(hash)), key.Issued{Account: owner, Name: "bench", Role: key.Render, Hash: hash, At: time.Now()})
	}
	ring := keyring.New(keyring.Config{Log: log})
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := ring.Run(ctx); err != nil {
			b.Error(err)
		}
	})
	b.Cleanup(running.Wait)
	b.Cleanup(stop)
	silent := logrus.New()
	silent.SetOutput(io.Discard)
	gate := access.New(access.Config{Keys: ring, Operator: web.NewOperatorToken(operatorToken, 0, nil), Log: silent})
	router := web.NewRouter()
	gate.Routes(router, access.Operation{Operation: operation.Operation{Method: http.MethodGet, Path: "/v2/movies", Role: key.Render}, Serve: func(w http.ResponseWriter, _ *http.Request, _ access.Call) error {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}}, access.Operation{Operation: operation.Operation{Method: http.MethodPost, Path: "/v2/movies", Role: key.Admin}})
	i.handler = router
	return i
}

func put(b *testing.B, log *eventstore.Log, stream string, event domain.Event) {
	b.Helper()
	if _, err := log.Append(b.Context(), stream, eventstore.NoStream, eventstore.Meta{Time: time.Now()}, event); err != nil {
		b.Fatal(err)
	}
}

// answer keeps the status of an answer, and nothing else.
type answer struct {
	header http.Header
	status int
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) Write(p []byte) (int, error) { return len(p), nil }
func (a *answer) WriteHeader(status int)      { a.status = status }

// ask makes one request, and returns its status.
func (i installed) ask(value string) int {
	r := http.Request{Method: http.MethodGet, URL: &url.URL{Path: "/v2/movies"}, Header: http.Header{"X-Api-Key": {value}}}
	a := answer{header: http.Header{}}
	i.handler.ServeHTTP(&a, &r)
	return a.status
}

// processorTime is what this process has used so far.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// BenchmarkAuthenticate is a request through route, key and role to an operation that does nothing, with keys in turn: those that are
// known here, those whose checksum is wrong, and those that are well-formed and nobody's: ever new ones, each of which is a read of the
// log (in memory here), and the same one again. Beside it, the same request without a key: what the request itself costs.
func BenchmarkAuthenticate(b *testing.B) {
	for _, keys := range []int{100, 100_000} {
		i := install(b, keys)
		for _, value := range i.values { // everything is read once
			if status := i.ask(value); status != http.StatusNoContent {
				b.Fatalf("status %d", status)
			}
		}
		var next atomic.Int64
		for _, side := range []struct {
			name   string
			status int
			value  func() string
		}{
			{"known", http.StatusNoContent, func() string { return i.values[next.Add(1)%int64(keys)] }},
			{"mistyped", http.StatusUnauthorized, func() string { return i.values[0][:40] + "000000000" }},
			{"forged", http.StatusUnauthorized, func() string { return i.forged[next.Add(1)%forgeries] }},
			{"forged-again", http.StatusUnauthorized, func() string { return i.forged[0] }},
			{"none", http.StatusUnauthorized, func() string { return "" }},
		} {
			b.Run(fmt.Sprintf("keys=%d/%s", keys, side.name), func(b *testing.B) {
				b.ReportAllocs()
				before := processorTime(b)
				for b.Loop() {
					if status := i.ask(side.value()); status != side.status {
						b.Fatalf("status %d", status)
					}
				}
				// What the machine's other programs take does not count.
				b.ReportMetric(float64(processorTime(b)-before)/float64(b.N), "cpu-ns/op")
			})
		}
	}
}
