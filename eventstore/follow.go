package eventstore

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// The pauses between retries while the store is unavailable, and before Follow subscribes again: doubled from firstPause up
// to lastPause. Each is shortened at random by up to half, so that many callers do not retry at the same moment.
const (
	firstPause = 20 * time.Millisecond
	lastPause  = time.Second
)

// backoff computes the pauses between the tries of one call that is retried.
type backoff struct{ next time.Duration }

func (b *backoff) reset() { b.next = 0 }

// wait pauses before the next try. When the context ends first, it returns the context's error.
func (b *backoff) wait(ctx context.Context) error {
	b.next = min(max(2*b.next, firstPause), lastPause)
	pause := time.NewTimer(b.next - rand.N(b.next/2))
	defer pause.Stop()
	select {
	case <-pause.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// whileUnavailable calls try again as long as its error is ErrUnavailable. When the context ends during a pause between two
// tries, it returns the last error joined with the context's.
func whileUnavailable(ctx context.Context, try func() error) error {
	var pause backoff
	for {
		err := try()
		if !errors.Is(err, ErrUnavailable) {
			return err
		}
		if ended := pause.wait(ctx); ended != nil {
			return errors.Join(err, ended)
		}
	}
}

// FollowOption is an option of Follow.
type FollowOption func(*following)

// OnDrop makes Follow call report with the reason why a subscription ended or could not be opened, before Follow subscribes
// again: an outage (ErrUnavailable), a stall (ErrStalled), or any other error. report is called between two notices, never
// at the same time as handle.
func OnDrop(report func(error)) FollowOption {
	return func(f *following) { f.report = report }
}

// StallAfter sets how long a subscription may be silent before Follow reads the end of the log to see whether events were missed.
// The default is DefaultStall.
func StallAfter(silence time.Duration) FollowOption {
	return func(f *following) { f.silence = silence }
}

// DefaultStall is how long a subscription may be silent before Follow reads the end of the log itself.
const DefaultStall = 10 * time.Second

// ErrStalled says that the log has newer events which a subscription did not bring.
var ErrStalled = errors.New("the subscription has stalled")

// Follow calls handle with each notice of the log after a position, in order, until the context ends or handle fails. It
// returns the context's error, or that of handle.
//
// A subscription that ends for any other reason is opened again at the last position seen, after a pause that grows while
// no notice comes: handle never sees an event twice. A subscription that stalls is opened again too: whenever no notice has
// come for a while, Follow looks in the log for an event that should have come.
func Follow(
	ctx context.Context, store Store, after Position, filter Filter, handle func(Notice) error, options ...FollowOption,
) error {
	f := &following{store: store, filter: filter, after: after, report: func(error) {}, silence: DefaultStall}
	for _, option := range options {
		option(f)
	}
	for {
		dropped, failed := f.once(ctx, handle)
		if failed != nil {
			return failed
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		f.report(dropped)
		if err := f.pause.wait(ctx); err != nil {
			return err
		}
	}
}
