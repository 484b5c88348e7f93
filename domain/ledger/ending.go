package ledger

import (
	"time"

	"moviola/domain"
)

const closedMessage = "This account is closed"

// errClosed refuses what would use a closed account.
func errClosed() error { return domain.Errorf(domain.Forbidden, "account_closed", closedMessage) }

// Close ends the ledger. Holds and counts that are open stay, until they are settled. It decides nothing when that has happened.
func (l *Ledger) Close(now time.Time) []domain.Event {
	if l.closed {
		return nil
	}
	return []domain.Event{Closed{At: now}}
}

// ZeroSince is when the balance came to zero: false while it is above zero, and for an account that never had credits.
func (l *Ledger) ZeroSince() (time.Time, bool) { return l.zeroSince, !l.zeroSince.IsZero() }

// Purge says that what is stored for the account goes, when the balance has been zero for as long as a time; what was before from
// does not count, for the account was on a plan without credits then. It decides nothing before that, once it has been decided for this stretch of zero, and on a closed ledger, whose
// account loses everything anyway. Decision 39.
func (l *Ledger) Purge(from time.Time, after time.Duration, now time.Time) []domain.Event {
	since, zero := l.ZeroSince()
	if from.After(since) {
		since = from
	}
	done := !l.purged.IsZero() && !from.After(l.purged)
	if !zero && l.granted > l.charged || done || l.closed || now.Before(since.Add(after)) {
		return nil
	}
	return []domain.Event{ZeroBalancePurged{Since: since, At: now}}
}

// OpenSubjects are the movies and items whose hold or count is open, in no order.
func (l *Ledger) OpenSubjects() []domain.ProjectID {
	subjects := make([]domain.ProjectID, 0, len(l.open)+len(l.counts.open))
	for subject := range l.open {
		subjects = append(subjects, subject)
	}
	for subject := range l.counts.open {
		subjects = append(subjects, subject)
	}
	return subjects
}
