package delivery_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"moviola/adapters/webhook"
	"moviola/tests/harness"
)

// descriptors counts the open files of this process.
func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// slowServer answers in several ways that do not end before hold does, and counts its open connections.
func slowServer(t *testing.T) (server *httptest.Server, open *atomic.Int64) {
	t.Helper()
	hold := make(chan struct{})
	server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then does a server see that the other side has left
		flush := http.NewResponseController(w).Flush
		switch r.URL.Path {
		case "/header":
			w.WriteHeader(http.StatusInternalServerError)
			_ = flush()
		case "/body":
			_, _ = io.WriteString(w, "a")
			_ = flush()
		}
		select {
		case <-hold:
		case <-r.Context().Done():
		}
	}))
	open = &atomic.Int64{}
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			open.Add(1)
		case http.StateClosed, http.StateHijacked:
			open.Add(-1)
		}
	}
	server.Start()
	t.Cleanup(func() {
		close(hold)
		server.Close()
	})
	return server, open
}

// After 500 receivers that never end, on real sockets, through the guard, there are no more descriptors and goroutines than before. It
// does not run beside other tests: what they open would be counted.
func TestDescriptors(t *testing.T) {
	receiver, open := slowServer(t)
	transport := webhooks(t, receiver.Listener.Addr().String())
	send := func(ctx context.Context, count int, wait time.Duration, want error) *sync.WaitGroup {
		sender := webhook.NewSender(webhook.Config{Transport: transport, Wait: wait})
		var all sync.WaitGroup
		for i := range count {
			all.Go(func() {
				call := webhook.Call{Endpoint: receiver.URL + []string{"/silence", "/header", "/body"}[i%3], Payload: []byte(`{"a":1}`)}
				if want != nil {
					call.Endpoint = receiver.URL + "/silence"
				}
				if _, err := sender.Send(ctx, call); !errors.Is(err, want) {
					t.Error(err)
				}
			})
		}
		return &all
	}
	send(t.Context(), 3, time.Second, nil).Wait() // whatever is opened once is open after these
	harness.Eventually(t, "the first calls are over", func() bool { return open.Load() == 0 })
	files, goroutines := descriptors(t), runtime.NumGoroutine()

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	waiting := send(ctx, 500, harness.Patience, context.Canceled)
	harness.Eventually(t, "500 are waited for", func() bool { return open.Load() == 500 })
	if high := descriptors(t); high < files+500 {
		t.Errorf("%d descriptors while 500 receivers are waited for, %d before: they are not counted", high, files)
	}
	cancel()
	waiting.Wait()
	send(t.Context(), 500, time.Second, nil).Wait()
	harness.Eventually(t, "all of it is closed", func() bool {
		return open.Load() == 0 && descriptors(t) <= files && runtime.NumGoroutine() <= goroutines
	})
	t.Logf("%d descriptors and %d goroutines, before %d and %d", descriptors(t), runtime.NumGoroutine(), files, goroutines)
}
