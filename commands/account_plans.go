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
	// planAge is how long an account's plan is taken for what it was: a change acts on every process within a second.
	planAge = time.Second
	// maxPlans bounds how many accounts' plans are remembered.
	maxPlans = 4096
)

// AccountPlans tells which plan an account is on, from the account's stream. It is safe for concurrent use.
type AccountPlans struct {
	log   *eventstore.Log
	now   eventstore.Clock
	plans plan.Plans

	mu    sync.Mutex
	known map[domain.AccountID]knownPlan
}

type knownPlan struct {
	plan   plan.Plan
	closed bool // the account
	until  time.Time
}

func NewAccountPlans(log *eventstore.Log, now eventstore.Clock, plans plan.Plans) *AccountPlans {
	return &AccountPlans{log: log, now: now, plans: plans, known: make(map[domain.AccountID]knownPlan)}
}

// Of returns the account's plan. An account that is not to be seen is ErrUnavailable: whoever asks has opened it, but for
// LibraryAccount, which is on the free one. Decision 60.
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
