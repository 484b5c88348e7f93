package accounts

import (
	"context"
	"fmt"
	"time"

	"moviola/commands/ledgers"
	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/plan"
	"moviola/eventstore"
)

// ChangePlan puts an account on another plan.
type ChangePlan struct {
	Account domain.AccountID
	Plan    string // name of a plan of this installation; empty: the free plan
}

// ChangePlanHandler handles ChangePlan.
type ChangePlanHandler struct {
	log     *eventstore.Log
	ledgers *ledgers.Ledgers
	plans   plan.Plans
	now     eventstore.Clock
}

// NewChangePlanHandler returns a handler. Zero plans: the built-in plans.
func NewChangePlanHandler(
	log *eventstore.Log, ledgers *ledgers.Ledgers, plans plan.Plans, now func() time.Time,
) ChangePlanHandler {
	return ChangePlanHandler{log: log, ledgers: ledgers, plans: plans, now: now}
}

// Handle changes the plan. Every process applies the new plan within a second. An account that was never opened is NotFound, a
// closed one a Conflict.
func (h ChangePlanHandler) Handle(ctx context.Context, cmd ChangePlan) (eventstore.Position, error) {
	to, err := h.plans.Parse(cmd.Plan)
	if err != nil {
		return eventstore.Position{}, err
	}
	totals, err := h.ledgers.State(ctx, cmd.Account)
	if err != nil {
		return eventstore.Position{}, fmt.Errorf("look at the ledger of account %s: %w", cmd.Account, err)
	}
	a := account.New(cmd.Account)
	appended, err := h.log.Decide(ctx, account.Stream(cmd.Account), a, func() (eventstore.Decision, error) {
		at := h.now.Stamp()
		// A grant that is appended between the read of the ledger and this event may end the zero balance. That does no harm, because
		// the purge reads the ledger again after 30 days.
		zero := !to.Counted && h.plans.Of(a.Plan()).Counted && totals.Balance <= 0
		events, err := a.ChangePlan(account.PlanChanged{Plan: to.Name, Counted: to.Counted, Zero: zero, At: at})
		return eventstore.Decision{Meta: eventstore.MetaOf(ctx, cmd.Account, at), Events: events}, err
	})
	if err != nil {
		return eventstore.Position{}, fmt.Errorf("change the plan of account %s: %w", cmd.Account, err)
	}
	return appended.Position, nil
}
