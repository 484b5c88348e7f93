package processors

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"moviola/projections"
)

// shortestBeat is the shortest time between two writes of a row whose progress moves.
const shortestBeat = 250 * time.Millisecond

// presence keeps a claim's row on the board up to date until it is ended.
type presence struct {
	percent atomic.Uint64 // bits of a float64
	moved   chan struct{} // has room for one: the percent is not the one that was written
	stop    context.CancelFunc
	ended   chan struct{}
}

// appear shows a claim on the board at once, then whenever its progress moves, and at least every two seconds. end must be
// called.
func (p *Processors) appear(work string, attempt int) *presence {
	ctx, stop := context.WithCancel(context.Background())
	shown := &presence{moved: make(chan struct{}, 1), stop: stop, ended: make(chan struct{})}
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
		if !until(ctx, timer, rest, nil) || !until(ctx, timer, p.limits.Beat-rest, shown.moved) {
			p.disappear(row)
			return
		}
	}
}

// until waits until something has moved, but no longer than a time. It returns false when ctx ends first.
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

// disappear takes the row down. A row that stays tells nobody anything once its claim is over.
func (p *Processors) disappear(row projections.Presence) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*p.limits.Beat)
	defer cancel()
	if err := p.config.Presence.Remove(ctx, row.Work, row.Attempt); err != nil {
		p.log.WithError(err).WithField("work", row.Work).Warn("heartbeat of a finished task not removed; it is ignored once it is old")
	}
}

// progress notes the share that is done, 0 to 100. It does not wait for the board.
func (s *presence) progress(percent float64) {
	if s.percent.Swap(math.Float64bits(percent)) == math.Float64bits(percent) {
		return
	}
	select {
	case s.moved <- struct{}{}:
	default:
	}
}

// end takes the claim off the board.
func (s *presence) end() {
	s.stop()
	<-s.ended
}
