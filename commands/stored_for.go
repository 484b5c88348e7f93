package commands

import (
	"context"

	"moviola/domain"
)

type storedForKey struct{}

// StoredFor names the account that a file is stored for whose key does not name it: the file counts as stored by that account.
func StoredFor(ctx context.Context, account domain.AccountID) context.Context {
	return context.WithValue(ctx, storedForKey{}, account)
}

// StoredBy is the account that StoredFor has named; empty: none.
func StoredBy(ctx context.Context) domain.AccountID {
	account, _ := ctx.Value(storedForKey{}).(domain.AccountID)
	return account
}
