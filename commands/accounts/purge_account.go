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

// PurgeAccount decides that the files of an account are to be removed, because its balance has been zero for too long.
type PurgeAccount struct {
	Account domain.AccountID
}

// PurgeAccountConfig is what NewPurgeAccountHandler needs. Every field but Plans is required.
type PurgeAccountConfig struct {
	Log     *eventstore.Log
	Ledgers *ledgers.Ledgers
	Plans   plan.Plans // zero: the built-in plans
	Now     func() time.Time
	// After is how long the balance must have been zero. Decision 39: 30 days.
	After time.Duration
	// Again is the time between the first and the second removal of a closed account's files. Design §6: a day.
	Again time.Duration
}

// PurgeAccountHandler handles PurgeAccount, and determines which files a removal has to remove.
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

// Handle appends ZeroBalancePurged when it is due; a processor then removes the files. ErrNothingToDo: the account does not
// exist, is closed, has credits again or is on a plan without credits, its balance has not been zero for long enough, or the
// purge is recorded already. Decision 39.
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

// Clearing is one removal of files of an account: its balance was zero for too long, or it is closed.
type Clearing struct {
	Account domain.AccountID
	Reason  account.ClearReason
	// Before is a position in the log: files stored after it stay. Zero: no file stays because it is new.
	Before eventstore.Position
	// Last reports whether this is the final removal for a closed account. The final removal also deletes the files that were needed
	// to end the account's movies.
	Last bool
}

// Due returns the removal that is due for an account, or ErrNothingToDo.
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

// Done records that a removal is complete. ErrNothingToDo: another process has recorded the
// removal.
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

// clearable is an account, the end of its stream, and the position in the log of the event Cleared that records its last
// completed purge; zero: no purge was completed.
type clearable struct {
	*account.Account
	end    eventstore.Revision
	purged eventstore.Position
}

// load folds the stream of an account.
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

// lastPurge finds the position of the last ZeroBalancePurged. It reads the stream backwards,
// because an account with a balance of zero has few later events.
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
