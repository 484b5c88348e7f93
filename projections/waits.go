package projections

import "sync/atomic"

// waits counts those who wait for the read models to move on. The zero waits has nobody, ever.
type waits struct {
	count *atomic.Int64
	begun chan struct{} // holds a token when somebody has begun
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

// any tells whether somebody waits.
func (w waits) any() bool { return w.count != nil && w.count.Load() > 0 }
