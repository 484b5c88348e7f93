package accounts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"moviola/commands"
	"moviola/commands/ledgers"
	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/ledger"
	"moviola/domain/plan"
	"moviola/eventstore"
)

// PurgeAccount says that what is stored for an account goes, because its balance has been zero for too long.
type PurgeAccount struct {
	Account domain.AccountID
}

// PurgeAccountConfig is what NewPurgeAccountHandler needs. Every field but Plans is required.
type PurgeAccountConfig struct {
	Log     *eventstore.Log
	Ledgers *ledgers.Ledgers
	Plans   plan.Plans // the zero Plans are the built-in ones
	Now     func() time.Time
	// After is how long the balance must have been zero. Decision 39: 30 days.
	After time.Duration
	// Again is how long after the first removal a closed account's is repeated. Design §6: a day.
	Again time.Duration
}

// PurgeAccountHandler handles PurgeAccount, and knows what a removal has to remove.
type PurgeAccountHandler struct {
	log          *eventstore.Log
	ledgers      *ledgers.Ledgers
	plans        plan.Plans
	now          eventstore.Clock
	after, again time.Duration
}

// NewPurgeAccountHandler returns a handler.
func NewPurgeAccountHandler(cfg PurgeAccountConfig) PurgeAccountHandler {
	return PurgeAccountHandler{log: cfg.Log, ledgers: cfg.Ledgers, plans: cfg.Plans, now: cfg.Now, after: cfg.After,
		again: cfg.Again}
}

// Handle appends ZeroBalancePurged when its time has come; the removal is due work. ErrNothingToDo: credits have come, the time
// is not over, the account is closed or on a plan without credits, or it has been done. Decision 39.
func (h PurgeAccountHandler) Handle(ctx context.Context, cmd PurgeAccount) error {
	a, err := h.load(ctx, cmd.Account)
	if err != nil {
		return err
	}
	if !a.Exists() || !a.ClosedAt().IsZero() || h.plans.Of(a.Plan()).Counted {
		return commands.ErrNothingToDo
	}
	decided := false
	_, err = h.ledgers.Do(ctx, cmd.Account, func(own *ledger.Ledger, at time.Time) ([]domain.Event, error) {
		events := own.Purge(a.OnCreditsSince(), h.after, at)
		decided = len(events) > 0
		return events, nil
	})
	if err == nil && !decided {
		return commands.ErrNothingToDo
	}
	return err
}

// Clearing is a removal of what is stored for an account.
type Clearing struct {
	Account domain.AccountID
	Reason  account.ClearReason
	// Before is the place in the log that the removal stops at: what came later stays. Zero: everything goes.
	Before eventstore.Position
	// Last says that a closed account's removal is not repeated: what was needed to end its movies can go too.
	Last bool
}

// Due returns the removal that an account waits for. ErrNothingToDo: none, or not yet.
func (h PurgeAccountHandler) Due(ctx context.Context, id domain.AccountID) (Clearing, error) {
	a, err := h.load(ctx, id)
	if err != nil {
		return Clearing{}, err
	}
	return h.dueFor(ctx, a)
}

func (h PurgeAccountHandler) dueFor(ctx context.Context, a clearable) (Clearing, error) {
	if !a.ClosedAt().IsZero() {
		if !a.DepartureDue(h.now.Stamp(), h.again) {
			return Clearing{}, commands.ErrNothingToDo
		}
		return Clearing{Account: a.ID(), Reason: account.Departure, Last: a.LastDeparture()}, nil
	}
	purged, found, err := h.lastPurge(ctx, a.ID())
	if err == nil && (!found || purged.Compare(a.purged) <= 0) {
		err = commands.ErrNothingToDo
	}
	return Clearing{Account: a.ID(), Reason: account.Purged, Before: purged}, err
}

// Done records that a removal is over. ErrNothingToDo: another process has done so.
func (h PurgeAccountHandler) Done(ctx context.Context, done Clearing) error {
	for {
		at := h.now.Stamp()
		a, err := h.load(ctx, done.Account)
		if err != nil {
			return err
		}
		due, err := h.dueFor(ctx, a)
		if err == nil && due != done {
			err = commands.ErrNothingToDo
		}
		if err != nil {
			return err
		}
		_, err = h.log.Append(ctx, account.Stream(done.Account), a.end, eventstore.MetaOf(ctx, done.Account, at),
			a.Clear(done.Reason, at)...)
		if !errors.Is(err, eventstore.ErrConflict) || ctx.Err() != nil {
			return err
		}
	}
}

// clearable is an account, where its stream ends, and where in the log what it had was last purged.
type clearable struct {
	*account.Account
	end    eventstore.Revision
	purged eventstore.Position
}

// load folds an account.
func (h PurgeAccountHandler) load(ctx context.Context, id domain.AccountID) (clearable, error) {
	c := clearable{Account: account.New(id), end: eventstore.NoStream}
	for recorded, err := range h.log.Store().ReadStream(ctx, account.Stream(id), eventstore.Forwards, 0) {
		if err != nil {
			return c, fmt.Errorf("load account %s: %w", id, err)
		}
		event, _, err := h.log.Codec().Decode(recorded)
		if err != nil {
			return c, fmt.Errorf("load account %s: %w", id, err)
		}
		c.Apply(event)
		c.end = recorded.Revision
		if e, ok := event.(account.Cleared); ok && e.Reason == account.Purged {
			c.purged = recorded.Position
		}
	}
	return c, nil
}

// lastPurge finds the place of the last ZeroBalancePurged: close to the end of the ledger, for an account at zero does little.
func (h PurgeAccountHandler) lastPurge(ctx context.Context, id domain.AccountID) (eventstore.Position, bool, error) {
	for recorded, err := range h.log.Store().ReadStream(ctx, ledger.Stream(id), eventstore.Backwards, -1) {
		if err != nil {
			return eventstore.Position{}, false, fmt.Errorf("look for the purge of account %s: %w", id, err)
		}
		if recorded.Type == (ledger.ZeroBalancePurged{}).EventType() {
			return recorded.Position, true, nil
		}
	}
	return eventstore.Position{}, false, nil
}
