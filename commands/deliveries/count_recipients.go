package deliveries

import (
	"context"
	"fmt"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/mailing"
	"moviola/domain/plan"
	"moviola/eventstore"
)

// CountRecipients checks that an account may send an e-mail, and counts its recipients.
type CountRecipients struct {
	Account    domain.AccountID
	Mail       string // id of the e-mail: the same for all tries of one e-mail
	Recipients int
	// Day is the day in UTC for which the e-mail is counted. It must be the same for all tries of the same e-mail.
	Day time.Time
}

// CountRecipientsHandler handles CountRecipients.
type CountRecipientsHandler struct {
	log   *eventstore.Log
	plans *commands.AccountPlans
	now   eventstore.Clock
}

// NewCountRecipientsHandler returns a handler.
func NewCountRecipientsHandler(log *eventstore.Log, plans plan.Plans, now func() time.Time) CountRecipientsHandler {
	return CountRecipientsHandler{log: log, plans: commands.NewAccountPlans(log, now, plans), now: now}
}

// Handle counts the e-mail before it is sent: every e-mail that is sent is counted, but a counted e-mail may not have been
// sent. Handle is idempotent. It refuses (QuotaExceeded) when the account's plan has no e-mail, or fewer recipients left on
// that day than the e-mail has. Decision 55.
func (h CountRecipientsHandler) Handle(ctx context.Context, cmd CountRecipients) (eventstore.Position, error) {
	allowed, err := h.plans.Of(ctx, cmd.Account)
	if err != nil {
		return eventstore.Position{}, err
	}
	if err := allowed.CheckEmail(); err != nil {
		return eventstore.Position{}, err
	}
	var day mailing.Day
	appended, err := h.log.Decide(ctx, mailing.Stream(cmd.Account, cmd.Day), &day, func() (eventstore.Decision, error) {
		at := h.now.Stamp()
		events, err := day.Count(cmd.Mail, cmd.Recipients, allowed.Recipients(), at)
		return eventstore.Decision{Meta: eventstore.MetaOf(ctx, cmd.Account, at), Events: events}, err
	})
	if err != nil {
		return eventstore.Position{}, fmt.Errorf("count the recipients of e-mail %s: %w", cmd.Mail, err)
	}
	return appended.Position, nil
}

// Allows returns the reason why the account's plan has no e-mail, or nil when the plan has e-mail.
// Decision 55.
func (h CountRecipientsHandler) Allows(ctx context.Context, account domain.AccountID) error {
	allowed, err := h.plans.Of(ctx, account)
	if err != nil {
		return err
	}
	return allowed.CheckEmail()
}
