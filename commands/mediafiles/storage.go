package mediafiles

import (
	"context"
	"errors"
	"time"

	"moviola/commands"
	"moviola/commands/ledgers"
	"moviola/commands/storage"
	"moviola/domain"
	"moviola/domain/ledger"
)

// Storage reports whether an account may add files to its media library and, if it may not, since when. It is safe for concurrent
// use.
type Storage struct {
	standings *commands.Standings
	ledgers   *ledgers.Ledgers
}

// NewStorage returns a Storage.
func NewStorage(standings *commands.Standings, ledgers *ledgers.Ledgers) *Storage {
	return &Storage{standings: standings, ledgers: ledgers}
}

// Require refuses an account that may not store files. It may not if it is closed, or if its balance is zero on a plan with
// credits; in the second case the error is ErrStorageBlocked. Decision 39.
func (s *Storage) Require(ctx context.Context, account domain.AccountID) error {
	standing, err := s.standings.Of(ctx, account)
	if err != nil {
		return err
	}
	return standing.RequireStorage()
}

// RequireAt is Require for bytes that a client has uploaded to the storage directly. A balance of zero does not refuse bytes
// that came before it was zero.
func (s *Storage) RequireAt(ctx context.Context, account domain.AccountID, came time.Time) error {
	err := s.Require(ctx, account)
	if !errors.Is(err, storage.ErrStorageBlocked) {
		return err
	}
	since, blocked, failed := s.Since(ctx, account)
	switch {
	case failed != nil:
		return failed
	case blocked && (since == nil || !came.Before(*since)):
		return err
	}
	return nil
}

// Since reports whether an account's storage is blocked, and since when. The time is nil when the storage is not blocked, and
// when the account never had credits.
func (s *Storage) Since(ctx context.Context, account domain.AccountID) (*time.Time, bool, error) {
	standing, err := s.standings.Of(ctx, account)
	if err != nil || !standing.Blocked {
		return nil, false, err
	}
	var since *time.Time
	err = s.ledgers.Ask(ctx, account, func(l *ledger.Ledger) error {
		if at, ok := l.ZeroSince(); ok {
			since = &at
		}
		return nil
	})
	if err != nil {
		return nil, false, err
	}
	return since, true, nil
}
