package projections

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// crewFrom is the minimum number of events in a batch for which a crew divides decoding and folding among its threads.
// In a smaller batch, dividing the work would cost more than it saves.
const crewFrom = 500

// crew decodes and folds large batches on threads of its own. It is used by one goroutine. A nil crew does the work in the
// calling goroutine.
type crew struct {
	open    func() Thread
	threads []Thread
}

// newCrew returns a crew, which starts its threads by open when it first needs them: GOMAXPROCS threads, one for each
// CPU that Go uses. The caller must call close in the end.
func newCrew(open func() Thread) *crew { return &crew{open: open} }

func (c *crew) close() {
	for _, t := range c.threads {
		t.Close()
	}
}

// hands returns the number of parts into which the work on a batch is divided.
func (c *crew) hands(events int) int {
	if c == nil || events < crewFrom {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// each calls do with 0 to n-1, and returns when all calls have ended. It returns one of their errors; no thread begins
// another call after it has learnt of an error. With several hands, calls run at the same time.
func (c *crew) each(hands, n int, do func(int) error) error {
	if hands <= 1 {
		for i := range n {
			if err := do(i); err != nil {
				return err
			}
		}
		return nil
	}
	for len(c.threads) < hands {
		c.threads = append(c.threads, c.open())
	}
	var (
		all    sync.WaitGroup
		next   atomic.Int64
		failed atomic.Pointer[error]
	)
	for _, t := range c.threads[:hands] {
		all.Go(func() {
			t.Do(func() {
				for i := int(next.Add(1)) - 1; i < n && failed.Load() == nil; i = int(next.Add(1)) - 1 {
					if err := do(i); err != nil {
						failed.CompareAndSwap(nil, &err)
					}
				}
			})
		})
	}
	all.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}
