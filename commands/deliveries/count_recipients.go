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

// CountRecipients asks whether an account may send an e-mail, and counts those who get it.
type CountRecipients struct {
	Account    domain.AccountID
	Mail       string // names the e-mail: the same for every try of it
	Recipients int
	// Day is one of UTC, that the e-mail counts for. It must not change between tries of the same e-mail.
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

// Handle counts the e-mail, which is to be sent after that: what was counted may not have been sent, but nothing is sent that was
// not counted. Doing it again changes nothing. An account whose plan has no e-mail, or no recipients left on that day, is refused
// (QuotaExceeded). Decision 55.
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

// Allows says why the account's plan has no e-mail; nil: it has. Decision 55.
func (h CountRecipientsHandler) Allows(ctx context.Context, account domain.AccountID) error {
	allowed, err := h.plans.Of(ctx, account)
	if err != nil {
		return err
	}
	return allowed.CheckEmail()
}
