package projections

import "sync/atomic"

// waits counts the callers that wait for the read models to advance. The zero waits counts nobody.
type waits struct {
	count *atomic.Int64
	begun chan struct{} // holds a token when a caller has begun to wait
}

func newWaits() waits { return waits{count: new(atomic.Int64), begun: make(chan struct{}, 1)} }

func (w waits) begin() {
	w.count.Add(1)
	select {
	case w.begun <- struct{}{}:
	default:
	}
}

func (w waits) end() { w.count.Add(-1) }

// any reports whether somebody waits.
func (w waits) any() bool { return w.count != nil && w.count.Load() > 0 }
