// Package mailing counts the e-mail recipients of an account on one day. Decision 55.
package mailing

import (
	"time"

	"moviola/domain"
)

// RecipientsCounted counts the recipients of one e-mail, before it is sent. Retries of the e-mail are not counted again.
type RecipientsCounted struct {
	// id of the e-mail, derived from movie, delivery request and destination, or from the test of a connection
	Mail       string    `json:"mail" personal:"no"`
	Recipients int       `json:"recipients"`
	At         time.Time `json:"at"`
}

// EventType is the persisted name.
func (RecipientsCounted) EventType() string { return "EmailRecipientsCounted" }

// EventKey returns what distinguishes the event from others of its type in the same stream.
func (e RecipientsCounted) EventKey() string { return e.Mail }

// StreamCategory is the part of the names of mailing streams before the first dash.
const StreamCategory = "mailing"

// Stream names the stream of an account's e-mails of one day (UTC). The stream has at most as many events as the plan allows
// recipients.
func Stream(account domain.AccountID, day time.Time) string {
	return StreamCategory + "-" + string(account) + "." + day.UTC().Format("20060102")
}

// Day is the count of an account's e-mails on one day, folded from its stream. The zero Day has no e-mails.
type Day struct {
	counted    map[string]bool // the e-mails that were counted, by id
	recipients int
}

// Apply folds one event.
func (d *Day) Apply(event domain.Event) {
	e, ok := event.(RecipientsCounted)
	if !ok {
		return
	}
	if d.counted == nil {
		d.counted = make(map[string]bool)
	}
	d.counted[e.Mail] = true
	d.recipients += e.Recipients
}

// Recipients returns the number of recipients counted so far.
func (d *Day) Recipients() int { return d.recipients }

// Count counts the recipients of one e-mail; most is the maximum number of recipients per day. It returns no event for an
// e-mail that was counted before. An e-mail that exceeds the limit is refused as a whole; an e-mail with fewer recipients
// may still be sent.
func (d *Day) Count(mail string, recipients, most int, now time.Time) ([]domain.Event, error) {
	switch {
	case d.counted[mail]:
		return nil, nil
	case d.recipients+recipients > most:
		return nil, domain.Errorf(domain.QuotaExceeded, "email_quota_exceeded",
			"The service plan allows e-mails to %d recipients a day (UTC): %d have been written to, and this e-mail has %d. "+
				"Ask for a redelivery tomorrow, or upgrade the service plan", most, d.recipients, recipients)
	}
	return []domain.Event{RecipientsCounted{Mail: mail, Recipients: recipients, At: now}}, nil
}
