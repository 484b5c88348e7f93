package commands

import (
	"context"

	"moviola/domain"
)

// MadeStore is a cache, shared by hosts without a shared folder, of what providers have made for an account: voices, generated
// pictures and transcripts. It is bounded in time and size; whatever is missing is made again. It is safe for concurrent use.
type MadeStore interface {
	// KeepMade stores a note, and the file at path unless that is empty, under a key of the account: letters, digits and dashes.
	KeepMade(ctx context.Context, account domain.AccountID, key string, note []byte, path string) error
	// TakeMade returns the note under a key, and the path of a copy of its file, which it creates in dir; the path is empty when
	// only a note was stored. The name of the copy begins with ".new-"; the caller renames or removes it. ErrFileNotFound: the
	// key does not exist.
	TakeMade(ctx context.Context, account domain.AccountID, key, dir string) (note []byte, path string, err error)
}
