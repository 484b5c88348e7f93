package render

import (
	"context"
	"time"

	"moviola/commands"
)

// shareGrace is how long a render that is asked for its slot still waits for its sources and pages: those that are on the disk
// take less.
const shareGrace = time.Second

// shares says whether the render is to give its slot to another account's now. Never before it has begun a window of its own:
// every turn gets the movie further. A page that is waited for gives it up by itself, see pageFlights.
func (r *run) shares() bool {
	select {
	case <-r.job.Share:
		return r.begun.Load()
	default:
		return false
	}
}

// whileSourcesMayTake lets r.lapsed be closed when a render that was asked for its slot waits for its sources no longer. The
// function that is returned ends that.
func (r *run) whileSourcesMayTake() (end func()) {
	r.lapsed, end = r.lapse()
	return end
}

// lapse returns what is closed when a render that was asked for its slot waits for others no longer, and a function that ends
// that.
func (r *run) lapse() (<-chan struct{}, func()) {
	ended, lapsed := make(chan struct{}), make(chan struct{})
	if r.job.Share != nil {
		go func() {
			select {
			case <-r.job.Share:
			case <-ended:
				return
			}
			select {
			case <-time.After(shareGrace):
				close(lapsed)
			case <-ended:
			}
		}()
	}
	return lapsed, func() { close(ended) }
}

// untilLapsed returns a context that is cancelled with commands.ErrGiveWay when the render must stop waiting for sources.
func (r *run) untilLapsed(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	lapsed := r.lapsed // the next wait has another channel
	go func() {
		select {
		case <-lapsed:
			cancel(commands.ErrGiveWay)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}
