package web

import (
	"context"
	"time"

	"moviola/domain"
	"moviola/internal/fair"
)

// The memory budget for all bodies that a process is processing, and the share of one account. Parsing a movie needs up to
// about 20 times the size of its JSON.
const (
	bodyBudget = 256 << 20
	bodyShare  = bodyBudget / 2
	bodyFactor = 20
	// tableFactor is the memory for a table relative to its size: the table as it was sent, its rows, and the rows' JSON.
	tableFactor = 6
	bodyWait    = 5 * time.Second
	bodyQueue   = 64 // maximum number of bodies of one account that wait for memory
)

// bodies is this process's memory budget for the bodies of requests.
var bodies = fair.New(fair.Limits{Total: bodyBudget, Account: bodyShare, Waiting: bodyQueue, Wait: bodyWait})

type accountKey struct{}

// ForAccount records the account of a request, so that its body counts for that account and the request's log line names the
// account. It returns the context to use.
func ForAccount(request context.Context, account domain.AccountID) context.Context {
	if x := exchangeOf(request); x != nil {
		x.account = account
	}
	return context.WithValue(request, accountKey{}, account)
}

// enter reserves memory for a body of a length until the request's context ends. Accounts take turns. It waits up to
// bodyWait, and then returns fair.ErrBusy; it returns that at once when too many bodies of the account wait already. When
// the context ends first, it returns the cause. For a context that never ends it reserves nothing, because the memory would
// never be released.
func enter(request context.Context, b *fair.Budget, length int) error {
	if request.Done() == nil {
		return nil
	}
	account, _ := request.Value(accountKey{}).(domain.AccountID)
	part, err := b.Take(request, string(account), int64(length)*bodyFactor)
	if err != nil {
		return err
	}
	context.AfterFunc(request, part.Release)
	return nil
}
