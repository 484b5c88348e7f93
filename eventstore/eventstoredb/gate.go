package eventstoredb

import (
	"context"
	"fmt"
	"sync"
	"time"

	"moviola/eventstore"
)

// grace is how long calls wait for a server that has just gone: a restart is not worth an error.
const grace = time.Second

// gate knows whether the server is there. It lets calls through while it is; after it has gone they wait for its return for
// as long as grace lasts, and are refused from then on.
type gate struct {
	mu    sync.Mutex
	up    bool
	back  chan struct{} // closed when the server is there again; new for each outage
	lost  chan struct{} // closed when an outage has lasted for grace; new after each such outage
	timer *time.Timer
}

// newGate returns a gate whose server has yet to be found.
func newGate() *gate {
	g := &gate{up: true, lost: make(chan struct{})}
	g.shut()
	return g
}

// enter lets a call through, or not. The channel is closed when the call should be given up because of an outage.
// It ends with ctx, and with life, that of the pool.
func (g *gate) enter(ctx, life context.Context) (lost <-chan struct{}, err error) {
	for {
		g.mu.Lock()
		up, back, lost := g.up, g.back, g.lost
		g.mu.Unlock()
		if up {
			return lost, nil
		}
		select {
		case <-back:
		case <-lost:
			return nil, eventstore.ErrUnavailable
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for the event store: %w", ctx.Err())
		case <-life.Done():
			return nil, errClosed
		}
	}
}

// shut notes that the server is away; false when that was known.
func (g *gate) shut() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.up {
		return false
	}
	g.up = false
	g.back = make(chan struct{})
	lost := g.lost
	g.timer = time.AfterFunc(grace, func() { close(lost) })
	return true
}

// open notes that the server is there again.
func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.up {
		return
	}
	g.up = true
	close(g.back)
	if !g.timer.Stop() {
		g.lost = make(chan struct{}) // the old one is closed, or about to be
	}
}
