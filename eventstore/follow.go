package eventstore

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// The pauses between tries while the store is unavailable: doubled from the first to the last, each shortened at random by up to
// half, so that many callers do not come back at once.
const (
	firstPause = 20 * time.Millisecond
	lastPause  = time.Second
)

// backoff counts the pauses of one series of tries.
type backoff struct{ next time.Duration }

func (b *backoff) reset() { b.next = 0 }

// wait pauses before the next try, or returns the context's error when it ends first.
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

// whileUnavailable repeats try as long as it says that the store is unavailable, until the context ends. It then returns the last
// error together with the context's.
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

// FollowOption changes what Follow does beside following.
type FollowOption func(*following)

// OnDrop makes Follow report why a subscription ended and is about to be opened again: an outage (ErrUnavailable), a stall
// (ErrStalled), or whatever else it was. It is called between two notices, never at the same time as handle.
func OnDrop(report func(error)) FollowOption {
	return func(f *following) { f.report = report }
}

// StallAfter sets how long Follow hears nothing before it looks whether there is something to hear. It is DefaultStall otherwise.
func StallAfter(silence time.Duration) FollowOption {
	return func(f *following) { f.silence = silence }
}

// DefaultStall is how long a subscription may be silent before Follow looks at the log itself.
const DefaultStall = 10 * time.Second

// ErrStalled says that the log went on and a subscription did not.
var ErrStalled = errors.New("the subscription has stalled")

// Follow hands the notices of the log after a position to handle, in order, until the context ends or handle fails; it returns
// that error. A subscription that drops, for whatever reason, is opened again from the last position seen, after a pause that
// grows as long as nothing comes: handle never sees an event twice. So is one that stalls, which is found out by looking at the end of
// the log whenever nothing has come for a while.
func Follow(ctx context.Context, store Store, after Position, filter Filter, handle func(Notice) error, options ...FollowOption) error {
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
