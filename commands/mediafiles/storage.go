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

// Storage reports whether accounts may add files to their media libraries, and if not, since when. It is safe for concurrent
// use.
type Storage struct {
	standings *commands.Standings
	ledgers   *ledgers.Ledgers
}

// NewStorage returns a Storage.
func NewStorage(standings *commands.Standings, ledgers *ledgers.Ledgers) *Storage {
	return &Storage{standings: standings, ledgers: ledgers}
}

// Require refuses an account that may not store files: because the account is closed, or with ErrStorageBlocked because its
// balance is zero on a plan with credits. Decision 39.
func (s *Storage) Require(ctx context.Context, account domain.AccountID) error {
	standing, err := s.standings.Of(ctx, account)
	if err != nil {
		return err
	}
	return standing.RequireStorage()
}

// RequireAt is Require for bytes that were uploaded to the storage directly: it does not refuse bytes that arrived before the
// balance was zero.
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

// Since reports whether an account's storage is blocked, and since when; nil: the account never had
// credits.
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
	return since, true, err
}
