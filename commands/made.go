package commands

import (
	"context"

	"moviola/domain"
)

// MadeStore is a cache, shared by hosts without a shared folder, of what providers have made for an account: voices, generated
// pictures and transcripts. It is bounded in time and size; whatever is missing is made again. It is safe for concurrent use.
type MadeStore interface {
	// KeepMade stores a note under a key of the account, together with the file at path. Empty path: there is no file. A key has
	// letters, digits and dashes.
	KeepMade(ctx context.Context, account domain.AccountID, key string, note []byte, path string) error
	// TakeMade returns the note under a key, and the path of a copy of its file. It creates the copy in dir, with a name that begins
	// with ".new-"; the caller renames or removes it. Empty path: only a note was stored. ErrFileNotFound: the key does not exist.
	TakeMade(ctx context.Context, account domain.AccountID, key, dir string) (note []byte, path string, err error)
}
