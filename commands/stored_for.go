package commands

import (
	"context"
	"errors"

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

// ErrStorageBlocked refuses what would add files. Spec: Errors, POST /media/file.
var ErrStorageBlocked = domain.Errorf(domain.Forbidden, "storage_blocked",
	"Storage is blocked. Add credits to continue uploading.")

// StorageFull refuses what an account would store beyond its bound, as text: "20 GB".
func StorageFull(bound string) *domain.Error {
	return domain.Errorf(domain.Forbidden, "storage_full", "Storage is full: the account stores %s, as much as it may. "+
		"Delete files of the media library to continue.", bound)
}

// RendersFull refuses what would be rendered for an account beyond the bound of its rendered files, as text: "1 TB".
func RendersFull(bound string) *domain.Error {
	return domain.Errorf(domain.Forbidden, StorageFull("").Code, "Storage is full: the rendered files of the account come to "+
		"%s, as much as they may. "+
		"Delete movies (DELETE /movies) to continue, or wait until older ones expire.", bound)
}

// IsStorageFull says whether a bound of what the account stores is why something failed.
func IsStorageFull(err error) bool {
	var refusal *domain.Error
	return errors.As(err, &refusal) && refusal.Code == StorageFull("").Code
}
