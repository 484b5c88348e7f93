package account_test

import (
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/account"
)

var t0 = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

func TestAccount_Open(t *testing.T) {
	t.Parallel()
	credits := int64(600)
	opened := account.Opened{Name: "Anna", Plan: "paid", Credits: &credits, At: t0}
	tests := []struct {
		name    string
		given   []domain.Event
		display string
		want    []domain.Event
		code    string
	}{
		{name: "new", display: "Anna", want: []domain.Event{opened}},
		{name: "trimmed", display: " Anna\n", want: []domain.Event{opened}},
		{name: "no name", display: " ", code: "name_required"},
		{name: "long name", display: strings.Repeat("é", 101), code: "name_too_long"},
		{name: "opened before", given: []domain.Event{opened}, display: "Anna", code: "account_exists"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := account.New("acct")
			for _, event := range tt.given {
				a.Apply(event)
			}
			got, err := a.Open(tt.display, "paid", credits, t0)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			requireCode(t, err, tt.code)
			if a.Exists() != (tt.given != nil) {
				t.Errorf("exists: %v", a.Exists())
			}
		})
	}
}

func TestAccount_RequireOpen(t *testing.T) {
	t.Parallel()
	a := account.New("acct")
	requireCode(t, a.RequireOpen(), "account_not_found")
	a.Apply(account.Opened{Name: "Anna", Plan: "free", At: t0})
	requireCode(t, a.RequireOpen(), "")
}

// requireCode checks the code of a refusal; "" stands for no error.
func requireCode(t *testing.T, err error, code string) {
	t.Helper()
	var refusal *domain.Error
	if err == nil && code == "" || errors.As(err, &refusal) && refusal.Code == code {
		return
	}
	t.Errorf("error %v, want code %q", err, code)
}

func TestNewID(t *testing.T) {
	t.Parallel()
	id, err := account.NewID(rand.Reader)
	if err != nil || len(id) != 16 || !domain.IsBase62(string(id)) {
		t.Errorf("id %q, %v", id, err)
	}
	if _, err := account.NewID(strings.NewReader("")); err == nil {
		t.Error("an id without randomness")
	}
	if got := account.New(id).ID(); got != id {
		t.Errorf("id %s, want %s", got, id)
	}
}

func TestAccount_ChangePlan(t *testing.T) {
	t.Parallel()
	a := account.New("a")
	_, err := a.ChangePlan(account.PlanChanged{Plan: "paid", At: t0})
	requireCode(t, err, "account_not_found")
	a.Apply(account.Opened{Plan: "free"})
	for change, plan := range []string{"paid", "free", "counted"} {
		fact := account.PlanChanged{Plan: plan, Counted: plan == "counted", Zero: plan == "free", At: t0}
		events, err := a.ChangePlan(fact)
		requireCode(t, err, "")
		fact.Change = change + 1
		if diff := cmp.Diff([]domain.Event{fact}, events); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		a.Apply(events[0])
		if events, err := a.ChangePlan(fact); len(events) > 0 || err != nil || a.Plan() != plan {
			t.Errorf("again: %v, %v, on %q", events, err, a.Plan())
		}
	}
	a.Apply(account.Closed{At: t0})
	_, err = a.ChangePlan(account.PlanChanged{Plan: "paid", At: t0})
	requireCode(t, err, "account_closed")
}

// TestAccount_OnCreditsSince: a change from a plan without credits to one with them is the first moment that counts against the
// account.
func TestAccount_OnCreditsSince(t *testing.T) {
	t.Parallel()
	a := account.New("a")
	a.Apply(account.Opened{Plan: "counted", At: t0})
	a.Apply(account.PlanChanged{Change: 1, Plan: "free", At: t0.Add(time.Hour)})
	if got := a.OnCreditsSince(); !got.Equal(t0) {
		t.Errorf("since %s", got)
	}
	a.Apply(account.PlanChanged{Change: 2, Plan: "paid", Zero: true, At: t0.Add(2 * time.Hour)})
	if got := a.OnCreditsSince(); !got.Equal(t0.Add(2 * time.Hour)) {
		t.Errorf("since %s", got)
	}
}

func TestAccount_Close(t *testing.T) {
	t.Parallel()
	a := account.New("a")
	_, err := a.Close(t0)
	requireCode(t, err, "account_not_found")
	a.Apply(account.Opened{Plan: "free"})
	events, err := a.Close(t0)
	if diff := cmp.Diff([]domain.Event{account.Closed{At: t0}}, events); diff != "" || err != nil {
		t.Errorf("%v, events (-want +got):\n%s", err, diff)
	}
	a.Apply(events[0])
	if events, err := a.Close(t0); len(events) > 0 || err != nil || !a.ClosedAt().Equal(t0) {
		t.Errorf("again: %v, %v", events, err)
	}
	requireCode(t, a.RequireOpen(), "account_closed")
	for round := 1; round <= 2; round++ {
		events := a.Clear(account.Departure, t0)
		if diff := cmp.Diff([]domain.Event{account.Cleared{Reason: account.Departure, Round: round, At: t0}}, events); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		a.Apply(events[0])
	}
	if a.Rounds(account.Departure) != 2 || a.Rounds(account.Purged) != 0 {
		t.Errorf("%d and %d rounds", a.Rounds(account.Departure), a.Rounds(account.Purged))
	}
}

// TestPlanChanged_EventKey: changes to different plans at the same time are different events, so that the second is not taken for a
// repetition of the first.
func TestPlanChanged_EventKey(t *testing.T) {
	t.Parallel()
	paid, free := account.PlanChanged{Change: 1, Plan: "paid"}, account.PlanChanged{Change: 1, Plan: "free"}
	if paid.EventKey() == free.EventKey() {
		t.Errorf("both keys are %q", paid.EventKey())
	}
}
