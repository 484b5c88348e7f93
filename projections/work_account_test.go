package projections_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/key"
	"moviola/domain/ledger"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/projections"
)

// accountEvent is the i-th event of the log, on alice's account, ledger or key.
func accountEvent(i int, data domain.Event) projections.Event {
	e := projections.Event{
		Category: account.StreamCategory, ID: string(alice), Account: alice, Data: data,
		Position: eventstore.Position{Commit: uint64(i + 1), Prepare: uint64(i + 1)},
	}
	switch data.(type) {
	case key.Issued:
		e.Category, e.ID = key.StreamCategory, "0123"
	case ledger.CreditsGranted, ledger.CreditsCharged, ledger.ZeroBalancePurged, ledger.Closed:
		e.Category = ledger.StreamCategory
	}
	return e
}

// TestWorkList_accounts: what an account leaves to do. The retention at zero is an hour in these tests, the second removal comes
// after half an hour.
func TestWorkList_accounts(t *testing.T) {
	t.Parallel()
	credits := int64(600)
	opened := account.Opened{Name: "A", Plan: "free", Credits: &credits, At: minute(0)}
	first := key.Issued{Account: alice, First: true, At: minute(1)}
	another := key.Issued{Account: alice, At: minute(1)}
	spent := ledger.CreditsCharged{Project: "p", Amount: 5, Zero: true, At: minute(2)}
	some := ledger.CreditsCharged{Project: "q", Amount: 5, At: minute(2)}
	topUp := ledger.CreditsGranted{Reference: "x", Amount: 1, At: minute(3)}
	purged := ledger.ZeroBalancePurged{Since: minute(2), At: minute(70)}
	cleared := account.Cleared{Reason: account.Purged, Round: 1, At: minute(71)}
	closed := account.Closed{At: minute(80)}
	round := func(n int) account.Cleared {
		return account.Cleared{Reason: account.Departure, Round: n, At: minute(81)}
	}
	onCounted := account.PlanChanged{Change: 1, Plan: "counted", Counted: true, At: minute(4)}
	onPaid := account.PlanChanged{Change: 1, Plan: "paid", At: minute(4)}
	offCounted := account.PlanChanged{Change: 2, Plan: "paid", Zero: true, At: minute(5)}
	ready := func(kind string, due time.Time) projections.WorkItem {
		return projections.WorkItem{Kind: kind, State: "ready", Due: due}
	}
	type items = map[string]projections.WorkItem
	opening := items{"opening/": ready("complete", minute(0).Add(10*time.Second))}
	clock := items{"zero/": ready("zero", minute(62))}
	tests := []struct {
		name  string
		given []domain.Event
		want  items
	}{
		{"opened", []domain.Event{opened}, opening},
		{"opened and granted", []domain.Event{opened, topUp}, opening},
		{"opened, with a key of another kind", []domain.Event{opened, another}, opening},
		{"complete", []domain.Event{opened, topUp, first}, items{}},
		{"opened in the first logs", []domain.Event{account.Opened{Name: "A", At: minute(0)}}, items{}},
		{"at zero", []domain.Event{spent}, clock},
		{"not at zero", []domain.Event{some}, items{}},
		{"topped up", []domain.Event{spent, topUp}, items{}},
		{"at zero again", []domain.Event{topUp, spent, topUp, spent}, clock},
		{"at zero, on another plan with credits", []domain.Event{spent, onPaid}, clock},
		{"at zero, on a plan without credits", []domain.Event{spent, onCounted}, items{}},
		{"back from it", []domain.Event{spent, onCounted, offCounted}, items{"zero/": ready("zero", minute(65))}},
		{"purged", []domain.Event{spent, purged}, items{"purge/": ready("purge", minute(70))}},
		{"purged and topped up", []domain.Event{spent, purged, topUp}, items{"purge/": ready("purge", minute(70))}},
		{"purged and removed", []domain.Event{spent, purged, cleared}, items{}},
		{"closed", []domain.Event{closed}, items{"close/": ready("close", minute(80))}},
		{"closed before its opening was complete", []domain.Event{opened, closed}, items{"close/": ready("close", minute(80))}},
		{"closed while a purge is at work", []domain.Event{spent, purged, closed}, items{"close/": ready("close", minute(80))}},
		{"closed at zero", []domain.Event{spent, closed, ledger.Closed{At: minute(80)}}, items{"close/": ready("close", minute(80))}},
		{"removed once", []domain.Event{closed, round(1)}, items{"close/": ready("close", minute(111))}},
		{"removed twice", []domain.Event{closed, round(1), round(2)}, items{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := items{}
			for line, item := range tt.want {
				item.ID, item.Subject, item.Account = line+string(alice), string(alice), string(alice)
				want[item.ID] = item
			}
			list := projections.NewWorkList(renderTimeout, abandonAfter, fileRetention)
			for range 2 { // a projector that is behind applies them all again
				for i, e := range tt.given {
					list.Apply(accountEvent(i, e))
				}
				if diff := cmp.Diff(want, list.Open(), cmpopts.IgnoreFields(projections.WorkItem{}, "Commit", "Prepare")); diff != "" {
					t.Errorf("work (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// TestWork_Files lists the files of one account that are still kept, in pages.
func TestWork_Files(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	models := w.open(t)
	start(t, models)
	var last eventstore.Appended
	var want []string
	for n := range 7 {
		owner := alice
		if n == 3 {
			owner = bob
		}
		events := []domain.Event{submitted(owner, minute(n)), movie.RenderStarted{Attempt: 1, Worker: "w", At: minute(n)},
			movie.RenderFinished{Attempt: 1, Worker: "w", Success: true, File: &movie.File{Key: "k"}, At: minute(n)}}
		if n == 5 {
			events = append(events, movie.FileDeleted{Reason: movie.ByUser, At: minute(n)})
		}
		var err error
		last, err = w.log.Append(t.Context(), movie.Stream(project(n)), eventstore.NoStream, eventstore.Meta{Account: owner, Time: minute(n)}, events...)
		if err != nil {
			t.Fatal(err)
		}
		if n != 3 && n != 5 {
			want = append(want, string(project(n)))
		}
	}
	waitFor(t, models, last)
	var got []string
	var after *projections.WorkItem
	for {
		page, err := models.Work.Files(t.Context(), alice, after, 2)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		for _, item := range page {
			got = append(got, item.Subject)
		}
		after = &page[len(page)-1]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}
