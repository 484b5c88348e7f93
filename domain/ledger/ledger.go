// Package ledger holds the credits of one account: grants, holds, and how each hold ended; and, of an account on a counted
// plan, how many movies and drafts it has had in each month.
//
// Credits are whole numbers. A hold sets credits aside, may be changed while it is open, and ends exactly once: its whole
// amount is charged, or its whole amount is released. So a charge cannot exceed its hold, and the available credits never
// fall below zero.
//
//	balance   = granted − charged
//	available = balance − held
//
// A hold is booked under the movie for which it is made, or under one item of a preload batch: see Item.
package ledger

import (
	"errors"
	"fmt"
	"maps"
	"time"

	"moviola/domain"
)

// remembered is how long a hold or count is remembered after its end, measured by the times of events. Two days are enough:
// an id is made for one movie or preload item, and requests for it are not repeated for so long.
const remembered = 48 * time.Hour

// Errors that show a mistake of the calling code. They are never shown to a client.
var (
	ErrNoHold    = errors.New("the project has no open hold")
	ErrHoldEnded = errors.New("the project's hold has ended")
	ErrStale     = errors.New("a later attempt has changed the hold")
	ErrOtherwise = errors.New("the project is paid for in another way")
)

// Ledger is the credits of one account.
type Ledger struct {
	granted int64
	charged int64
	held    int64
	pack    bool // a credit pack was granted
	closed  bool

	// when the balance became zero; the zero time while the balance is above zero, or if the account never had credits
	zeroSince time.Time
	purged    time.Time // when the account's files were last purged after zeroSince; the zero time: not since then

	grants map[string]bool // references of all grants
	open   map[domain.ProjectID]hold
	counts counts
	ended  map[domain.ProjectID]end
	order  []domain.ProjectID // keys of the map ended, the oldest first
}

type hold struct {
	amount  int64
	attempt int // the newest attempt that changed the hold
	at      time.Time
}

type end struct {
	charged bool
	at      time.Time
}

// New returns a ledger without history.
func New() *Ledger {
	return &Ledger{
		grants: make(map[string]bool),
		open:   make(map[domain.ProjectID]hold),
		counts: newCounts(),
		ended:  make(map[domain.ProjectID]end),
	}
}

// Totals are a ledger's sums, in credits.
type Totals struct {
	Granted   int64
	Charged   int64
	Held      int64
	Balance   int64 // granted − charged; decides about suspension (decision 16)
	Available int64 // balance − held
	// EverGranted reports whether the account has ever been granted credits.
	EverGranted bool
	// Pack reports whether the account was ever granted a credit pack (decision 36).
	Pack bool
	// Closed reports whether the ledger is closed: it accepts no new grant, hold or count.
	Closed bool
}

// Totals returns the sums of the credits granted, charged and held, the balance and the available credits that result,
// and whether the ledger is closed.
func (l *Ledger) Totals() Totals {
	return Totals{
		Granted:     l.granted,
		Charged:     l.charged,
		Held:        l.held,
		Balance:     l.granted - l.charged,
		Available:   l.granted - l.charged - l.held,
		EverGranted: l.granted > 0,
		Pack:        l.pack,
		Closed:      l.closed,
	}
}

// OpenHold returns the amount and the time of a project's open hold; the amount of an open count is 0.
func (l *Ledger) OpenHold(project domain.ProjectID) (amount int64, at time.Time, ok bool) {
	if c, ok := l.counts.open[project]; ok {
		return 0, c.at, true
	}
	h, ok := l.open[project]
	return h.amount, h.at, ok
}

// Clone returns a deep copy of the ledger.
func (l *Ledger) Clone() *Ledger {
	c := New()
	c.granted, c.charged, c.held, c.pack = l.granted, l.charged, l.held, l.pack
	c.closed, c.zeroSince, c.purged = l.closed, l.zeroSince, l.purged
	maps.Copy(c.grants, l.grants)
	maps.Copy(c.open, l.open)
	maps.Copy(c.ended, l.ended)
	c.counts = l.counts.clone()
	c.order = append(c.order, l.order...)
	return c
}

// Apply folds one event of the ledger's stream. It checks nothing; events of other streams are ignored.
func (l *Ledger) Apply(event domain.Event) {
	switch e := event.(type) {
	case CreditsGranted:
		l.granted += e.Amount
		l.grants[e.Reference] = true
		l.pack = l.pack || e.Kind == PackGrant
		l.zeroSince, l.purged = time.Time{}, time.Time{}
	case CreditsHeld:
		l.held += e.Amount
		l.open[e.Project] = hold{amount: e.Amount, at: e.At}
	case CreditsHoldChanged:
		h := l.open[e.Project]
		l.held += e.Amount - h.amount
		h.amount, h.attempt = e.Amount, e.Attempt
		l.open[e.Project] = h
	case CreditsCharged:
		l.charged += e.Amount
		if l.charged >= l.granted {
			l.zeroSince = e.At
		}
		l.close(e.Project, end{charged: true, at: e.At})
	case CreditsReleased:
		l.close(e.Project, end{at: e.At})
	case MovieCounted:
		l.counts.add(e.Project, count{period: e.Period, at: e.At})
	case DraftCounted:
		l.counts.add(e.Project, count{period: e.Period, draft: true, at: e.At})
	case CountKept:
		delete(l.counts.open, e.Project)
		l.close(e.Project, end{charged: true, at: e.At})
	case CountReleased:
		l.counts.takeBack(e.Project)
		l.close(e.Project, end{at: e.At})
	case ZeroBalancePurged:
		l.purged = e.At
	case Closed:
		l.closed = true
	}
}

// close ends the hold of a project, or its count on a plan that counts movies instead of credits. It forgets holds and counts
// that ended longer ago than the time `remembered`.
func (l *Ledger) close(project domain.ProjectID, e end) {
	l.held -= l.open[project].amount
	delete(l.open, project)
	l.ended[project] = e
	l.order = append(l.order, project)
	forget := 0
	for forget < len(l.order) && l.ended[l.order[forget]].at.Before(e.at.Add(-remembered)) {
		delete(l.ended, l.order[forget])
		forget++
	}
	l.order = l.order[forget:]
}

// Grant adds credits. It returns no event when the reference has been granted before.
func (l *Ledger) Grant(reference, kind string, amount int64, now time.Time) ([]domain.Event, error) {
	switch {
	case reference == "":
		return nil, domain.Errorf(domain.Invalid, "reference_required", "reference is required")
	case amount < 1 || amount > MaxGrant:
		return nil, domain.Errorf(domain.Invalid, "credits_invalid", "credits must be a whole number from 1 to %d", MaxGrant)
	case l.grants[reference]:
		return nil, nil
	case l.closed:
		return nil, domain.Errorf(domain.Conflict, "account_closed", closedMessage)
	}
	return []domain.Event{CreditsGranted{Reference: reference, Kind: kind, Amount: amount, At: now}}, nil
}

// PackGrant is the kind of the grant of a credit pack.
const PackGrant = "pack"

// MaxGrant is the largest single grant in credits. A thousand million such grants fit into an int64.
const MaxGrant = 1_000_000_000

// Admit returns an error when the account may not submit movies at any price. Suspension depends on the balance, not on the
// available credits. Decision 16.
func (l *Ledger) Admit() error {
	switch t := l.Totals(); {
	case t.Closed:
		return errClosed()
	case !t.EverGranted:
		return domain.Errorf(domain.QuotaExceeded, "not_enough_credits",
			"The account does not have enough credits. Add credits to continue.")
	case t.Balance <= 0:
		return domain.Errorf(domain.Forbidden, "account_suspended",
			"account_suspended: All credits of this account have been used. Add credits to lift the suspension.")
	}
	return nil
}

// Afford returns an error when an amount cannot be held now, because Admit refuses or too few credits are available.
func (l *Ledger) Afford(amount int64) error {
	if err := l.Admit(); err != nil {
		return err
	}
	if l.Totals().Available < amount {
		return insufficient()
	}
	return nil
}

func insufficient() error {
	return domain.Errorf(domain.Invalid, "insufficient_credits", "Insufficient credits")
}

// Hold holds an amount for a project, or refuses as Afford does. It returns no event when the project's hold is open. For a
// project whose hold or count has ended the error is ErrHoldEnded. For a project with an open count the error is ErrOtherwise.
func (l *Ledger) Hold(project domain.ProjectID, amount int64, now time.Time) ([]domain.Event, error) {
	if _, ok := l.open[project]; ok {
		return nil, nil
	}
	if _, ok := l.ended[project]; ok {
		return nil, fmt.Errorf("hold credits for %s: %w", project, ErrHoldEnded)
	}
	if _, ok := l.counts.open[project]; ok {
		return nil, fmt.Errorf("hold credits for %s: %w", project, ErrOtherwise)
	}
	if amount < 1 {
		return nil, fmt.Errorf("hold %d credits for %s: at least 1", amount, project)
	}
	if err := l.Afford(amount); err != nil {
		return nil, err
	}
	return []domain.Event{CreditsHeld{Project: project, Amount: amount, At: now}}, nil
}

// ChangeHold changes the amount of an open hold when the exact length is known. Each attempt may change the hold once. After
// a change by an attempt, another amount of this attempt, and any amount of an earlier one, is the error ErrStale. When too
// few credits are available, the change is refused and the hold stays as it was.
func (l *Ledger) ChangeHold(project domain.ProjectID, attempt int, amount int64, now time.Time) ([]domain.Event, error) {
	h, err := l.find(project)
	switch {
	case err != nil:
		return nil, fmt.Errorf("change the hold of %s: %w", project, err)
	case amount < 1 || attempt < 1:
		return nil, fmt.Errorf("change the hold of %s to %d in attempt %d: both at least 1", project, amount, attempt)
	case attempt < h.attempt || attempt == h.attempt && amount != h.amount:
		return nil, fmt.Errorf("change the hold of %s in attempt %d: %w", project, attempt, ErrStale)
	case amount == h.amount && (attempt == h.attempt || attempt == 1):
		return nil, nil
	case amount-h.amount > l.Totals().Available:
		return nil, insufficient()
	}
	// From the second attempt on, the event is written even when the amount stays the same: after the event, earlier attempts,
	// which are presumed dead, cannot change the hold.
	return []domain.Event{CreditsHoldChanged{Project: project, Attempt: attempt, Before: h.amount, Amount: amount, At: now}}, nil
}

// Charge spends the whole hold of a project. It returns no event when the hold was charged before; for a released hold the
// error is ErrHoldEnded.
func (l *Ledger) Charge(project domain.ProjectID, now time.Time) ([]domain.Event, error) {
	h, err := l.find(project)
	switch {
	case err == nil:
		zero := l.charged+h.amount >= l.granted
		return []domain.Event{CreditsCharged{Project: project, Amount: h.amount, Zero: zero, At: now}}, nil
	case l.ended[project].charged:
		return nil, nil
	default:
		return nil, fmt.Errorf("charge %s: %w", project, err)
	}
}

// Release makes the whole hold of a project available again. It returns no event when the hold was released before, or the
// project never had a hold; for a charged hold the error is ErrHoldEnded.
func (l *Ledger) Release(project domain.ProjectID, reason string, now time.Time) ([]domain.Event, error) {
	h, err := l.find(project)
	switch {
	case err == nil:
		return []domain.Event{CreditsReleased{Project: project, Amount: h.amount, Reason: reason, At: now}}, nil
	case l.ended[project].charged:
		return nil, fmt.Errorf("release %s: %w", project, err)
	default:
		return nil, nil
	}
}

// find returns the open hold of a project.
func (l *Ledger) find(project domain.ProjectID) (hold, error) {
	if h, ok := l.open[project]; ok {
		return h, nil
	}
	if _, ok := l.ended[project]; ok {
		return hold{}, ErrHoldEnded
	}
	return hold{}, ErrNoHold
}
