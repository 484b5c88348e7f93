package storage

import (
	"context"
	"errors"

	"moviola/domain"
)

type storedForKey struct{}

// StoredFor returns a context for storing a file whose key names no account. The context names the account, so that the file
// counts towards the storage of that account.
func StoredFor(ctx context.Context, account domain.AccountID) context.Context {
	return context.WithValue(ctx, storedForKey{}, account)
}

// StoredBy returns the account that StoredFor has set; empty: no account was set.
func StoredBy(ctx context.Context) domain.AccountID {
	account, _ := ctx.Value(storedForKey{}).(domain.AccountID)
	return account
}

// ErrStorageBlocked refuses requests that would add files. Spec: Errors, POST /media/file.
var ErrStorageBlocked = domain.Errorf(domain.Forbidden, "storage_blocked",
	"Storage is blocked. Add credits to continue uploading.")

// StorageFull refuses a file that exceeds an account's storage limit, given as text: "20 GB".
func StorageFull(bound string) *domain.Error {
	return domain.Errorf(domain.Forbidden, "storage_full", "Storage is full: the account stores %s, as much as it may. "+
		"Delete files of the media library to continue.", bound)
}

// RendersFull refuses a render that exceeds the limit for an account's rendered files, given as text: "1 TB".
func RendersFull(bound string) *domain.Error {
	return domain.Errorf(domain.Forbidden, StorageFull("").Code, "Storage is full: the rendered files of the account come to "+
		"%s, as much as they may. "+
		"Delete movies (DELETE /movies) to continue, or wait until older ones expire.", bound)
}

// IsStorageFull reports whether an error is that of StorageFull or of RendersFull.
func IsStorageFull(err error) bool {
	var refusal *domain.Error
	return errors.As(err, &refusal) && refusal.Code == StorageFull("").Code
}
