package chores

import (
	"context"
	"errors"
	"fmt"
	"time"

	"moviola/domain"
	"moviola/projections"
)

// Accounts lists all accounts. projections.Accounts implements it.
type Accounts interface {
	Page(ctx context.Context, q projections.AccountQuery) ([]projections.Account, bool, error)
}

// Cache is a cache on this process's own disk, with a folder for each account.
type Cache interface {
	// Forget removes the files of an account. The call may be repeated.
	Forget(account domain.AccountID) error
}

// accountsAtOnce is how many accounts one page of the list of accounts has.
const accountsAtOnce = 500

// Departed is the chore of removing closed accounts from the caches of this process. It waits until stored files of an
// account were removed after its closing, because work for the account may be running until then. Design §6, closing.
func Departed(accounts Accounts, caches ...Cache) Chore {
	return Chore{Name: "caches of closed accounts", Do: func(ctx context.Context, _ time.Time) error {
		return eachAccount(ctx, accounts, func(a projections.Account) error {
			if a.ClosedAt == nil || a.ClearedAt == nil || a.ClearedAt.Before(*a.ClosedAt) {
				return nil
			}
			return forget(domain.AccountID(a.Account), caches)
		})
	}}
}

func forget(account domain.AccountID, caches []Cache) error {
	var failures []error
	for _, cache := range caches {
		failures = append(failures, cache.Forget(account))
	}
	if err := errors.Join(failures...); err != nil {
		return fmt.Errorf("forget account %s: %w", account, err)
	}
	return nil
}
