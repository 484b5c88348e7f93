package projections

import (
	"context"
	"time"

	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/key"
	"moviola/domain/ledger"
)

// The lines of work of accounts. The subject is the account.
const (
	lineOpening = "opening/"
	lineZero    = "zero/"
	linePurge   = "purge/"
	lineClose   = "close/"
)

// The kinds of work of accounts.
const (
	WorkComplete = "complete" // an opening whose first credits or first key are missing: due when its request must have ended
	WorkZero     = "zero"     // due when the balance has been zero for 30 days
	WorkPurge    = "purge"    // open from ZeroBalancePurged until what stood before it has been removed
	WorkClose    = "close"    // open from AccountClosed until everything has been removed, twice
)

const (
	// openingTime is how long a request may take to complete the opening that it began.
	openingTime = 10 * time.Second
	// lastRound is how often what is stored for a closed account is removed. Design §6: repeated after a day.
	lastRound = 2
)

// accountTouched names the items that an event of an account, of its ledger or of its keys moves.
func accountTouched(e Event) []string {
	switch d := e.Data.(type) {
	case account.Opened:
		if d.Credits != nil {
			return []string{lineOpening + e.ID}
		}
	case key.Issued:
		if d.First {
			return []string{lineOpening + string(d.Account)}
		}
	case account.PlanChanged:
		if d.Counted || d.Zero {
			return []string{lineZero + e.ID}
		}
	case ledger.CreditsGranted, ledger.Closed:
		return []string{lineZero + e.ID}
	case ledger.ZeroBalancePurged:
		return []string{lineZero + e.ID, linePurge + e.ID}
	case account.Closed:
		return []string{lineOpening + e.ID, linePurge + e.ID, lineClose + e.ID}
	case account.Cleared:
		if d.Reason == account.Purged {
			return []string{linePurge + e.ID}
		}
		return []string{lineClose + e.ID}
	}
	return nil
}

// ofAccount folds an event into an item of one of the lines of accounts.
func (w workModel) ofAccount(i WorkItem, e Event) (WorkItem, bool) {
	i.Account = i.Subject
	switch i.ID[:len(i.ID)-len(i.Subject)] {
	case lineOpening:
		return w.opening(i, e)
	case lineZero:
		return w.zero(i, e)
	case linePurge:
		return w.purge(i, e)
	default:
		return w.closing(i, e)
	}
}

// opening waits for the first key, which is the last step of an account's opening.
func (workModel) opening(i WorkItem, e Event) (WorkItem, bool) {
	if d, ok := e.Data.(account.Opened); ok {
		return i.ready(WorkComplete, d.At.Add(openingTime)), true
	}
	return i, false
}

// zero is the clock of a balance at zero. Decision 39: a top-up clears it.
func (w workModel) zero(i WorkItem, e Event) (WorkItem, bool) {
	switch d := e.Data.(type) {
	case ledger.CreditsCharged:
		return i.ready(WorkZero, d.At.Add(w.zeroRetention)), true
	case account.PlanChanged:
		return i.ready(WorkZero, d.At.Add(w.zeroRetention)), d.Zero
	default:
		return i, false
	}
}

// purge waits until what stood in the log before a purge has been removed.
func (workModel) purge(i WorkItem, e Event) (WorkItem, bool) {
	if d, ok := e.Data.(ledger.ZeroBalancePurged); ok {
		return i.ready(WorkPurge, d.At), true
	}
	return i, false
}

// closing follows an account from its closing until everything has been removed for the last time.
func (w workModel) closing(i WorkItem, e Event) (WorkItem, bool) {
	switch d := e.Data.(type) {
	case account.Closed:
		return i.ready(WorkClose, d.At), true
	case account.Cleared:
		return i.ready(WorkClose, d.At.Add(w.clearAgain)), d.Round < lastRound
	default:
		return i, false
	}
}

// Files returns the movies of an account whose rendered files are still kept, those that are kept longest last: the files that wait
// for their end are on the work list. after names the last item of the page before, nil for the first page.
func (w *Work) Files(ctx context.Context, account domain.AccountID, after *WorkItem, limit int) ([]WorkItem, error) {
	q := Query{Index: indexTurns, Equal: []any{WorkExpire, WorkReady, string(account)}, Limit: min(limit, MaxPage)}
	if after != nil {
		q.After = []any{after.Due, after.ID}
	}
	return page[WorkItem](ctx, w.at, workModel{}.name(), q)
}
