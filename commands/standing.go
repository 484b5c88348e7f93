package commands

import (
	"context"
	"fmt"
	"time"

	"moviola/commands/ledgers"
	"moviola/commands/storage"
	"moviola/domain"
	"moviola/domain/plan"
	"moviola/eventstore"
)

// Standing is what an account may do now, according to the log. The plan, and whether the account is closed, may be up to a
// second old.
type Standing struct {
	Plan   plan.Plan
	Closed bool
	// Balance is granted − charged, in credits.
	Balance int64
	// Blocked reports whether the account may not store files in the media library, because its balance is zero on a plan
	// with credits. Decision 39.
	Blocked bool
}

// Standings returns what accounts may do now. It is safe for concurrent use.
type Standings struct {
	plans   *AccountPlans
	ledgers *ledgers.Ledgers
}

// NewStandings returns Standings. Zero plans: the built-in plans.
func NewStandings(log *eventstore.Log, ledgers *ledgers.Ledgers, plans plan.Plans, now func() time.Time) *Standings {
	return &Standings{plans: NewAccountPlans(log, now, plans), ledgers: ledgers}
}

// Of returns the standing of an account. Callers ask only for accounts that were opened; if the read finds no account, the error
// is ErrUnseen.
func (s *Standings) Of(ctx context.Context, id domain.AccountID) (Standing, error) {
	known, err := s.plans.know(ctx, id)
	if err != nil {
		return Standing{}, err
	}
	totals, err := s.ledgers.State(ctx, id)
	if err != nil {
		return Standing{}, fmt.Errorf("look at the ledger of account %s: %w", id, err)
	}
	return Standing{
		Plan: known.plan, Closed: known.closed || totals.Closed, Balance: totals.Balance,
		Blocked: !known.plan.Counted && totals.Balance <= 0,
	}, nil
}

// RequireStorage refuses an account that may not store files in its media library. Spec: Errors, POST /media/file.
func (s Standing) RequireStorage() error {
	switch {
	case s.Closed:
		return domain.Errorf(domain.Forbidden, "account_closed", "This account is closed")
	case s.Blocked:
		return storage.ErrStorageBlocked
	}
	return nil
}
