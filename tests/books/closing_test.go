package books_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"moviola/commands/accounts"
	"moviola/domain/account"
	"moviola/domain/ledger"
	"moviola/domain/movie"
)

// closing is what follows from an account's closing, in the order in which the work does it; what is not due yet finds nothing to do.
var closing = []step{
	func(p process) error {
		_, err := p.closer().Handle(context.Background(), accounts.CloseAccount{Account: alice})
		return err
	},
	finishClosing, settle, finishClosing, clearAccount,
	func(p process) error {
		p.now = p.now.Add(24 * time.Hour)
		return clearAccount(p)
	},
}

func (p process) closer() accounts.CloseAccountHandler {
	return accounts.NewCloseAccountHandler(p.log, p.ledgers, p.clock)
}

func finishClosing(p process) error {
	return p.closer().Finish(context.Background(), accounts.CloseAccount{Account: alice})
}

func clearAccount(p process) error {
	if err := finishClosing(p); err != nil {
		return err
	}
	h := accounts.NewPurgeAccountHandler(accounts.PurgeAccountConfig{
		Log: p.log, Ledgers: p.ledgers, Now: p.clock, After: 30 * 24 * time.Hour, Again: 24 * time.Hour,
	})
	due, err := h.Due(context.Background(), alice)
	if err != nil {
		return err
	}
	return h.Done(context.Background(), due)
}

// TestClosing_crashes ends the process before and after each append of an account's closing, with a movie that renders. Whoever comes next
// goes on, every step comes twice, and in the end everything has happened once.
func TestClosing_crashes(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 8; n++ {
		for _, stored := range []bool{false, true} {
			t.Run(fmt.Sprintf("append %d, stored %v", n, stored), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, "paid", 100)
				w.live([]step{submit(sevenSec), start, planned(false)})
				w.killAt(n, stored)
				crashed := w.live(closing)
				w.store.Inject(memoryWorks)
				if crashed {
					w.live(closing)
					w.live(closing[len(closing)-2:])
				}
				if report := w.audited(); report.Charged != 0 {
					t.Errorf("charged %d", report.Charged)
				}
				w.once(account.Stream(alice), "AccountOpened", "AccountClosed", "AccountCleared", "AccountCleared")
				w.once(ledger.Stream(alice), "CreditsGranted", "CreditsHeld", "CreditsHoldChanged", "LedgerClosed", "CreditsReleased")
				w.once(movie.Stream(project), "MovieSubmitted", "RenderStarted", "RenderStarted", "MovieCancelled") // every step came twice
				err := w.run(submit(sevenSec))
				if err == nil || errors.Is(err, errKilled) {
					t.Errorf("submitted to a closed account: %v", err)
				}
			})
		}
	}
}

// once checks the events of a stream.
func (w *world) once(stream string, want ...string) {
	w.t.Helper()
	var got []string
	for r, err := range w.store.ReadStream(context.Background(), stream, 0, 0) {
		if err != nil {
			w.t.Fatal(err)
		}
		got = append(got, r.Type)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		w.t.Errorf("%s: %v, want %v", stream, got, want)
	}
}
