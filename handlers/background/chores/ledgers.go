package chores

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/eventstore"
	"moviola/eventstore/archived"
	"moviola/projections"
)

// Openings makes the opening balances of ledgers. *ledgers.Ledgers implements it.
type Openings interface {
	// Open appends an opening balance that includes all events of the account's ledger that are older than before. least is
	// the minimum number of events that the new opening balance must include beyond those of the newest one; with fewer,
	// Open appends nothing. Open returns the revision of the last event that the newest opening balance includes after the
	// call; NoStream: there is no opening balance.
	Open(ctx context.Context, account domain.AccountID, before time.Time, least int) (eventstore.Revision, error)
}

// Prefixes moves to archive files the oldest events of streams that have not ended. *archived.Store implements it.
type Prefixes interface {
	ArchivePrefixes(ctx context.Context, prefixes []archived.Prefix) (archived.Done, error)
}

// LedgersConfig is what Ledgers needs. Every field is required.
type LedgersConfig struct {
	Accounts Accounts
	Openings Openings
	Archive  Prefixes
	// Age returns how long the events of an account's ledger stay in the log; 0: for ever.
	Age func(ctx context.Context, account domain.AccountID) (time.Duration, error)
	// Least is the minimum number of events that a new opening balance must include beyond those of the newest one. With
	// fewer, none is made. See LeastOpened.
	Least  int
	Logger logrus.FieldLogger
}

// LeastOpened is the minimum number of old events of a ledger for which an opening balance is made. Archiving fewer events
// is not worth an opening balance and an entry in the archive that says where the old events are.
const LeastOpened = 100

// Ledgers is the chore of archiving the old events of ledgers. Events of an account's ledger are old when they were stored
// before a boundary: the start of the calendar month (UTC) in which the time lies that is Age before now. The chore makes
// an opening balance that includes the old events, and then archives these events. So, while Age stays the same, a ledger
// gets at most one new opening balance a month, and it is the balance at the end of a month. Decision 96.
func Ledgers(config LedgersConfig) Chore {
	return Chore{Name: "old events of ledgers", Do: func(ctx context.Context, now time.Time) error {
		var prefixes []archived.Prefix
		var failures []error
		err := eachAccount(ctx, config.Accounts, func(a projections.Account) error {
			prefix, err := config.open(ctx, domain.AccountID(a.Account), now)
			if err != nil {
				// the ledgers of the other accounts are archived all the same
				failures = append(failures, fmt.Errorf("opening balance of %s: %w", a.Account, err))
			}
			if prefix.Through >= 0 {
				prefixes = append(prefixes, prefix)
			}
			return ctx.Err()
		})
		if err != nil {
			return err
		}
		done, err := config.Archive.ArchivePrefixes(ctx, prefixes)
		if done.Files > 0 {
			config.Logger.WithFields(logrus.Fields{
				"ledgers": done.Streams, "events": done.Events, "files": done.Files, "bytes": done.Bytes,
			}).Info("old events of ledgers archived: opening balances replace these events, which are truncated in the log")
		}
		if errors.Is(err, archived.ErrBusy) {
			err = nil // another process is archiving the log already
		}
		return errors.Join(append(failures, err)...)
	}}
}

// open makes the opening balance of an account, if one is due. It returns the events of the ledger that the newest opening
// balance includes, and that may be archived for this reason; a negative revision: none may be archived.
func (c LedgersConfig) open(ctx context.Context, account domain.AccountID, now time.Time) (archived.Prefix, error) {
	prefix := archived.Prefix{Stream: ledger.Stream(account), Through: eventstore.NoStream}
	age, err := c.Age(ctx, account)
	if err != nil || age == 0 {
		return prefix, err
	}
	year, month, _ := now.Add(-age).UTC().Date()
	prefix.Through, err = c.Openings.Open(ctx, account, time.Date(year, month, 1, 0, 0, 0, 0, time.UTC), c.Least)
	return prefix, err
}

// eachAccount calls visit with every account, also with closed ones, until visit fails.
func eachAccount(ctx context.Context, accounts Accounts, visit func(projections.Account) error) error {
	q := projections.AccountQuery{Limit: accountsAtOnce}
	for {
		page, more, err := accounts.Page(ctx, q)
		if err != nil {
			return err
		}
		for _, a := range page {
			if err := visit(a); err != nil {
				return err
			}
		}
		if !more || len(page) == 0 {
			return nil
		}
		last := page[len(page)-1].Cursor()
		q.After = &last
	}
}
