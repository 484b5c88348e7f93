package commands

import (
	"context"
	"sync/atomic"
)

// slotKey is the key under which WithSlot stores the flag kept in a context.
type slotKey struct{}

// WithSlot returns a context for one item of work, with the flag kept. The work sets the flag with KeepSlot when it will
// keep its slot although another account waits for a slot.
func WithSlot(ctx context.Context, kept *atomic.Bool) context.Context {
	return context.WithValue(ctx, slotKey{}, kept)
}

// SlotOf returns the flag that WithSlot has put into a context, or nil if the context has none. The flag is true when the
// work keeps its slot although another account waits for a slot.
func SlotOf(ctx context.Context) *atomic.Bool {
	kept, _ := ctx.Value(slotKey{}).(*atomic.Bool)
	return kept
}

// KeepSlot tells the queue that this work will not hand back its slot when the queue asks for it (ErrShare). The queue
// may then ask other work instead. KeepSlot does nothing if the context was not made by WithSlot.
func KeepSlot(ctx context.Context) {
	if kept := SlotOf(ctx); kept != nil {
		kept.Store(true)
	}
}
