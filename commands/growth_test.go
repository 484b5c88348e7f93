package commands_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/internal/fair"
)

// growing is a movie that grows by expansion: it has variables and an iteration.
const growing = `{"variables":{"list":[1,2,3]},"scenes":[{"iterate":"list","elements":[{"type":"text","text":"{{item}}","duration":1}]}]}`

// TestGrowth: while fifty movies of one account that grow by expansion wait to be parsed, the next turn is another
// account's, for validation or submission. A movie that cannot grow does not wait. A request that has waited too long gets
// fair.ErrBusy.
func TestGrowth(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.grant(alice, 100)
		w.grant(mallory, 100)
		budget := fair.New(fair.Limits{Total: 1, Wait: time.Minute})
		handler := commands.NewSubmitMovieHandler(commands.SubmitMovieConfig{
			Log: w.log, Ledgers: w.ledgers, Files: w.files, NewProject: w.newProject, Now: w.clock, Growth: budget,
		})
		under, err := budget.Take(t.Context(), string(mallory), 1)
		w.must(err)
		type outcome struct {
			account domain.AccountID
			err     error
			end     context.CancelFunc
		}
		outcomes := make(chan outcome, 100)
		validate := func(account domain.AccountID) {
			ctx, end := context.WithCancel(t.Context()) // the request's memory stays reserved until end
			go func() {
				_, err := handler.Preview(ctx, account, []byte(growing))
				outcomes <- outcome{account, err, end}
			}()
			synctest.Wait()
		}
		for range 50 {
			validate(mallory)
		}
		validate(alice)
		go func() {
			_, err := handler.Handle(t.Context(), commands.SubmitMovie{Account: alice, Body: []byte(growing)})
			outcomes <- outcome{alice, err, func() {}}
		}()
		synctest.Wait()
		if _, err := handler.Preview(t.Context(), alice, []byte(sevenSeconds)); err != nil || len(outcomes) > 0 {
			t.Fatalf("a plain movie waits: %v, and %d others do not", err, len(outcomes))
		}
		under.Release()
		for i, want := range []domain.AccountID{alice, mallory, alice, mallory} {
			got := <-outcomes
			if got.account != want || got.err != nil {
				t.Errorf("movie %d is of %s, not %s: %v", i, got.account, want, got.err)
			}
			if i < 3 {
				got.end()
				continue
			}
			defer got.end()
		}
		for range 48 {
			if got := <-outcomes; !errors.Is(got.err, fair.ErrBusy) {
				t.Errorf("one that waits too long: %v", got.err)
			}
		}
	})
}
