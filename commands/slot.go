package commands

import (
	"context"
	"sync/atomic"
)

// slotKey is the context key of the mark of WithSlot.
type slotKey struct{}

// WithSlot returns a context for one work item. KeepSlot sets the mark kept.
func WithSlot(ctx context.Context, kept *atomic.Bool) context.Context {
	return context.WithValue(ctx, slotKey{}, kept)
}

// SlotOf returns the mark that WithSlot put into a context; nil: none.
func SlotOf(ctx context.Context) *atomic.Bool {
	kept, _ := ctx.Value(slotKey{}).(*atomic.Bool)
	return kept
}

// KeepSlot tells the queue that the work does not follow ErrShare, so that the queue asks other work. Without a mark in the
// context it does nothing.
func KeepSlot(ctx context.Context) {
	if kept := SlotOf(ctx); kept != nil {
		kept.Store(true)
	}
}
