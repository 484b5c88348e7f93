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
	// Open appends an opening balance that includes all events before a moment, if it includes at least so many more than the one
	// that is there. It returns the revision of the last event that the newest one includes; NoStream: there is none.
	Open(ctx context.Context, account domain.AccountID, before time.Time, least int) (eventstore.Revision, error)
}

// Prefixes moves the oldest events of streams that go on from the log to archive files. *archived.Store implements it.
type Prefixes interface {
	ArchivePrefixes(ctx context.Context, prefixes []archived.Prefix) (archived.Done, error)
}

// LedgersConfig is what Ledgers needs. Every field is required.
type LedgersConfig struct {
	Accounts Accounts
	Openings Openings
	Archive  Prefixes
	// Age returns how long the events of an account stay in the log; 0: for ever.
	Age func(ctx context.Context, account domain.AccountID) (time.Duration, error)
	// Least is the minimum of events for which an opening balance is made. See LeastOpened.
	Least  int
	Logger logrus.FieldLogger
}

// LeastOpened is the minimum of old events of a ledger for which an opening balance is made: fewer are not worth that event and
// the archive's note of where they are.
const LeastOpened = 100

// Ledgers is the chore of archiving the old events of ledgers. It works by calendar months (UTC): an opening balance is made of
// what was stored before the month in which the moment lies that is the account's Age back, and then that is archived. So a
// ledger has at most one new opening balance a month, and it is the balance at the end of a month. Decision 96.
func Ledgers(config LedgersConfig) Chore {
	return Chore{Name: "old events of ledgers", Do: func(ctx context.Context, now time.Time) error {
		var prefixes []archived.Prefix
		var failures []error
		err := eachAccount(ctx, config.Accounts, func(a projections.Account) error {
			prefix, err := config.open(ctx, domain.AccountID(a.Account), now)
			if err != nil {
				failures = append(failures, fmt.Errorf("opening balance of %s: %w", a.Account, err)) // the others are archived
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
			}).Info("old events of ledgers archived: opening balances replace these events, and the event store removes them from the log")
		}
		if errors.Is(err, archived.ErrBusy) {
			err = nil // another process is archiving the log already
		}
		return errors.Join(append(failures, err)...)
	}}
}

// open makes the opening balance of an account, if there is one to be made, and returns what may be archived behind it; a
// negative revision: nothing.
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

// eachAccount calls visit with every account, also with those that are closed, until it fails.
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
