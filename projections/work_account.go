package projections

import (
	"context"
	"time"

	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/key"
	"moviola/domain/ledger"
)

// The lines of work on accounts. A line of work is the first part of a work item's id. The account follows it.
const (
	lineOpening = "opening/"
	lineZero    = "zero/"
	linePurge   = "purge/"
	lineClose   = "close/"
)

// The kinds of work of accounts.
const (
	// the opening of an account lacks its first credits or first key; due when the request that opens the account must have ended
	WorkComplete = "complete"
	WorkZero     = "zero"  // decide to remove an account's files: due when its balance was zero for Config.ZeroRetention
	WorkPurge    = "purge" // open from ZeroBalancePurged until the files stored before that event are removed
	// remove the files of a closed account, and remove them once more after Config.ClearAgain: open until both are done
	WorkClose = "close"
)

const (
	// openingTime is the maximum time that a request needs to complete the opening of an account.
	openingTime = 10 * time.Second
	// lastRound is how many times the files of a closed account are removed. Design §6: repeated after a day.
	lastRound = 2
)

// accountTouched returns the ids of the work items that an event of an account, of its ledger or of its keys changes.
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

// ofAccount folds an event into an item of work on an account.
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

// opening folds an event into the work item that completes the opening of an account. The item is open until the account has
// its first key, the last step of its opening, or is closed.
func (workModel) opening(i WorkItem, e Event) (WorkItem, bool) {
	if d, ok := e.Data.(account.Opened); ok {
		return i.ready(WorkComplete, d.At.Add(openingTime)), true
	}
	return i, false
}

// zero folds an event into the work item of an account with a balance of zero. The item is due when the balance has
// been zero for Config.ZeroRetention. If the account gets credits before then, the item is closed. Decision 39.
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

// purge folds an event into the work item of a purge. The item is open until the files stored before ZeroBalancePurged are
// removed.
func (workModel) purge(i WorkItem, e Event) (WorkItem, bool) {
	if d, ok := e.Data.(ledger.ZeroBalancePurged); ok {
		return i.ready(WorkPurge, d.At), true
	}
	return i, false
}

// closing folds an event into the work item of a closed account. The item is open from the closing of the account until its files
// have been removed for the last time.
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

// Files returns a page of the work items that remove rendered files of an account, earliest expiry first: a movie has such
// an item as long as its rendered file exists. after is the last item of the previous page, nil for the first page.
func (w *Work) Files(ctx context.Context, account domain.AccountID, after *WorkItem, limit int) ([]WorkItem, error) {
	q := Query{Index: indexTurns, Equal: []any{WorkExpire, WorkReady, string(account)}, Limit: min(limit, MaxPage)}
	if after != nil {
		q.After = []any{after.Due, after.ID}
	}
	return page[WorkItem](ctx, w.at, workModel{}.name(), q)
}
