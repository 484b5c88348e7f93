package ledger_test

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"moviola/domain"
	"moviola/domain/ledger"
	_ "moviola/tests/property"
)

// exported lets cmp look into the ledger's own types.
func exported(t reflect.Type) bool { return t.PkgPath() == "moviola/domain/ledger" }

// books is a second, simpler account of the same events: what the ledger's sums have to agree with.
type books struct {
	granted  int64
	held     map[domain.ProjectID]int64
	outcomes map[domain.ProjectID][]domain.Event
	grants   map[string]int
	counted  map[domain.ProjectID]bool // open counts, true: of a draft
	used     [2]int64                  // movies and drafts of the one month of this test
	closed   bool
}

// record enters one event and complains about what no ledger may hold.
func (b *books) record(t *rapid.T, event domain.Event) {
	b.afterClose(t, event)
	switch e := event.(type) {
	case ledger.CreditsGranted:
		b.granted += e.Amount
		b.grants[e.Reference]++
		if b.grants[e.Reference] > 1 {
			t.Fatalf("%s granted twice", e.Reference)
		}
	case ledger.CreditsHeld:
		if _, held := b.held[e.Project]; held || len(b.outcomes[e.Project]) > 0 {
			t.Fatalf("%s held twice", e.Project)
		}
		b.held[e.Project] = e.Amount
	case ledger.CreditsHoldChanged:
		if e.Before != b.held[e.Project] {
			t.Fatalf("%s changed from %d, but %d are held", e.Project, e.Before, b.held[e.Project])
		}
		b.held[e.Project] = e.Amount
	case ledger.MovieCounted:
		b.count(t, e.Project, false)
	case ledger.DraftCounted:
		b.count(t, e.Project, true)
	case ledger.CountKept:
		b.endCount(t, e.Project, event)
	case ledger.CountReleased:
		b.used[index(b.counted[e.Project])]--
		if b.counted[e.Project] != e.Draft {
			t.Fatalf("%s released as something else", e.Project)
		}
		b.endCount(t, e.Project, event)
	case ledger.CreditsCharged:
		b.end(t, e.Project, e.Amount, event)
	case ledger.CreditsReleased:
		b.end(t, e.Project, e.Amount, event)
	}
}

// afterClose complains about what a closed ledger may not do any more.
func (b *books) afterClose(t *rapid.T, event domain.Event) {
	switch event.(type) {
	case ledger.CreditsGranted, ledger.CreditsHeld, ledger.MovieCounted, ledger.DraftCounted, ledger.ZeroBalancePurged, ledger.Closed:
		if b.closed {
			t.Fatalf("%s after the end of the ledger", event.EventType())
		}
	}
	_, closes := event.(ledger.Closed)
	b.closed = b.closed || closes
}

// quota is small, so that it is met.
var quota = ledger.Quota{Movies: 3, Drafts: 2}

func index(draft bool) int {
	if draft {
		return 1
	}
	return 0
}

func (b *books) count(t *rapid.T, p domain.ProjectID, draft bool) {
	_, counted := b.counted[p]
	_, held := b.held[p]
	if counted || held || len(b.outcomes[p]) > 0 {
		t.Fatalf("%s counted twice, or held too", p)
	}
	b.counted[p] = draft
	b.used[index(draft)]++
	if b.used[0] > quota.Movies || b.used[1] > quota.Drafts {
		t.Fatalf("used %v of %v", b.used, quota)
	}
}

func (b *books) endCount(t *rapid.T, p domain.ProjectID, event domain.Event) {
	if _, open := b.counted[p]; !open || len(b.outcomes[p]) > 0 {
		t.Fatalf("%s ends a count that is not open", p)
	}
	delete(b.counted, p)
	b.outcomes[p] = append(b.outcomes[p], event)
}

func (b *books) end(t *rapid.T, p domain.ProjectID, amount int64, event domain.Event) {
	if held, ok := b.held[p]; !ok || held != amount {
		t.Fatalf("%s ends with %d, but %d are held", p, amount, held)
	}
	delete(b.held, p)
	b.outcomes[p] = append(b.outcomes[p], event)
	if len(b.outcomes[p]) != 1 {
		t.Fatalf("%s has outcomes %v", p, b.outcomes[p])
	}
}

// agree checks conservation and non-negativity.
func (b *books) agree(t *rapid.T, l *ledger.Ledger) {
	var held, charged int64
	for _, amount := range b.held {
		held += amount
	}
	for _, outcomes := range b.outcomes {
		if e, ok := outcomes[0].(ledger.CreditsCharged); ok {
			charged += e.Amount
		}
	}
	want := ledger.Totals{Granted: b.granted, Charged: charged, Held: held, Balance: b.granted - charged,
		Available: b.granted - charged - held, EverGranted: b.granted > 0, Closed: b.closed}
	if got := l.Totals(); got != want {
		t.Fatalf("totals %+v, want %+v", got, want)
	}
	if want.Available < 0 || want.Balance < 0 || want.Held < 0 {
		t.Fatalf("negative: %+v", want)
	}
}

// command draws one command and lets the ledger decide it.
func command(t *rapid.T, l *ledger.Ledger, now time.Time) []domain.Event {
	project := domain.ProjectID(fmt.Sprintf("project%d", rapid.IntRange(0, 7).Draw(t, "project")))
	if rapid.IntRange(0, 4).Draw(t, "item") == 0 {
		project = ledger.Item("batch1", rapid.IntRange(0, 1).Draw(t, "number"))
	}
	amount := rapid.Int64Range(-2, 30).Draw(t, "amount")
	var events []domain.Event
	switch rapid.SampledFrom([]string{"grant", "hold", "hold", "change", "change", "charge", "release", "count", "count", "settle", "settle", "items", "purge", "close"}).Draw(t, "command") {
	case "grant":
		reference := rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(t, "reference")
		events, _ = l.Grant(reference, "", amount, now)
	case "hold":
		events, _ = l.Hold(project, amount, now)
	case "change":
		events, _ = l.ChangeHold(project, rapid.IntRange(0, 3).Draw(t, "attempt"), amount, now)
	case "items":
		preload := domain.PreloadID(rapid.SampledFrom([]string{"batch1", "batch2"}).Draw(t, "preload"))
		events, _ = l.HoldItems(preload, []ledger.ItemAmount{{Number: 0, Amount: amount}, {Number: 1, Amount: 2}}, now)
	case "purge":
		events = l.Purge(t0, 3*time.Minute, now)
	case "close":
		if rapid.IntRange(0, 9).Draw(t, "meant") == 0 { // seldom: little happens afterwards
			events = l.Close(now)
		}
	case "charge":
		events, _ = l.Charge(project, now)
	case "release":
		events, _ = l.Release(project, "failed", now)
	case "count":
		events, _ = l.Count(project, rapid.Bool().Draw(t, "draft"), quota, now)
	case "settle":
		how := rapid.SampledFrom([]ledger.Ending{ledger.GiveBack, ledger.Spend, ledger.KeepOnly}).Draw(t, "ending")
		events, _ = l.Settle(project, how, "failed", now)
	}
	return events
}

// sequences sets how many sequences of commands a test runs: 20,000, or a million where there is time.
func sequences(t *testing.T) {
	t.Helper()
	count := "20000"
	if os.Getenv("MOVIOLA_TEST_LONG") != "" {
		count = "1000000"
	}
	before := flag.Lookup("rapid.checks").Value.String()
	if err := flag.Set("rapid.checks", count); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := flag.Set("rapid.checks", before); err != nil {
			t.Error(err)
		}
	})
}

// TestLedger_invariants runs random commands and checks, after every single event: credits are neither made nor lost, nothing
// is ever negative, a project is held or counted once and each hold or count has at most one outcome, of exactly its amount,
// and no quota is exceeded. Refused commands change nothing, and the history folds to the same ledger again.
func TestLedger_invariants(t *testing.T) { // not in parallel: it sets how often all properties are checked
	sequences(t)
	rapid.Check(t, func(t *rapid.T) {
		l, b := ledger.New(), &books{
			held:     make(map[domain.ProjectID]int64),
			outcomes: make(map[domain.ProjectID][]domain.Event),
			grants:   make(map[string]int),
			counted:  make(map[domain.ProjectID]bool),
		}
		var all []domain.Event
		now := t0
		for range rapid.IntRange(1, 60).Draw(t, "commands") {
			now = now.Add(time.Minute)
			for _, event := range command(t, l, now) {
				l.Apply(event)
				b.record(t, event)
				b.agree(t, l)
				all = append(all, event)
			}
			b.agree(t, l)
		}
		if !reflect.DeepEqual(given(all...), l) {
			t.Fatal("the history folds to another ledger")
		}
	})
}
