package chores_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/handlers/background/chores"
	"moviola/projections"
)

// register is a list of accounts that is read two at a time.
type register []projections.Account

func (r register) Page(_ context.Context, q projections.AccountQuery) ([]projections.Account, bool, error) {
	from := 0
	if q.After != nil {
		from = 1 + slices.IndexFunc(r, func(a projections.Account) bool { return a.Account == q.After.Account })
	}
	to := min(from+2, len(r))
	return r[from:to], to < len(r), nil
}

// cache notes the accounts that it was told to forget.
type cache struct {
	forgotten []domain.AccountID
	err       error
}

func (c *cache) Forget(account domain.AccountID) error {
	c.forgotten = append(c.forgotten, account)
	return c.err
}

func TestDeparted(t *testing.T) {
	t.Parallel()
	closed := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	before, after := closed.Add(-time.Hour), closed.Add(time.Minute)
	accounts := register{
		{Account: "open"}, {Account: "purged", ClearedAt: &before},
		{Account: "closing", ClosedAt: &closed}, {Account: "purged, then closing", ClosedAt: &closed, ClearedAt: &before},
		{Account: "closed", ClosedAt: &closed, ClearedAt: &after}, {Account: "open too"}, {Account: "the last", ClosedAt: &closed, ClearedAt: &closed},
	}
	var first, second cache
	if err := chores.Departed(accounts, &first, &second).Do(t.Context(), closed); err != nil {
		t.Fatal(err)
	}
	want := []domain.AccountID{"closed", "the last"}
	if diff := cmp.Diff([][]domain.AccountID{want, want}, [][]domain.AccountID{first.forgotten, second.forgotten}); diff != "" {
		t.Errorf("forgotten (-want +got):\n%s", diff)
	}
	broken := errors.New("broken")
	failing := cache{err: broken}
	var other cache
	if err := chores.Departed(accounts, &failing, &other).Do(t.Context(), closed); !errors.Is(err, broken) || fmt.Sprint(other.forgotten) != "[closed]" {
		t.Errorf("error %v, the other has forgotten %v", err, other.forgotten)
	}
}
