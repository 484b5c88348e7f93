package projections

import (
	"context"
	"iter"
	"slices"
	"sync"
	"time"
)

// The limits of one read of the work list.
const (
	dueWindow = 64 // maximum of items read because they are due longest, whatever their accounts
	// When dueWindow items have been read, items of single accounts are read too, page by page, until this many
	// accounts have been read.
	turnAccounts = 64
)

// Work answers queries for the work list. Its results are hints and may be outdated: whoever acts on an item folds the stream. It
// is safe for concurrent use.
type Work struct {
	at *catalogue

	mu   sync.Mutex
	next map[string]string // for each kind and state, the account after which the next visit begins
}

// Candidates returns items of a kind that are due at now and not claimed: up to perAccount of each account, its oldest
// first. For WorkStop, it adds claimed items whose time has come.
//
// It reads a limited number of items, never the whole backlog. The items that are due longest are read first. When many
// are due, it adds the oldest items of some accounts, which take turns from call to call: so every account is reached in
// the end, however long another's queue is.
func (w *Work) Candidates(ctx context.Context, kind string, now time.Time, perAccount int) ([]WorkItem, error) {
	found := share{perAccount: perAccount, seen: make(map[string]bool), counts: make(map[string]int)}
	for _, state := range startable(kind) {
		window, err := page[WorkItem](ctx, w.at, workModel{}.name(), Query{
			Index: indexDue, Equal: []any{kind, state}, Range: Range{Max: now}, Limit: dueWindow,
		})
		if err != nil {
			return nil, err
		}
		found.add(window, now)
		if len(window) == dueWindow {
			if err := w.visit(ctx, kind, state, now, &found); err != nil {
				return nil, err
			}
		}
	}
	return found.items, nil
}

// share collects at most perAccount items of each account. Callers add the items of an account in one state oldest
// first. An item that is added twice, or is not due yet, is ignored.
type share struct {
	perAccount int
	items      []WorkItem
	seen       map[string]bool // items that were added, by id
	counts     map[string]int  // number of added items, by account
}

func (s *share) add(items []WorkItem, now time.Time) {
	for _, item := range items {
		if item.Due.After(now) || s.seen[item.ID] || s.counts[item.Account] >= s.perAccount {
			continue
		}
		s.seen[item.ID] = true
		s.counts[item.Account]++
		s.items = append(s.items, item)
	}
}

// visit adds the oldest items of some accounts to found, as far as they are due. The accounts take turns, in the order
// of their ids. Each call begins after the last account of the call before, and reads pages until it has read
// turnAccounts accounts, or the last of all. After the last of all accounts, the next call begins with the first one.
func (w *Work) visit(ctx context.Context, kind, state string, now time.Time, found *share) error {
	limit := min(found.perAccount, MaxPage)
	q := Query{Index: indexTurns, Equal: []any{kind, state}, Limit: limit}
	turn := kind + "/" + state
	w.mu.Lock()
	after := w.next[turn]
	w.mu.Unlock()
	for visited := 0; visited < turnAccounts; {
		if after != "" {
			q.After = []any{after}
		}
		items, err := page[WorkItem](ctx, w.at, workModel{}.name(), q)
		if err != nil {
			return err
		}
		shown := items
		if len(items) > 0 {
			shown = wholeAccounts(items, limit)
			visited += accountsIn(shown)
			after = shown[len(shown)-1].Account
			found.add(shown, now)
		}
		if len(items) < limit { // the last account was reached: the next visit begins with the first
			after = ""
			break
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next[turn] = after
	return nil
}

// accountsIn counts the accounts of items that are sorted by account.
func accountsIn(items []WorkItem) int {
	n, last := 0, ""
	for i, item := range items {
		if i == 0 || item.Account != last {
			n++
		}
		last = item.Account
	}
	return n
}

// startable returns the states in which an item can be due.
func startable(kind string) []string {
	if kind == WorkStop {
		return []string{WorkReady, WorkClaimed}
	}
	return []string{WorkReady}
}

// wholeAccounts removes the items of the last account from a full page of limit items, because more items of that
// account may be on the next page. A page with items of one account only stays as it is: the caller does not want more
// than limit items of one account in one visit.
func wholeAccounts(items []WorkItem, limit int) []WorkItem {
	last := items[len(items)-1].Account
	if len(items) < limit || items[0].Account == last {
		return items
	}
	return items[:slices.IndexFunc(items, func(i WorkItem) bool { return i.Account == last })]
}

// Claimed returns the items of a kind that workers have claimed.
func (w *Work) Claimed(ctx context.Context, kind string) ([]WorkItem, error) {
	var out []WorkItem
	for item, err := range w.all(ctx, kind, WorkClaimed) {
		if err != nil {
			return nil, err
		}
		out = append(out, item)
	}
	return out, nil
}

// all yields the items of a kind and state, by due time. An error is the last pair.
func (w *Work) all(ctx context.Context, kind, state string) iter.Seq2[WorkItem, error] {
	return func(yield func(WorkItem, error) bool) {
		q := Query{Index: indexDue, Equal: []any{kind, state}, Limit: MaxPage}
		for {
			items, err := page[WorkItem](ctx, w.at, workModel{}.name(), q)
			if err != nil {
				yield(WorkItem{}, err)
				return
			}
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			if len(items) < MaxPage {
				return
			}
			last := items[len(items)-1]
			q.After = []any{last.Due, last.ID}
		}
	}
}

// NextDue returns the earliest due time of the unclaimed items of a kind (of WorkStop, also of claimed ones), also when it
// is past, and false when there are no such items.
func (w *Work) NextDue(ctx context.Context, kind string) (time.Time, bool, error) {
	var next time.Time
	found := false
	for _, state := range startable(kind) {
		items, err := page[WorkItem](ctx, w.at, workModel{}.name(), Query{Index: indexDue, Equal: []any{kind, state}, Limit: 1})
		if err != nil {
			return time.Time{}, false, err
		}
		if len(items) > 0 && (!found || items[0].Due.Before(next)) {
			next, found = items[0].Due, true
		}
	}
	return next, found, nil
}
