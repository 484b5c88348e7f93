package projections_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/ledger"
	"moviola/domain/operator"
	"moviola/projections"
)

// statement is a ledger with an event of every type.
var statement = []domain.Event{
	ledger.CreditsGranted{Reference: "opening", Kind: "pack", Amount: 600, At: minute(0)},
	ledger.CreditsHeld{Project: "p", Amount: 5, At: minute(1)},
	ledger.CreditsHeld{Project: "batch/0", Amount: 10, At: minute(1)},
	ledger.CreditsHoldChanged{Project: "p", Attempt: 1, Before: 5, Amount: 3, At: minute(2)},
	ledger.CreditsCharged{Project: "p", Amount: 3, At: minute(3)},
	ledger.CreditsReleased{Project: "batch/0", Amount: 10, Reason: "cached", At: minute(3)},
	ledger.MovieCounted{Project: "q", Period: "2026-03", At: minute(4)},
	ledger.DraftCounted{Project: "r", Period: "2026-03", At: minute(4)},
	ledger.CountKept{Project: "q", At: minute(5)},
	ledger.CountReleased{Project: "r", Period: "2026-03", Draft: true, Reason: "failed", At: minute(5)},
	ledger.ZeroBalancePurged{Since: minute(3), At: minute(6)},
	ledger.Closed{At: minute(7)},
}

func TestStatements_Page(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	models := w.open(t)
	start(t, models)
	w.append(t, ledger.Stream(bob), ledger.CreditsGranted{Reference: "opening", Amount: 1, At: minute(2)})
	waitFor(t, models, w.append(t, ledger.Stream(alice), statement...))
	entry := func(n int, e projections.Entry) projections.Entry {
		e.Account, e.Number, e.Event = string(alice), int64(n), statement[n].EventType()
		return e
	}
	want := []projections.Entry{ // the newest first
		entry(11, projections.Entry{At: minute(7)}),
		entry(10, projections.Entry{At: minute(6)}),
		entry(9, projections.Entry{At: minute(5), Subject: "r", Period: "2026-03", Draft: true, Reason: "failed"}),
		entry(8, projections.Entry{At: minute(5), Subject: "q"}),
		entry(7, projections.Entry{At: minute(4), Subject: "r", Period: "2026-03", Draft: true}),
		entry(6, projections.Entry{At: minute(4), Subject: "q", Period: "2026-03"}),
		entry(5, projections.Entry{At: minute(3), Subject: "batch/0", Amount: 10, Held: -10, Reason: "cached"}),
		entry(4, projections.Entry{At: minute(3), Subject: "p", Amount: 3, Held: -3, Charged: 3}),
		entry(3, projections.Entry{At: minute(2), Subject: "p", Amount: 3, Held: -2}),
		entry(2, projections.Entry{At: minute(1), Subject: "batch/0", Amount: 10, Held: 10}),
		entry(1, projections.Entry{At: minute(1), Subject: "p", Amount: 5, Held: 5}),
		entry(0, projections.Entry{At: minute(0), Subject: "opening", Amount: 600, Granted: 600, Kind: "pack"}),
	}
	for _, limit := range []int{1, 5, 12, 1000} {
		if diff := cmp.Diff(want, pagesOf(t, models, projections.StatementQuery{Account: alice, Limit: limit}), cmpopts.IgnoreFields(projections.Entry{}, "ID")); diff != "" {
			t.Errorf("pages of %d (-want +got):\n%s", limit, diff)
		}
	}
	between := projections.StatementQuery{Account: alice, From: minute(3), To: minute(4), Limit: 3}
	if diff := cmp.Diff(want[4:8], pagesOf(t, models, between), cmpopts.IgnoreFields(projections.Entry{}, "ID")); diff != "" {
		t.Errorf("a range (-want +got):\n%s", diff)
	}
	// The entries say all that the balance does.
	balance, err := models.Balances.Get(t.Context(), alice)
	if err != nil {
		t.Fatal(err)
	}
	var granted, held, charged int64
	for _, e := range want {
		granted, held, charged = granted+e.Granted, held+e.Held, charged+e.Charged
	}
	if balance.Granted != granted || balance.Held != held || balance.Charged != charged || !balance.Closed {
		t.Errorf("balance %+v, entries come to %d, %d, %d", balance, granted, held, charged)
	}
}

// pagesOf reads every page.
func pagesOf(t *testing.T, models *projections.ReadModels, q projections.StatementQuery) []projections.Entry {
	t.Helper()
	var all []projections.Entry
	for {
		entries, more, err := models.Statements.Page(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, entries...)
		if !more {
			return all
		}
		cursor := entries[len(entries)-1].Cursor()
		q.After = &cursor
	}
}

func TestActs_Page(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	models := w.open(t)
	start(t, models)
	act := func(id, on string, at time.Time) operator.Acted {
		return operator.Acted{ID: id, Who: "anna", Act: "grant credits", On: on, How: "50", At: at}
	}
	march, april := t0, t0.AddDate(0, 1, 0)
	w.append(t, operator.Stream(march), act("a", "alice", march), act("b", "bob", march.Add(time.Minute)))
	waitFor(t, models, w.append(t, operator.Stream(april), act("c", "alice", april)))
	waitFor(t, models, w.append(t, operator.Stream(march), act("a", "alice", march).Refuse("Account alice not found")))
	list := func(q projections.ActQuery) (ids string) {
		for {
			acts, more, err := models.Acts.Page(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range acts {
				ids += a.ID
				if (a.Refused != "") != (a.ID == "a") {
					t.Errorf("act %s is refused: %q", a.ID, a.Refused)
				}
			}
			if !more {
				return ids
			}
			cursor := acts[len(acts)-1].Cursor()
			q.After = &cursor
		}
	}
	if got := list(projections.ActQuery{Limit: 1}); got != "cba" {
		t.Errorf("acts %q", got)
	}
	if got := list(projections.ActQuery{On: "alice", Limit: 1}); got != "ca" {
		t.Errorf("acts on alice %q", got)
	}
	acts, _, err := models.Acts.Page(t.Context(), projections.ActQuery{On: "bob", Limit: 10})
	want := []projections.Act{{ID: "b", Who: "anna", Act: "grant credits", On: "bob", How: "50", At: march.Add(time.Minute)}}
	if diff := cmp.Diff(want, acts); diff != "" || err != nil {
		t.Errorf("%v, acts on bob (-want +got):\n%s", err, diff)
	}
}

func TestAccounts_Page(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	models := w.open(t)
	start(t, models)
	w.append(t, account.Stream(bob), account.Opened{Name: "Bob", Plan: "free", At: minute(0)}, account.PlanChanged{Change: 1, Plan: "paid", At: minute(1)})
	waitFor(t, models, w.append(t, account.Stream(alice), account.Opened{Name: "Alice", Plan: "free", At: minute(2)},
		account.Closed{At: minute(3)}, account.Cleared{Reason: account.Departure, Round: 1, At: minute(4)}))
	closed, cleared := minute(3), minute(4)
	want := []projections.Account{
		{Account: string(bob), Revision: 1, Name: "Bob", Plan: "paid", OpenedAt: minute(0)},
		{Account: string(alice), Revision: 2, Name: "Alice", Plan: "free", OpenedAt: minute(2), ClosedAt: &closed, ClearedAt: &cleared},
	}
	var got []projections.Account
	q := projections.AccountQuery{Limit: 1}
	for {
		accounts, more, err := models.Accounts.Page(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, accounts...)
		if !more {
			break
		}
		cursor := accounts[len(accounts)-1].Cursor()
		q.After = &cursor
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("accounts (-want +got):\n%s", diff)
	}
}
