package commands

import (
	"context"
	"fmt"
	"sync"
	"time"

	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/plan"
	"moviola/eventstore"
)

const (
	// planAge is how long an account's plan is cached: a change takes effect in every process within a second.
	planAge = time.Second
	// maxPlans is the maximum number of accounts whose plans are cached.
	maxPlans = 4096
)

// AccountPlans returns the plans of accounts, read from their streams. It is safe for concurrent use.
type AccountPlans struct {
	log   *eventstore.Log
	now   eventstore.Clock
	plans plan.Plans

	mu    sync.Mutex
	known map[domain.AccountID]knownPlan
}

type knownPlan struct {
	plan   plan.Plan
	closed bool // the account is closed
	until  time.Time
}

func NewAccountPlans(log *eventstore.Log, now eventstore.Clock, plans plan.Plans) *AccountPlans {
	return &AccountPlans{log: log, now: now, plans: plans, known: make(map[domain.AccountID]knownPlan)}
}

// Of returns the account's plan, as it was at most planAge ago. Callers ask only for accounts that were opened. If the read
// finds no account, then the node of the event store that answered lags behind the log, and the error is ErrUnseen. Only
// LibraryAccount may be asked for before it is opened: it has the free plan then. Decision 60.
func (p *AccountPlans) Of(ctx context.Context, id domain.AccountID) (plan.Plan, error) {
	known, err := p.know(ctx, id)
	return known.plan, err
}

// know returns the account's plan, and whether the account is closed.
func (p *AccountPlans) know(ctx context.Context, id domain.AccountID) (knownPlan, error) {
	now := p.now()
	p.mu.Lock()
	known := p.known[id]
	p.mu.Unlock()
	if now.Before(known.until) {
		return known, nil
	}
	a := account.New(id)
	if _, err := p.log.CatchUp(ctx, account.Stream(id), eventstore.Appended{Revision: eventstore.NoStream}, a.Apply); err != nil {
		return knownPlan{}, fmt.Errorf("load account %s: %w", id, err)
	}
	if !a.Exists() && id != LibraryAccount {
		return knownPlan{}, fmt.Errorf("load account %s: %w", id, ErrUnseen)
	}
	known = knownPlan{plan: p.plans.Of(a.Plan()), closed: !a.ClosedAt().IsZero(), until: now.Add(planAge)}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.known) >= maxPlans {
		clear(p.known)
	}
	p.known[id] = known
	return known, nil
}
