package claims

import (
	"context"
	"errors"

	"moviola/commands"
)

// shareKey is the context key of the channel that is closed when the queue asks the work to release its slot for another account.
type shareKey struct{}

// Own returns the context of one work item. It is derived from all, the context of all work, because that context outlives the
// router's: a drain ends the context of all work only after waiting for running work. given is the context that the queue gave
// to the message. When the queue wants the slot at once, Own ends the work. When the queue asks to share the slot, Own only
// closes the channel that ShareOf returns. commands.KeepSlot with the context tells the queue of given. stop ends the context.
func Own(all, given context.Context) (work context.Context, stop func()) {
	work, end := context.WithCancelCause(all)
	share := make(chan struct{})
	ignore := context.AfterFunc(given, func() {
		switch cause := context.Cause(given); {
		case errors.Is(cause, commands.ErrGiveWay), errors.Is(cause, commands.ErrAlone):
			end(cause)
		case errors.Is(cause, commands.ErrShare):
			close(share)
		}
	})
	work = commands.WithSlot(work, commands.SlotOf(given))
	return context.WithValue(work, shareKey{}, (<-chan struct{})(share)), func() {
		ignore()
		end(nil)
	}
}

// ShareOf returns the channel that is closed when the work should release its slot for another
// account; nil: the work has no such channel.
func ShareOf(ctx context.Context) <-chan struct{} {
	share, _ := ctx.Value(shareKey{}).(<-chan struct{})
	return share
}

// UntilShared returns a context that ends with commands.ErrShare as its cause when another account needs the slot. The end
// loses no work: finished files stay on the disk, and downloads continue on their own.
func UntilShared(ctx context.Context) (context.Context, context.CancelFunc) {
	share := ShareOf(ctx)
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-share:
			cancel(commands.ErrShare)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}
