package books_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"moviola/commands"
	"moviola/commands/ledgers"
	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/movie"
)

// lives are the ways that a movie can go, and what is charged in the end when nothing keeps it from going there.
var lives = []struct {
	name    string
	plan    string
	steps   []step
	charged int64
}{
	{"rendered", "paid", []step{submit(sevenSec), start, planned(false), finish(func(*commands.FinishRender) {}), settle}, 9},
	{"failed", "paid", []step{submit(sevenSec), start, planned(false), finish(failure), settle}, 0},
	{"cached", "paid", []step{submit(sevenSec), start, finish(fromCache), settle}, 0},
	{"cancelled", "paid", []step{submit(sevenSec), start, planned(false), cancel, settle}, 0},
	{"late", "paid", []step{submit(sevenSec), start, planned(false), timeOut, finish(func(*commands.FinishRender) {}), settle}, 0},
	{"counted", "counted", []step{submit(sevenSec), start, planned(true), finish(func(*commands.FinishRender) {}), settle}, 0},
	{"counted and failed", "counted", []step{submit(sevenSec), start, planned(true), finish(failure), settle}, 0},
	{"never submitted", "paid", []step{reservedOnly, keep}, 0},
}

func failure(cmd *commands.FinishRender) {
	cmd.Success, cmd.File, cmd.Message = false, nil, "no"
}

func fromCache(cmd *commands.FinishRender) { cmd.CachedFrom = "another000000001" }

// reservedOnly holds credits for a movie whose request ends there.
func reservedOnly(p process) error {
	_, err := p.ledgers.Hold(context.Background(), ledgers.Hold{Account: alice, Project: project, Amount: 7})
	return err
}

// appends is more than any life takes.
const appends = 12

// TestCrashes ends the process before and after each append of each life; whoever comes next takes every step again, and every step twice.
// In the end the books are sound: nothing is held, and what was charged is the price of a movie that was made, or nothing.
func TestCrashes(t *testing.T) {
	t.Parallel()
	for _, life := range lives {
		for n := 1; n <= appends; n++ {
			for _, stored := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, append %d, stored %v", life.name, n, stored), func(t *testing.T) {
					t.Parallel()
					w := newWorld(t, life.plan, 100)
					w.killAt(n, stored)
					crashed := w.live(life.steps)
					w.store.Inject(memoryWorks)
					w.live(life.steps)
					if err := w.run(keep); !normal(err) {
						t.Errorf("keep: %v", err)
					}
					w.checkEnd(life.charged, crashed)
				})
			}
		}
	}
}

// live takes each step in a process of its own, twice, until one is killed, and says whether that happened.
func (w *world) live(steps []step) bool {
	w.t.Helper()
	for i, s := range steps {
		for range 2 {
			err := w.run(s)
			if errors.Is(err, errKilled) {
				return true
			}
			if !normal(err) {
				w.t.Errorf("step %d: %v", i, err)
			}
		}
	}
	return false
}

// checkEnd audits, and compares what was charged with what the movie came to.
func (w *world) checkEnd(charged int64, crashed bool) {
	w.t.Helper()
	report := w.audited()
	m := movie.New(project)
	if _, err := w.log.Fold(context.Background(), movie.Stream(project), m.Apply); err != nil {
		w.t.Fatal(err)
	}
	if m.Outcome() == movie.NoOutcome {
		w.t.Error("the movie has no outcome")
	}
	if report.Charged != charged && !(crashed && report.Charged == 0 && m.Outcome() != movie.Succeeded) {
		w.t.Errorf("%d credits are charged for an outcome of %q, want %d", report.Charged, m.Outcome(), charged)
	}
}

// TestOpening_crashes ends the process before and after each append of an account's opening: what comes next completes it, once.
func TestOpening_crashes(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 4; n++ {
		for _, stored := range []bool{false, true} {
			t.Run(fmt.Sprintf("append %d, stored %v", n, stored), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, "paid", 0)
				const id = domain.AccountID("newcomer")
				w.killAt(n, stored)
				_ = w.run(func(p process) error { return p.openAccount(id) }) // killed, or not
				w.store.Inject(memoryWorks)
				for range 2 {
					if err := w.run(func(p process) error { return p.openAccount(id) }); !normal(err) {
						t.Error(err)
					}
					if err := w.run(func(p process) error { return p.completeAccount(id) }); !normal(err) {
						t.Error(err)
					}
				}
				if report := w.audited(); report.Granted != 600 {
					t.Errorf("granted %d", report.Granted)
				}
				if keys := w.streams("key"); keys != 1 {
					t.Errorf("%d keys", keys)
				}
				if opened := w.count(account.Stream(id)); opened != 1 {
					t.Errorf("%d events of the account", opened)
				}
			})
		}
	}
}
