package render

import (
	"context"
	"time"

	"moviola/commands"
)

// shareGrace is how long a render that is asked for its slot still waits for sources and pages: sources on the disk need less
// time.
const shareGrace = time.Second

// shares reports whether the render must give its slot to another account now. It is false until the render has begun a window,
// so that every turn makes progress. A wait for a page gives the slot up by itself, see artwork.PageFlights.
func (r *run) shares() bool {
	select {
	case <-r.job.Share:
		return r.begun.Load()
	default:
		return false
	}
}

// whileSourcesMayTake sets r.lapsed to a channel that is closed when a render that was asked for its slot must stop
// waiting for its sources. After a call of the returned function, the channel is not closed any more.
func (r *run) whileSourcesMayTake() (end func()) {
	r.lapsed, end = r.lapse()
	return end
}

// lapse returns a channel that is closed when a render that was asked for its slot must stop waiting. After a call of the
// returned function, the channel is not closed any more.
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
	lapsed := r.lapsed // the field is read once, because a later wait replaces it by another channel
	go func() {
		select {
		case <-lapsed:
			cancel(commands.ErrGiveWay)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}
