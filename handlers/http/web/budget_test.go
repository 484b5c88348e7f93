package web

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"moviola/domain"
	"moviola/internal/fair"
)

// TestBudget: bodies take no more together than the budget has; who waits is served when another request ends, or told after a while.
func TestBudget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := fair.New(fair.Limits{Total: 100 * bodyFactor, Wait: time.Minute})
		first, end := context.WithCancel(t.Context())
		defer end()
		if err := enter(first, b, 60); err != nil {
			t.Fatal(err)
		}
		second, endSecond := context.WithCancel(t.Context())
		began := time.Now()
		if err := enter(second, b, 50); !errors.Is(err, fair.ErrBusy) || time.Since(began) != time.Minute {
			t.Errorf("more than there is: %v after %s", err, time.Since(began))
		}
		entered := make(chan error)
		go func() { entered <- enter(second, b, 50) }()
		synctest.Wait()
		end()
		if err := <-entered; err != nil {
			t.Errorf("after another request has ended: %v", err)
		}
		gone, leave := context.WithCancel(t.Context())
		go func() { entered <- enter(gone, b, 60) }()
		synctest.Wait()
		leave()
		if err := <-entered; !errors.Is(err, context.Canceled) {
			t.Errorf("a client that went: %v", err)
		}
		endSecond()
		synctest.Wait()
		whole, endWhole := context.WithCancel(t.Context())
		if err := enter(whole, b, 1000); err != nil { // as much as there is
			t.Errorf("a body larger than the budget: %v", err)
		}
		endWhole()
		synctest.Wait()
		for range 10 {
			if err := enter(context.Background(), b, 60); err != nil {
				t.Errorf("a context that never ends: %v", err)
			}
		}
	})
}

// TestBudget_Turns: behind fifty bodies of one account that are as large as bodies may be, another account's body is the next that is read.
func TestBudget_Turns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const length = 2 << 20
		b := fair.New(fair.Limits{Total: length * bodyFactor, Wait: bodyWait, Waiting: bodyQueue})
		type request struct {
			account domain.AccountID
			end     context.CancelFunc
		}
		entered := make(chan request, 100)
		send := func(account domain.AccountID) {
			ctx, end := context.WithCancel(ForAccount(t.Context(), account))
			go func() {
				if err := enter(ctx, b, length); err != nil {
					account = domain.AccountID(err.Error())
				}
				entered <- request{account, end}
			}()
			synctest.Wait()
		}
		for range 50 {
			send("flood")
		}
		send("other")
		under := <-entered
		under.end()
		if next := <-entered; under.account != "flood" || next.account != "other" {
			t.Errorf("read were %s, then %s", under.account, next.account)
		} else {
			next.end()
		}
		for range 49 {
			(<-entered).end()
		}
	})
}
