package delivery

import (
	"context"
	"errors"
	"sync"
	"time"

	"moviola/handlers/background/claims"
)

// hostWait is how long a delivery waits for a free place at a host. After that time it makes room for deliveries to other
// hosts and is retried later.
const hostWait = 2 * time.Second

// errBusy says that the maximum number of deliveries to a host is running.
var errBusy = errors.New("the host of a destination is busy with other deliveries")

// hosts limits the concurrent deliveries to each host. It is safe for concurrent use.
type hosts struct {
	limit int
	mu    sync.Mutex
	turns map[string]*hostPlaces
}

// hostPlaces are the places for deliveries to one host. Each delivery takes a place while it runs.
type hostPlaces struct {
	places chan struct{}
	users  int // number of deliveries to the host that wait for a place or run
}

func newHosts(limit int) *hosts { return &hosts{limit: limit, turns: make(map[string]*hostPlaces)} }

// enter takes a place at a host and returns the function that gives it back. When no place becomes free within hostWait, it
// returns errBusy, a transient error.
func (h *hosts) enter(ctx context.Context, host string) (func(), error) {
	if host == "" {
		return func() {}, nil
	}
	h.mu.Lock()
	at := h.turns[host]
	if at == nil {
		at = &hostPlaces{places: make(chan struct{}, h.limit)}
		h.turns[host] = at
	}
	at.users++
	h.mu.Unlock()
	timer := time.NewTimer(hostWait)
	defer timer.Stop()
	select {
	case at.places <- struct{}{}:
		return func() { <-at.places; h.leave(host) }, nil
	case <-timer.C:
		h.leave(host)
		return nil, claims.Transient(errBusy)
	case <-ctx.Done():
		h.leave(host)
		return nil, context.Cause(ctx)
	}
}

// leave removes the entry of a host that has no deliveries any more.
func (h *hosts) leave(host string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	at := h.turns[host]
	if at.users--; at.users == 0 {
		delete(h.turns, host)
	}
}

// hostOf returns the host of a destination; empty: the host is unknown.
func hostOf(t target) string { return t.kind.Host(t.settings) }
