package ledger_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/ledger"
)

const batch = domain.PreloadID("bbbbbbbbbbbbbbb1")

func TestLedger_HoldItems(t *testing.T) {
	t.Parallel()
	first, second := ledger.Item(batch, 0), ledger.Item(batch, 2)
	needed := func(need, have string) error {
		return domain.Errorf(domain.PaymentRequired, "insufficient_asset_credits",
			"Insufficient credits to generate the AI assets of this batch: %s are needed, %s are available", need, have)
	}
	tests := []struct {
		name  string
		given []domain.Event
		items []ledger.ItemAmount
		want  []domain.Event
		err   error
	}{
		{"each item by itself", history(granted(30)), []ledger.ItemAmount{{0, 10}, {1, 0}, {2, 20}},
			history(held(first, 10), held(second, 20)), nil},
		{"all or none", history(granted(29)), []ledger.ItemAmount{{0, 10}, {2, 20}}, nil, needed("30", "29")},
		{"never had credits", nil, []ledger.ItemAmount{{0, 1}}, nil, needed("1", "0")},
		{"all spent", history(granted(5), held(p1, 5), charged(p1, 5)), []ledger.ItemAmount{{0, 1}}, nil, needed("1", "0")},
		{"nothing costs, and nothing is there", nil, []ledger.ItemAmount{{0, 0}}, nil, nil},
		{"no items", history(granted(5)), nil, nil, nil},
		{"again", history(granted(30), held(first, 10), held(second, 20)), []ledger.ItemAmount{{0, 10}, {2, 20}}, nil, nil},
		{"the rest of it", history(granted(30), held(first, 10)), []ledger.ItemAmount{{0, 10}, {2, 20}}, history(held(second, 20)), nil},
		{"after its end", history(granted(30), held(first, 10), released(first, 10)), []ledger.ItemAmount{{0, 10}}, nil, ledger.ErrHoldEnded},
		{"below zero", history(granted(30)), []ledger.ItemAmount{{0, -1}}, nil, errMistake},
		{"of a closed account", history(granted(30), ledger.Closed{At: t0}), []ledger.ItemAmount{{0, 1}}, nil,
			domain.Errorf(domain.Forbidden, "account_closed", "This account is closed")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := given(tt.given...).HoldItems(batch, tt.items, t0)
			check(t, tt.want, tt.err, got, err)
		})
	}
}

// TestItem_settled: an item is charged or released as a movie is, apart from the others of its batch.
func TestItem_settled(t *testing.T) {
	t.Parallel()
	first, second := ledger.Item(batch, 0), ledger.Item(batch, 1)
	l := given(granted(30), held(first, 10), held(second, 20))
	events, err := l.Charge(first, t0)
	check(t, history(charged(first, 10)), nil, events, err)
	l.Apply(events[0])
	events, err = l.Release(second, "cached", t0)
	check(t, history(ledger.CreditsReleased{Project: second, Amount: 20, Reason: "cached", At: t0}), nil, events, err)
	l.Apply(events[0])
	want := ledger.Totals{Granted: 30, Charged: 10, Balance: 20, Available: 20, EverGranted: true}
	if diff := cmp.Diff(want, l.Totals()); diff != "" {
		t.Errorf("totals (-want +got):\n%s", diff)
	}
}

func TestParseItem(t *testing.T) {
	t.Parallel()
	if preload, number, ok := ledger.ParseItem(ledger.Item(batch, 12)); preload != batch || number != 12 || !ok {
		t.Errorf("%s, %d, %v", preload, number, ok)
	}
	for _, subject := range []domain.ProjectID{p1, "", "a/", "a/x", "a/-1", "a/01"} {
		if _, _, ok := ledger.ParseItem(subject); ok {
			t.Errorf("%q is taken for an item", subject)
		}
	}
}

func TestLedger_Purge(t *testing.T) {
	t.Parallel()
	const month = 30 * 24 * time.Hour
	later := func(d time.Duration) time.Time { return t0.Add(d) }
	spent := history(granted(5), held(p1, 5), charged(p1, 5))
	purgedAt := func(since, at time.Time) ledger.ZeroBalancePurged {
		return ledger.ZeroBalancePurged{Since: since, At: at}
	}
	tests := []struct {
		name      string
		given     []domain.Event
		from, now time.Time
		want      []domain.Event
	}{
		{"after 30 days", spent, t0.Add(-month), later(month), history(purgedAt(t0, later(month)))},
		{"a moment before", spent, t0.Add(-month), later(month - 1), nil},
		{"on credits since yesterday only", spent, later(time.Hour), later(month), nil},
		{"counted from then on", spent, later(time.Hour), later(time.Hour + month), history(purgedAt(later(time.Hour), later(time.Hour+month)))},
		{"never had any", nil, t0, later(month), history(purgedAt(t0, later(month)))},
		{"some left", history(granted(6), held(p1, 5), charged(p1, 5)), t0, later(month), nil},
		{"some held, none charged", history(granted(5), held(p1, 5)), t0, later(month), nil},
		{"topped up", append(spent, ledger.CreditsGranted{Reference: "more", Amount: 1, At: t0}), t0, later(month), nil},
		{"again", append(spent, purgedAt(t0, later(month))), t0, later(2 * month), nil},
		{"topped up and spent again", append(spent, purgedAt(t0, later(month)), ledger.CreditsGranted{Reference: "more", Amount: 1, At: t0},
			held(p2, 1), ledger.CreditsCharged{Project: p2, Amount: 1, At: later(2 * month)}), t0, later(3 * month),
			history(purgedAt(later(2*month), later(3*month)))},
		{"closed", append(spent, ledger.Closed{At: t0}), t0, later(month), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			check(t, tt.want, nil, given(tt.given...).Purge(tt.from, month, tt.now), nil)
		})
	}
}

func TestLedger_Close(t *testing.T) {
	t.Parallel()
	l := given(granted(20), held(p1, 5))
	check(t, history(ledger.Closed{At: t0}), nil, l.Close(t0), nil)
	l.Apply(ledger.Closed{At: t0})
	check(t, nil, nil, l.Close(t0), nil)

	refused := domain.Errorf(domain.Forbidden, "account_closed", "This account is closed")
	events, err := l.Hold(p2, 1, t0)
	check(t, nil, refused, events, err)
	events, err = l.Count(p2, false, quota, t0)
	check(t, nil, refused, events, err)
	events, err = l.Grant("more", "", 5, t0)
	check(t, nil, domain.Errorf(domain.Conflict, "account_closed", "This account is closed"), events, err)
	events, err = l.Grant("opening", "", 20, t0) // the same grant is still the same
	check(t, nil, nil, events, err)

	if diff := cmp.Diff([]domain.ProjectID{p1}, l.OpenSubjects()); diff != "" {
		t.Errorf("open (-want +got):\n%s", diff)
	}
	events, err = l.Charge(p1, t0)
	check(t, history(charged(p1, 5)), nil, events, err)
}

// TestCharge_zero: the charge that brings the balance to zero says so; the clock of the 30 days starts with it.
func TestCharge_zero(t *testing.T) {
	t.Parallel()
	l := given(granted(5), held(p1, 3), held(p2, 2))
	events, err := l.Charge(p1, t0)
	check(t, history(charged(p1, 3)), nil, events, err)
	l.Apply(events[0])
	if _, zero := l.ZeroSince(); zero {
		t.Error("the clock runs")
	}
	events, err = l.Charge(p2, t0)
	check(t, history(ledger.CreditsCharged{Project: p2, Amount: 2, Zero: true, At: t0}), nil, events, err)
	l.Apply(events[0])
	if since, zero := l.ZeroSince(); !zero || !since.Equal(t0) {
		t.Errorf("zero since %s, %v", since, zero)
	}
}
