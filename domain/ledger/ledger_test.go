package ledger_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/ledger"
)

var t0 = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

const (
	p1 = domain.ProjectID("aaaaaaaaaaaaaaa1")
	p2 = domain.ProjectID("aaaaaaaaaaaaaaa2")
)

func granted(amount int64) ledger.CreditsGranted {
	return ledger.CreditsGranted{Reference: "opening", Amount: amount, At: t0}
}

func held(p domain.ProjectID, amount int64) ledger.CreditsHeld {
	return ledger.CreditsHeld{Project: p, Amount: amount, At: t0}
}

func changed(p domain.ProjectID, attempt int, before, amount int64) ledger.CreditsHoldChanged {
	return ledger.CreditsHoldChanged{Project: p, Attempt: attempt, Before: before, Amount: amount, At: t0}
}

func charged(p domain.ProjectID, amount int64) ledger.CreditsCharged {
	return ledger.CreditsCharged{Project: p, Amount: amount, At: t0}
}

func released(p domain.ProjectID, amount int64) ledger.CreditsReleased {
	return ledger.CreditsReleased{Project: p, Amount: amount, Reason: "failed", At: t0}
}

func given(events ...domain.Event) *ledger.Ledger {
	l := ledger.New()
	for _, event := range events {
		l.Apply(event)
	}
	return l
}

func history(events ...domain.Event) []domain.Event { return events }

// The refusals that a client reads. Spec: Errors, POST /movies; decision 16.
var (
	neverHadAny = domain.Errorf(domain.QuotaExceeded, "not_enough_credits", "The account does not have enough credits. Add credits to continue.")
	suspended   = domain.Errorf(domain.Forbidden, "account_suspended",
		"account_suspended: All credits of this account have been used. Add credits to lift the suspension.")
	insufficient = domain.Errorf(domain.Invalid, "insufficient_credits", "Insufficient credits")
	errMistake   = errors.New("a mistake of the caller")
)

// check compares what was decided with what was wanted: events, a refusal, a sentinel, or any mistake.
func check(t *testing.T, want []domain.Event, wantErr error, got []domain.Event, err error) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	var wantRefusal, refusal *domain.Error
	isRefusal := errors.As(err, &refusal)
	switch {
	case errors.As(wantErr, &wantRefusal) && isRefusal:
		if diff := cmp.Diff(wantRefusal, refusal); diff != "" {
			t.Errorf("refusal (-want +got):\n%s", diff)
		}
	case wantErr == errMistake:
		if err == nil || isRefusal {
			t.Errorf("error %v, want a mistake that no client reads", err)
		}
	case !errors.Is(err, wantErr):
		t.Errorf("error %v, want %v", err, wantErr)
	}
}

func TestLedger_Grant(t *testing.T) {
	t.Parallel()
	refused := domain.Errorf(domain.Invalid, "credits_invalid", "credits must be a whole number from 1 to 1000000000")
	tests := []struct {
		name      string
		given     []domain.Event
		reference string
		amount    int64
		want      []domain.Event
		err       error
	}{
		{name: "first", reference: "opening", amount: 600,
			want: history(ledger.CreditsGranted{Reference: "opening", Kind: "pack", Amount: 600, At: t0})},
		{name: "another", given: history(granted(600)), reference: "pack-1", amount: 1,
			want: history(ledger.CreditsGranted{Reference: "pack-1", Kind: "pack", Amount: 1, At: t0})},
		{name: "the same again", given: history(granted(600)), reference: "opening", amount: 600},
		{name: "the same reference, another amount", given: history(granted(600)), reference: "opening", amount: 1},
		{name: "none", reference: "zero", amount: 0, err: refused},
		{name: "negative", given: history(granted(600)), reference: "minus", amount: -600, err: refused},
		{name: "absurd", reference: "all", amount: 1_000_000_001, err: refused},
		{name: "no reference", amount: 1, err: domain.Errorf(domain.Invalid, "reference_required", "reference is required")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := given(tt.given...).Grant(tt.reference, "pack", tt.amount, t0)
			check(t, tt.want, tt.err, got, err)
		})
	}
}

// TestLedger_Hold. Decision 16: suspension is decided on the balance, not on what is available.
func TestLedger_Hold(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		given  []domain.Event
		amount int64
		want   []domain.Event
		err    error
	}{
		{name: "less than there is", given: history(granted(10)), amount: 9, want: history(held(p1, 9))},
		{name: "all there is", given: history(granted(10)), amount: 10, want: history(held(p1, 10))},
		{name: "one more than there is", given: history(granted(10)), amount: 11, err: insufficient},
		{name: "never had any", amount: 1, err: neverHadAny},
		{name: "all spent", given: history(granted(10), held(p2, 10), charged(p2, 10)), amount: 1, err: suspended},
		{name: "all held, none spent: not suspended", given: history(granted(10), held(p2, 10)), amount: 1, err: insufficient},
		{name: "the rest is held", given: history(granted(10), held(p2, 4)), amount: 7, err: insufficient},
		{name: "a released hold is available", given: history(granted(10), held(p2, 10), released(p2, 10)), amount: 10, want: history(held(p1, 10))},
		{name: "a grant lifts the suspension", amount: 1,
			given: history(granted(10), held(p2, 10), charged(p2, 10), ledger.CreditsGranted{Reference: "more", Amount: 1, At: t0}),
			want:  history(held(p1, 1))},
		{name: "held already", given: history(granted(10), held(p1, 9)), amount: 9},
		{name: "charged already", given: history(granted(10), held(p1, 1), charged(p1, 1)), amount: 1, err: ledger.ErrHoldEnded},
		{name: "released already", given: history(granted(10), held(p1, 1), released(p1, 1)), amount: 1, err: ledger.ErrHoldEnded},
		{name: "nothing", given: history(granted(10)), amount: 0, err: errMistake},
		{name: "negative", given: history(granted(10)), amount: -1, err: errMistake},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := given(tt.given...).Hold(p1, tt.amount, t0)
			check(t, tt.want, tt.err, got, err)
		})
	}
}

func TestLedger_ChangeHold(t *testing.T) {
	t.Parallel()
	open := history(granted(10), held(p1, 4))
	tests := []struct {
		name    string
		given   []domain.Event
		attempt int
		amount  int64
		want    []domain.Event
		err     error
	}{
		{name: "more", given: open, attempt: 1, amount: 9, want: history(changed(p1, 1, 4, 9))},
		{name: "all there is", given: open, attempt: 1, amount: 10, want: history(changed(p1, 1, 4, 10))},
		{name: "more than there is", given: open, attempt: 1, amount: 11, err: insufficient},
		{name: "less", given: open, attempt: 1, amount: 1, want: history(changed(p1, 1, 4, 1))},
		{name: "less, although others hold the rest", given: append(open, held(p2, 6)), attempt: 1, amount: 3, want: history(changed(p1, 1, 4, 3))},
		{name: "the same", given: open, attempt: 1, amount: 4},
		{name: "the same in a later attempt keeps earlier ones out", given: open, attempt: 2, amount: 4, want: history(changed(p1, 2, 4, 4))},
		{name: "again in the same attempt", given: append(open, changed(p1, 1, 4, 9)), attempt: 1, amount: 9},
		{name: "another amount in the same attempt", given: append(open, changed(p1, 1, 4, 9)), attempt: 1, amount: 8, err: ledger.ErrStale},
		{name: "a lower attempt than the last", given: append(open, changed(p1, 2, 4, 9)), attempt: 1, amount: 5, err: ledger.ErrStale},
		{name: "a lower attempt, the same amount", given: append(open, changed(p1, 2, 4, 9)), attempt: 1, amount: 9, err: ledger.ErrStale},
		{name: "charged", given: append(open, charged(p1, 4)), attempt: 1, amount: 5, err: ledger.ErrHoldEnded},
		{name: "released", given: append(open, released(p1, 4)), attempt: 1, amount: 5, err: ledger.ErrHoldEnded},
		{name: "never held", given: history(granted(10)), attempt: 1, amount: 5, err: ledger.ErrNoHold},
		{name: "to nothing", given: open, attempt: 1, amount: 0, err: errMistake},
		{name: "no attempt", given: open, attempt: 0, amount: 5, err: errMistake},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := given(tt.given...).ChangeHold(p1, tt.attempt, tt.amount, t0)
			check(t, tt.want, tt.err, got, err)
		})
	}
}

func TestLedger_Charge(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		given []domain.Event
		want  []domain.Event
		err   error
	}{
		{name: "the amount held", given: history(granted(10), held(p1, 4)), want: history(charged(p1, 4))},
		{name: "the amount held after a change", given: history(granted(10), held(p1, 4), changed(p1, 1, 4, 9)), want: history(charged(p1, 9))},
		{name: "charged before", given: history(granted(10), held(p1, 4), charged(p1, 4))},
		{name: "released before", given: history(granted(10), held(p1, 4), released(p1, 4)), err: ledger.ErrHoldEnded},
		{name: "never held", given: history(granted(10)), err: ledger.ErrNoHold},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := given(tt.given...).Charge(p1, t0)
			check(t, tt.want, tt.err, got, err)
		})
	}
}

func TestLedger_Release(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		given []domain.Event
		want  []domain.Event
		err   error
	}{
		{name: "the amount held", given: history(granted(10), held(p1, 4)), want: history(released(p1, 4))},
		{name: "the amount held after a change", given: history(granted(10), held(p1, 4), changed(p1, 1, 4, 9)), want: history(released(p1, 9))},
		{name: "released before", given: history(granted(10), held(p1, 4), released(p1, 4))},
		{name: "charged before", given: history(granted(10), held(p1, 4), charged(p1, 4)), err: ledger.ErrHoldEnded},
		{name: "never held", given: history(granted(10))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := given(tt.given...).Release(p1, "failed", t0)
			check(t, tt.want, tt.err, got, err)
		})
	}
}

func TestLedger_Totals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		given []domain.Event
		want  ledger.Totals
	}{
		{name: "nothing", want: ledger.Totals{}},
		{name: "granted", given: history(granted(10)), want: ledger.Totals{Granted: 10, Balance: 10, Available: 10, EverGranted: true}},
		{name: "held", given: history(granted(10), held(p1, 4)), want: ledger.Totals{Granted: 10, Held: 4, Balance: 10, Available: 6, EverGranted: true}},
		{name: "changed", given: history(granted(10), held(p1, 4), changed(p1, 1, 4, 9)),
			want: ledger.Totals{Granted: 10, Held: 9, Balance: 10, Available: 1, EverGranted: true}},
		{name: "charged", given: history(granted(10), held(p1, 4), changed(p1, 1, 4, 9), charged(p1, 9), held(p2, 1)),
			want: ledger.Totals{Granted: 10, Charged: 9, Held: 1, Balance: 1, Available: 0, EverGranted: true}},
		{name: "released", given: history(granted(10), held(p1, 4), released(p1, 4)),
			want: ledger.Totals{Granted: 10, Balance: 10, Available: 10, EverGranted: true}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, given(tt.given...).Totals()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestLedger_OpenHold(t *testing.T) {
	t.Parallel()
	l := given(granted(10), held(p1, 4), changed(p1, 1, 4, 9), held(p2, 1), released(p2, 1))
	if amount, at, ok := l.OpenHold(p1); amount != 9 || !at.Equal(t0) || !ok {
		t.Errorf("open hold: %d since %v, %v", amount, at, ok)
	}
	if _, _, ok := l.OpenHold(p2); ok {
		t.Error("a released hold is open")
	}
}

// TestLedger_remembers: an ended hold is known for 48 hours of event time, and forgotten by the first end after them.
func TestLedger_remembers(t *testing.T) {
	t.Parallel()
	endAt := func(p domain.ProjectID, at time.Time) []domain.Event {
		return history(ledger.CreditsHeld{Project: p, Amount: 1, At: at}, ledger.CreditsReleased{Project: p, Amount: 1, At: at})
	}
	tests := []struct {
		name  string
		later time.Duration
		err   error
	}{
		{"after 48 hours", 48 * time.Hour, ledger.ErrHoldEnded},
		{"a millisecond later", 48*time.Hour + time.Millisecond, nil},
	}
	for _, tt := range tests {
		l := given(granted(10))
		for _, event := range append(endAt(p1, t0), endAt(p2, t0.Add(tt.later))...) {
			l.Apply(event)
		}
		if _, err := l.Hold(p1, 1, t0); !errors.Is(err, tt.err) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.err)
		}
		if _, err := l.Hold(p2, 1, t0); !errors.Is(err, ledger.ErrHoldEnded) {
			t.Errorf("%s: the last one: %v", tt.name, err)
		}
	}
}

// TestLedger_Clone: what happens to a clone does not happen to the original.
func TestLedger_Clone(t *testing.T) {
	t.Parallel()
	events := history(granted(10), held(p1, 4), changed(p1, 2, 4, 5), held(p2, 1), released(p2, 1))
	l := given(events...)
	clone := l.Clone()
	for _, event := range history(charged(p1, 5), ledger.CreditsGranted{Reference: "more", Amount: 5, At: t0}) {
		clone.Apply(event)
	}
	if diff := cmp.Diff(given(events...), l, cmp.AllowUnexported(ledger.Ledger{}), cmp.Exporter(exported)); diff != "" {
		t.Errorf("original (-before +after):\n%s", diff)
	}
	if got := clone.Totals(); got.Available != 10 || got.Charged != 5 {
		t.Errorf("clone %+v", got)
	}
	if diff := cmp.Diff(given(events...), l.Clone(), cmp.Exporter(exported)); diff != "" {
		t.Errorf("clone (-original +clone):\n%s", diff)
	}
}
