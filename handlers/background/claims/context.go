package claims

import (
	"context"
	"errors"

	"moviola/commands"
)

// shareKey is the context key of the channel that is closed when the queue asks the work to release its slot for another account.
type shareKey struct{}

// Own returns the context work of one work item. given is the context that the queue gave to the message of the work item.
// all is the context of all work in this process. work is derived from all and not from given, because given ends as soon
// as the router closes, but all ends only when the time of a drain is over.
//
// When the queue wants the slot back at once, it ends given, and Own ends work with the same cause. When another account is
// to get the slot (commands.ErrShare), work goes on, and only the channel that ShareOf(work) returns is closed.
// commands.KeepSlot(work) has the same effect as commands.KeepSlot(given). The function stop ends work.
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
