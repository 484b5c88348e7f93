package processors

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ThreeDotsLabs/watermill/message/router/middleware"

	"moviola/handlers/background/claims"
	"moviola/projections"
)

const (
	// boardTime is the time limit of an access to the trouble board, the table of failed work items. It is short, so that work
	// does not wait for the board.
	boardTime = 5 * time.Second
	// maxFailures is the maximum number of failed work items that failures remembers; for one more it forgets one of them.
	maxFailures = 4096
)

// failures holds the work items whose failures this process has recorded on the trouble board, the table of failed work items. It
// is safe for concurrent use.
type failures struct {
	mu   sync.Mutex
	work map[string]bool
}

func (f *failures) add(work string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.work == nil {
		f.work = make(map[string]bool)
	}
	if len(f.work) >= maxFailures && !f.work[work] {
		for other := range f.work {
			delete(f.work, other)
			break
		}
	}
	f.work[work] = true
}

// remove forgets a work item, and reports whether it was remembered.
func (f *failures) remove(work string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	known := f.work[work]
	delete(f.work, work)
	return known
}

// note records a failure on the trouble board, the table of failed work items, unless the failure is transient or the work
// was cancelled or ran out of time. Design §6: transient errors are retried without limit; work that fails for reasons of
// its own is listed as stuck after StuckAfter failures.
func (p *Processors) note(task projections.Task, failed error) {
	if claims.Passes(failed) || errors.Is(failed, context.DeadlineExceeded) || errors.Is(failed, context.Canceled) {
		return
	}
	p.failed.add(task.ID)
	ctx, cancel := context.WithTimeout(context.Background(), boardTime)
	defer cancel()
	message := failed.Error()
	if crash := (middleware.RecoveredPanicError{}); errors.As(failed, &crash) {
		message = fmt.Sprint("panic: ", crash.V) // without the stack, which is in the process's log
	}
	trouble, err := p.config.Trouble.Failed(ctx, task.WorkItem, message)
	log := p.log.WithField("work", task.ID)
	if err != nil {
		log.WithError(err).Warn("failure of an item of work not recorded; `moviola work list` does not count it")
	}
	if trouble.Failures == projections.StuckAfter {
		log.WithError(failed).Error("item of work keeps failing; it is retried; see `moviola work list`")
	}
}

// succeeded is called when a work item has ended normally. It removes the item's row from the trouble board, the table of
// failed work items, when this process has recorded a failure of the item there.
func (p *Processors) succeeded(task projections.Task) {
	if !p.failed.remove(task.ID) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), boardTime)
	defer cancel()
	if err := p.config.Trouble.Clear(ctx, task.ID); err != nil {
		p.log.WithError(err).WithField("work", task.ID).Warn("recorded failures of an item of work not removed; they are " +
			"removed later")
	}
}
