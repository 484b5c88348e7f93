package eventstoredb

import (
	"context"
	"fmt"
	"sync"
	"time"

	"moviola/eventstore"
)

// grace is how long calls wait for a server that has become unavailable, so that a restart does not cause errors.
const grace = time.Second

// gate knows whether the server is available. While it is, the gate is open: calls pass. When it becomes unavailable, calls
// wait for its return until the outage has lasted for grace (before the server was found for the first time: for the
// parameter patience of newGate); after that they are refused.
type gate struct {
	mu    sync.Mutex
	up    bool
	back  chan struct{} // closed when the server is available again; new for each outage
	lost  chan struct{} // closed when an outage has lasted for grace; new after each such outage
	timer *time.Timer
}

// newGate returns a closed gate: the server has not been found yet. Calls wait up to patience for it.
func newGate(patience time.Duration) *gate {
	g := &gate{up: true, lost: make(chan struct{})}
	g.shutFor(patience)
	return g
}

// enter waits until a call may pass, or returns an error. The channel lost is closed when the call should be abandoned because of
// an outage. The wait also ends with ctx, and with life, the context of the pool.
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

// shut records that the server is unavailable; false when that was recorded already.
func (g *gate) shut() bool { return g.shutFor(grace) }

func (g *gate) shutFor(patience time.Duration) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.up {
		return false
	}
	g.up = false
	g.back = make(chan struct{})
	lost := g.lost
	g.timer = time.AfterFunc(patience, func() { close(lost) })
	return true
}

// open records that the server is available again.
func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.up {
		return
	}
	g.up = true
	close(g.back)
	if !g.timer.Stop() {
		// The timer has run out, so its function has closed g.lost or is about to. The next outage needs a new channel.
		g.lost = make(chan struct{})
	}
}
