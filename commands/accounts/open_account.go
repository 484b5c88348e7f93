package accounts

import (
	"context"
	"fmt"
	"io"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/plan"
	"moviola/eventstore"
)

// firstCredits is the number of credits of a new account when OpenAccount names none. Decision 36.
const firstCredits = 600

// OpenAccount opens an account, with its first credits and an API key with the role admin.
type OpenAccount struct {
	ID      domain.AccountID // empty: a random id
	Name    string
	Plan    string // name of a plan of this installation; empty: the free plan
	Credits *int64 // nil: 600 credits
}

// OpenedAccount is a new account. Key is its API key: it is shown once and not stored.
type OpenedAccount struct {
	Account  domain.AccountID
	Key      string
	Position eventstore.Position // position of the last event of the opening
}

// OpenAccountConfig is what NewOpenAccountHandler needs. Every field but Plans is required.
type OpenAccountConfig struct {
	Log      *eventstore.Log
	Complete CompleteOpeningHandler
	Plans    plan.Plans // zero: the built-in plans
	Random   io.Reader  // source of random bytes for ids: crypto/rand.Reader, except in tests
	Now      func() time.Time
}

// OpenAccountHandler handles OpenAccount.
type OpenAccountHandler struct {
	log      *eventstore.Log
	complete CompleteOpeningHandler
	plans    plan.Plans
	random   io.Reader
	now      eventstore.Clock
}

// NewOpenAccountHandler returns a handler.
func NewOpenAccountHandler(cfg OpenAccountConfig) OpenAccountHandler {
	return OpenAccountHandler{log: cfg.Log, complete: cfg.Complete, plans: cfg.Plans, random: cfg.Random, now: cfg.Now}
}

// Handle opens the account: it appends AccountOpened, then grants the credits and issues the API key. After a crash a processor
// takes the remaining steps, see CompleteOpening. An account that exists already is a Conflict.
func (h OpenAccountHandler) Handle(ctx context.Context, cmd OpenAccount) (OpenedAccount, error) {
	credits := int64(firstCredits)
	if cmd.Credits != nil {
		credits = *cmd.Credits
	}
	on, err := h.plans.Parse(cmd.Plan)
	if err != nil {
		return OpenedAccount{}, err
	}
	if cmd.ID == "" {
		if cmd.ID, err = account.NewID(h.random); err != nil {
			return OpenedAccount{}, fmt.Errorf("draw an account id: %w", err)
		}
	}
	a := account.New(cmd.ID)
	_, err = h.log.Decide(ctx, account.Stream(cmd.ID), a, func() (eventstore.Decision, error) {
		at := h.now.Stamp()
		events, err := a.Open(cmd.Name, on.Name, credits, at)
		return eventstore.Decision{Meta: eventstore.MetaOf(ctx, cmd.ID, at), Events: events}, err
	})
	if err != nil {
		return OpenedAccount{}, fmt.Errorf("open account %s: %w", cmd.ID, err)
	}
	opened, _, err := h.complete.finish(ctx, cmd.ID)
	// An account that was just opened has an API key. If opened has none, finish has read an old state of the log, which
	// lacks the event that opens the account.
	if err == nil && opened.Key == "" {
		return OpenedAccount{}, fmt.Errorf("load account %s: %w", cmd.ID, commands.ErrUnseen)
	}
	return opened, err
}
