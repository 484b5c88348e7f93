package chores

import (
	"context"
	"errors"
	"fmt"
	"time"

	"moviola/domain"
	"moviola/projections"
)

// Accounts lists all accounts. projections.Accounts does.
type Accounts interface {
	Page(ctx context.Context, q projections.AccountQuery) ([]projections.Account, bool, error)
}

// Cache is something that a process keeps on its own disk, a folder for each account.
type Cache interface {
	// Forget removes what is kept for an account. Doing it again changes nothing.
	Forget(account domain.AccountID) error
}

// accountsAtOnce is how many accounts are asked for in one look at the list.
const accountsAtOnce = 500

// Departed is the chore of removing what this process has in its caches for accounts that were closed, once everything else that
// was stored for them has been removed: until then their work may still be under way. Design §6, closing.
func Departed(accounts Accounts, caches ...Cache) Chore {
	return Chore{Name: "caches of closed accounts", Do: func(ctx context.Context, _ time.Time) error {
		q := projections.AccountQuery{Limit: accountsAtOnce}
		for {
			page, more, err := accounts.Page(ctx, q)
			if err != nil {
				return err
			}
			for _, a := range page {
				if a.ClosedAt == nil || a.ClearedAt == nil || a.ClearedAt.Before(*a.ClosedAt) {
					continue
				}
				if err := forget(domain.AccountID(a.Account), caches); err != nil {
					return err
				}
			}
			if !more || len(page) == 0 {
				return nil
			}
			last := page[len(page)-1].Cursor()
			q.After = &last
		}
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
