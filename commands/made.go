package commands

import (
	"context"

	"moviola/domain"
)

// MadeStore is where the hosts of an installation that share no folder find what providers have made for an account: spoken
// voices, generated pictures, and words that were heard. It is a cache, bounded in time and size: what is not there is made
// again. Safe for concurrent use.
type MadeStore interface {
	// KeepMade stores a note, and the file at a path if that is not empty, under a key of the account: letters, digits and dashes.
	KeepMade(ctx context.Context, account domain.AccountID, key string, note []byte, path string) error
	// TakeMade returns the note under a key, and the path of a copy of its file, which it makes in dir; the path is empty when
	// only a note was kept. The name of the copy begins with ".new-", and the caller gives it another or removes it.
	// ErrFileNotFound: there is nothing.
	TakeMade(ctx context.Context, account domain.AccountID, key, dir string) (note []byte, path string, err error)
}
