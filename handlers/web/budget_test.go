package web

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestBudget: bodies take no more together than the budget has; who waits is served when another request ends, or told after a while.
func TestBudget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBudget(100*bodyFactor, time.Minute)
		first, end := context.WithCancel(t.Context())
		defer end()
		if err := b.enter(first, 60); err != nil {
			t.Fatal(err)
		}
		second, endSecond := context.WithCancel(t.Context())
		began := time.Now()
		if err := b.enter(second, 50); !errors.Is(err, errBusy) || time.Since(began) != time.Minute {
			t.Errorf("more than there is: %v after %s", err, time.Since(began))
		}
		entered := make(chan error)
		go func() { entered <- b.enter(second, 50) }()
		synctest.Wait()
		end()
		if err := <-entered; err != nil {
			t.Errorf("after another request has ended: %v", err)
		}
		gone, leave := context.WithCancel(t.Context())
		go func() { entered <- b.enter(gone, 60) }()
		synctest.Wait()
		leave()
		if err := <-entered; !errors.Is(err, context.Canceled) {
			t.Errorf("a client that went: %v", err)
		}
		endSecond()
		synctest.Wait()
		whole, endWhole := context.WithCancel(t.Context())
		if err := b.enter(whole, 1000); err != nil { // as much as there is
			t.Errorf("a body larger than the budget: %v", err)
		}
		endWhole()
		synctest.Wait()
		for range 10 {
			if err := b.enter(context.Background(), 60); err != nil {
				t.Errorf("a context that never ends: %v", err)
			}
		}
	})
}
