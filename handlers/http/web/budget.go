package web

import (
	"context"
	"time"

	"moviola/domain"
	"moviola/internal/fair"
)

// What the bodies that a process is working on may take together, and those of one account. Reading a movie takes up to about 20
// times its JSON.
const (
	bodyBudget = 256 << 20
	bodyShare  = bodyBudget / 2
	bodyFactor = 20
	// A table is held as it was sent, as rows, and as their JSON.
	tableFactor = 6
	bodyWait    = 5 * time.Second
	bodyQueue   = 64 // bodies of one account that wait
)

// bodies is the budget of this process.
var bodies = fair.New(fair.Limits{Total: bodyBudget, Account: bodyShare, Waiting: bodyQueue, Wait: bodyWait})

type accountKey struct{}

// ForAccount returns the context of a request of an account, so that its body counts as the account's, and
// the line of the request in the log names it.
func ForAccount(request context.Context, account domain.AccountID) context.Context {
	if x := exchangeOf(request); x != nil {
		x.account = account
	}
	return context.WithValue(request, accountKey{}, account)
}

// enter takes from a budget what a body of a length needs, until the request's context ends. Accounts take turns. It waits for a
// while, and then returns fair.ErrBusy, or the cause of the context's end. A context that never ends takes nothing: nobody would
// give it back.
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
