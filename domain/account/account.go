// Package account holds the rules of accounts, for which the service works: opening, plan and closing. The credits of an account
// are in package ledger, its API keys in package key.
package account

import (
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"moviola/domain"
	"moviola/domain/ledger"
)

// maxNameLength is the maximum length of an account's name, in code points.
const maxNameLength = 100

// idLength is the number of characters of a random account id.
const idLength = 16

// NewID makes a random account id. random is its source of random bytes.
func NewID(random io.Reader) (domain.AccountID, error) {
	text, err := domain.RandomText(random, idLength)
	return domain.AccountID(text), err
}

// Account is one account, folded from its stream.
type Account struct {
	id      domain.AccountID
	opened  bool
	plan    string
	credits *int64    // credits to grant as a step of the opening; nil: see FirstCredits
	changes int       // number of changes of the plan
	since   time.Time // earliest time from which a balance of zero counts towards a purge
	closed  time.Time // time of the closing; zero while the account is open
	clears  map[ClearReason]int
	cleared time.Time // time of the last removal of the account's files
}

// New returns an account with an id that has no events yet.
func New(id domain.AccountID) *Account {
	return &Account{id: id, clears: make(map[ClearReason]int)}
}

// Apply folds one event of the account's stream.
func (a *Account) Apply(event domain.Event) {
	switch e := event.(type) {
	case Opened:
		a.opened, a.plan, a.credits, a.since = true, e.Plan, e.Credits, e.At
	case PlanChanged:
		a.plan, a.changes = e.Plan, e.Change
		if e.Zero {
			a.since = e.At
		}
	case Closed:
		a.closed = e.At
	case Cleared:
		a.clears[e.Reason], a.cleared = e.Round, e.At
	}
}

// Plan names the account's plan; empty before it was opened.
func (a *Account) Plan() string { return a.plan }

// OnCreditsSince returns the earliest time from which a balance of zero counts towards the 30 days until a purge. Decision 39.
func (a *Account) OnCreditsSince() time.Time { return a.since }

// FirstCredits returns the credits to grant as a step of the opening. It returns false for an account that is not opened,
// and for one that the first version of the program has opened, because that version granted the credits before the event
// Opened.
func (a *Account) FirstCredits() (int64, bool) {
	if a.credits == nil {
		return 0, false
	}
	return *a.credits, true
}

// ChangePlan puts the account on another plan. It returns no event when the account is on that plan already. The event repeats
// the properties of the plan, because plans can change.
func (a *Account) ChangePlan(change PlanChanged) ([]domain.Event, error) {
	if err := a.RequireOpen(); err != nil || a.plan == change.Plan {
		return nil, err
	}
	change.Change = a.changes + 1
	return []domain.Event{change}, nil
}

// ID returns the account's id.
func (a *Account) ID() domain.AccountID { return a.id }

// Exists reports whether the account has been opened.
func (a *Account) Exists() bool { return a.opened }

// ClosedAt is when the account was closed: zero while it is open.
func (a *Account) ClosedAt() time.Time { return a.closed }

// Open opens the account. The name is trimmed; it must not be empty. CompleteOpening grants the credits afterwards.
func (a *Account) Open(name, plan string, credits int64, now time.Time) ([]domain.Event, error) {
	name = strings.TrimSpace(name)
	switch {
	case a.opened:
		return nil, domain.Errorf(domain.Conflict, "account_exists", "Account %s already exists", a.id)
	case name == "":
		return nil, domain.Errorf(domain.Invalid, "name_required", "name is required")
	case utf8.RuneCountInString(name) > maxNameLength:
		return nil, domain.Errorf(domain.Invalid, "name_too_long", "name must be at most %d characters", maxNameLength)
	case credits < 0:
		return nil, domain.Errorf(domain.Invalid, "credits_invalid", "credits must be 0 or a positive whole number")
	case credits > ledger.MaxGrant: // the grant would be refused when the account is open
		return nil, domain.Errorf(domain.Invalid, "credits_invalid", "credits must be at most %d", ledger.MaxGrant)
	}
	return []domain.Event{Opened{Name: name, Plan: plan, Credits: &credits, At: now}}, nil
}

// Close closes the account for ever. It returns no event when the account is closed already. The keeper does the work that
// follows from the closing. Design §6.
func (a *Account) Close(now time.Time) ([]domain.Event, error) {
	switch {
	case !a.opened:
		return nil, a.RequireOpen()
	case !a.closed.IsZero():
		return nil, nil
	}
	return []domain.Event{Closed{At: now}}, nil
}

// Rounds returns how many times the account's stored files have been removed for the given reason.
func (a *Account) Rounds(reason ClearReason) int { return a.clears[reason] }

// departures is the number of times that the files of a closed account are removed. Design §6: the second removal is for
// late uploads.
const departures = 2

// DepartureDue reports whether the files of a closed account are to be removed now: for the first time, or a second time once
// the duration "again" has passed since the first removal.
func (a *Account) DepartureDue(now time.Time, again time.Duration) bool {
	rounds := a.clears[Departure]
	return !a.closed.IsZero() && (rounds == 0 || rounds < departures && !now.Before(a.cleared.Add(again)))
}

// LastDeparture reports whether the next removal of a closed account's files is the last one.
func (a *Account) LastDeparture() bool { return a.clears[Departure] >= departures-1 }

// Departed reports whether the files of a closed account have been removed for the last time.
func (a *Account) Departed() bool { return a.clears[Departure] >= departures }

// Clear records that one more removal of the account's stored files is complete.
func (a *Account) Clear(reason ClearReason, now time.Time) []domain.Event {
	return []domain.Event{Cleared{Reason: reason, Round: a.clears[reason] + 1, At: now}}
}

// RequireOpen refuses an account that was never opened, or is closed.
func (a *Account) RequireOpen() error {
	switch {
	case !a.opened:
		return domain.Errorf(domain.NotFound, "account_not_found", "Account %s not found", a.id)
	case !a.closed.IsZero():
		return domain.Errorf(domain.Conflict, "account_closed", "Account %s is closed", a.id)
	}
	return nil
}
