package claims

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/projections"
)

// Presence is the presence board, on which workers show that they are alive.
type Presence interface {
	// Beat writes the row of a claim and increments the row's field Beat. It does not replace the row of a later attempt.
	Beat(ctx context.Context, row projections.Presence) error
	// Remove removes the row of a claim, unless another claim has replaced it.
	Remove(ctx context.Context, work string, attempt int) error
}

// shortestBeat is the minimum time between two writes of a row while its progress changes.
const shortestBeat = 250 * time.Millisecond

// Shown keeps the row of a claim on the presence board current until End is called.
type Shown struct {
	percent atomic.Uint64 // the finished percentage: the bits of a float64
	told    func(float64) // called with the percentage after each try to write the row
	moved   chan struct{} // gets an element when the percentage changes
	stop    context.CancelFunc
	ended   chan struct{}
}

// Board is where a worker shows its claims. All fields are required.
type Board struct {
	Board  Presence
	Worker string
	Beat   time.Duration // time between two writes of a row whose percentage does not change. Design §6
	Log    logrus.FieldLogger
}

// Appear writes a claim's row to the board at once, then when the progress changes, but not more often than every
// shortestBeat, and otherwise at intervals of about the field Beat of the board. End must be called. The function told is
// called with the percentage after each write, also a failed one, from one goroutine.
func (b *Board) Appear(work string, attempt int, told func(percent float64)) *Shown {
	ctx, stop := context.WithCancel(context.Background())
	shown := &Shown{told: told, moved: make(chan struct{}, 1), stop: stop, ended: make(chan struct{})}
	row := projections.Presence{Work: work, Attempt: attempt, Worker: b.Worker}
	go func() {
		defer close(shown.ended)
		b.keepUp(ctx, shown, row)
	}()
	return shown
}

func (b *Board) keepUp(ctx context.Context, shown *Shown, row projections.Presence) {
	rest := min(shortestBeat, b.Beat)
	timer := time.NewTimer(rest)
	defer timer.Stop()
	for {
		row.Percent = math.Float64frombits(shown.percent.Load())
		b.beat(ctx, row)
		shown.told(row.Percent)
		if !until(ctx, timer, rest, nil) || !until(ctx, timer, b.Beat-rest, shown.moved) {
			b.disappear(row)
			return
		}
	}
}

// Untold does nothing. It is passed to Appear as the parameter told when only the board shows the progress.
func Untold(float64) {}

// until waits for a change of the progress, at most for the given time. It returns false when ctx
// ends first.
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

// beat writes the row of a claim. It logs a failure, also when the board does not answer within its time limit, unless ctx
// has ended, as it does when End is called.
func (b *Board) beat(ctx context.Context, row projections.Presence) {
	limited, cancel := context.WithTimeout(ctx, 2*b.Beat)
	defer cancel()
	if err := b.Board.Beat(limited, row); err != nil && ctx.Err() == nil {
		b.Log.WithError(err).WithField("work", row.Work).Warn("heartbeat of a running task not written; other workers may " +
			"take the task")
	}
}

// disappear removes the row of a claim that has ended. A failure does no harm, because rows of ended claims are ignored.
func (b *Board) disappear(row projections.Presence) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*b.Beat)
	defer cancel()
	if err := b.Board.Remove(ctx, row.Work, row.Attempt); err != nil {
		b.Log.WithError(err).WithField("work", row.Work).Warn("heartbeat of work that has ended not removed; readers ignore it")
	}
}

// Progress sets the finished share of the work in percent, 0 to 100. It does not wait for the
// board.
func (s *Shown) Progress(percent float64) {
	if s.percent.Swap(math.Float64bits(percent)) == math.Float64bits(percent) {
		return
	}
	select {
	case s.moved <- struct{}{}:
	default:
	}
}

// End removes the claim's row, and returns when no more writes follow.
func (s *Shown) End() {
	s.stop()
	<-s.ended
}
