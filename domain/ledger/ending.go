package ledger

import (
	"time"

	"moviola/domain"
)

const closedMessage = "This account is closed"

// errClosed refuses a change of a closed account.
func errClosed() error { return domain.Errorf(domain.Forbidden, "account_closed", closedMessage) }

// Close ends the ledger. Holds and counts that are open stay open until they are settled. It returns no event when the ledger is
// closed already.
func (l *Ledger) Close(now time.Time) []domain.Event {
	if l.closed {
		return nil
	}
	return []domain.Event{Closed{At: now}}
}

// ZeroSince returns the time when the balance became zero. It returns false while the balance is above zero, and for an
// account that never had credits.
func (l *Ledger) ZeroSince() (time.Time, bool) { return l.zeroSince, !l.zeroSince.IsZero() }

// Purge returns the event ZeroBalancePurged when the balance has been zero for as long as the argument after; the account's
// stored files are then deleted. Only the time since the argument from counts, because before it the account was not open,
// or on a plan without credits. Purge returns no event while that time has not passed, when the account was purged in that
// time already, and for a closed ledger, because all files of its account are deleted anyway. Decision 39.
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

// OpenSubjects returns the movies and preload items whose hold or count is open, in no particular order.
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
