package processors

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"moviola/projections"
)

// shortestBeat is the minimum time between two writes of a row while its progress changes.
const shortestBeat = 250 * time.Millisecond

// presence keeps a claim's row on the board current until end is called.
type presence struct {
	percent atomic.Uint64 // bits of a float64
	told    func(float64) // is called with each percentage that was written
	moved   chan struct{} // holds a token while percent was not written yet
	stop    context.CancelFunc
	ended   chan struct{}
}

// appear writes a claim's row to the board at once, then whenever the progress changes, and at least every two seconds. end must
// be called. told is called with the percentage each time, from one goroutine.
func (p *Processors) appear(work string, attempt int, told func(percent float64)) *presence {
	ctx, stop := context.WithCancel(context.Background())
	shown := &presence{told: told, moved: make(chan struct{}, 1), stop: stop, ended: make(chan struct{})}
	row := projections.Presence{Work: work, Attempt: attempt, Worker: p.config.Worker}
	go func() {
		defer close(shown.ended)
		p.keepUp(ctx, shown, row)
	}()
	return shown
}

func (p *Processors) keepUp(ctx context.Context, shown *presence, row projections.Presence) {
	rest := min(shortestBeat, p.limits.Beat)
	timer := time.NewTimer(rest)
	defer timer.Stop()
	for {
		row.Percent = math.Float64frombits(shown.percent.Load())
		p.beat(ctx, row)
		shown.told(row.Percent)
		if !until(ctx, timer, rest, nil) || !until(ctx, timer, p.limits.Beat-rest, shown.moved) {
			p.disappear(row)
			return
		}
	}
}

// untold is for claims whose progress is shown on the board only.
func untold(float64) {}

// until waits for a change of the progress, at most for a time. It returns false when ctx ends first.
func until(ctx context.Context, timer *time.Timer, atMost time.Duration, moved <-chan struct{}) bool {
	timer.Reset(atMost)
	select {
	case <-moved:
	case <-timer.C:
	case <-ctx.Done():
		return false
	}
	return true
}

func (p *Processors) beat(ctx context.Context, row projections.Presence) {
	ctx, cancel := context.WithTimeout(ctx, 2*p.limits.Beat)
	defer cancel()
	if err := p.config.Presence.Beat(ctx, row); err != nil && ctx.Err() == nil {
		p.log.WithError(err).WithField("work", row.Work).Warn("heartbeat of a running task not written; other workers may " +
			"take the task")
	}
}

// disappear removes the row. If that fails, no harm is done: the claim has ended, so its row is ignored.
func (p *Processors) disappear(row projections.Presence) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*p.limits.Beat)
	defer cancel()
	if err := p.config.Presence.Remove(ctx, row.Work, row.Attempt); err != nil {
		p.log.WithError(err).WithField("work", row.Work).Warn("heartbeat of a finished task not removed; it is ignored once it is old")
	}
}

// progress sets the finished share in percent, 0 to 100. It does not wait for the board.
func (s *presence) progress(percent float64) {
	if s.percent.Swap(math.Float64bits(percent)) == math.Float64bits(percent) {
		return
	}
	select {
	case s.moved <- struct{}{}:
	default:
	}
}

// end removes the claim's row.
func (s *presence) end() {
	s.stop()
	<-s.ended
}
