package web

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/semaphore"
)

// What the bodies that a process is working on may take together. Reading a movie takes up to about 20 times its JSON.
const (
	bodyBudget = 256 << 20
	bodyFactor = 20
	bodyWait   = 5 * time.Second
)

// errBusy says that a request has waited too long for its part of the budget.
var errBusy = errors.New("too many large requests are being read")

// bodies is the budget of this process.
var bodies = newBudget(bodyBudget, bodyWait)

// budget bounds the memory that bodies take. Those who ask first are served first. It is safe for concurrent use.
type budget struct {
	size int64
	free *semaphore.Weighted
	wait time.Duration
}

func newBudget(size int64, wait time.Duration) *budget {
	return &budget{size: size, free: semaphore.NewWeighted(size), wait: wait}
}

// enter takes what a body of a length needs, until the request's context ends. It waits for a while, and then returns errBusy, or the
// context's error. A context that never ends takes nothing: nobody would give it back.
func (b *budget) enter(request context.Context, length int) error {
	if request.Done() == nil {
		return nil
	}
	need := min(int64(length)*bodyFactor, b.size)
	waiting, cancel := context.WithTimeoutCause(request, b.wait, errBusy)
	defer cancel()
	if err := b.free.Acquire(waiting, need); err != nil {
		return context.Cause(waiting)
	}
	context.AfterFunc(request, func() { b.free.Release(need) })
	return nil
}
