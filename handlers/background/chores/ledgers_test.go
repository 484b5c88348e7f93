package chores_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/commands/commandstest"
	"moviola/commands/ledgers"
	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/eventstore"
	"moviola/eventstore/archived"
	"moviola/eventstore/memory"
	"moviola/handlers/background/chores"
	"moviola/projections"
)

// accountList lists accounts by name.
type accountList []string

func (l accountList) Page(context.Context, projections.AccountQuery) ([]projections.Account, bool, error) {
	var page []projections.Account
	for _, id := range l {
		page = append(page, projections.Account{Account: id})
	}
	return page, false, nil
}

// TestLedgers archives whole months of ledgers behind opening balances: not of accounts that keep everything, nor of ledgers with few
// old events; and says so once.
func TestLedgers(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 10, 0, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	store := memory.New(memory.WithClock(clock))
	files := historyFiles{commandstest.NewFiles(clock)}
	archive := archived.New(store, files, "movie", ledger.StreamCategory)
	log := eventstore.NewLog(archive, eventstore.NewCodec())
	books := ledgers.New(log, clock, ledgers.SignedWith(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))))
	t.Cleanup(books.Close)
	all := accountList{"busy", "keeps", "quiet", "new"}
	grants := map[string]int{"busy": 6, "keeps": 6, "quiet": 1}
	for month := range 4 { // on the tenth of January to April
		now = time.Date(2026, time.Month(1+month), 10, 0, 0, 0, 0, time.UTC)
		for account, n := range grants {
			for i := range n {
				grant := ledgers.Grant{Account: domain.AccountID(account), Reference: fmt.Sprint(month, "/", i), Amount: 5}
				if _, err := books.Grant(t.Context(), grant); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	logged := 0
	logger := logrus.New()
	logger.SetOutput(io.Discard)
	logger.AddHook(counting{&logged})
	chore := chores.Ledgers(chores.LedgersConfig{
		Accounts: all, Openings: books, Archive: archive, Least: 4, Logger: logger,
		Age: func(_ context.Context, account domain.AccountID) (time.Duration, error) {
			return map[domain.AccountID]time.Duration{"busy": 45 * 24 * time.Hour, "quiet": 45 * 24 * time.Hour}[account], nil
		},
	})
	for _, step := range []struct {
		day                string
		busy, quiet, lines int // events that the log has, and lines that were written
	}{
		{"2026-03-17", 24, 4, 0}, // 45 days back is in January
		{"2026-03-18", 19, 4, 1}, // January is archived: six events, of which the newest stays
		{"2026-03-19", 19, 4, 1},
		{"2026-04-14", 19, 4, 1}, // 45 days back is in February
		{"2026-04-20", 13, 4, 2}, // February is archived
		{"2026-06-20", 1, 1, 3},  // all to April are archived
	} {
		at, err := time.Parse(time.DateOnly, step.day)
		if err != nil {
			t.Fatal(err)
		}
		if err := chore.Do(t.Context(), at); err != nil {
			t.Fatal(err)
		}
		if busy, quiet := inLog(t, store, "busy"), inLog(t, store, "quiet"); busy != step.busy || quiet != step.quiet || logged != step.lines {
			t.Errorf("%s: busy has %d, quiet %d, %d lines; want %d, %d, %d", step.day, busy, quiet, logged, step.busy, step.quiet, step.lines)
		}
		if keeps := inLog(t, store, "keeps"); keeps != 24 {
			t.Errorf("%s: keeps has %d events", step.day, keeps)
		}
	}
	for account, want := range map[domain.AccountID]int64{"busy": 120, "keeps": 120, "quiet": 20, "new": 0} {
		if totals, err := books.State(t.Context(), account); err != nil || totals.Granted != want {
			t.Errorf("%s was granted %d, %v", account, totals.Granted, err)
		}
	}
}

// inLog counts the events of a ledger that the log has.
func inLog(t *testing.T, store eventstore.Store, account domain.AccountID) int {
	t.Helper()
	n := 0
	for _, err := range store.ReadStream(t.Context(), ledger.Stream(account), eventstore.Forwards, 0) {
		if n++; err != nil {
			t.Fatal(err)
		}
	}
	return n
}
