package commands_test

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/commands"
	"moviola/commands/accounts"
	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/key"
	"moviola/domain/ledger"
	"moviola/eventstore"
	"moviola/eventstore/memory"
)

func (w *world) openAccount(cmd accounts.OpenAccount) (accounts.OpenedAccount, error) {
	return w.openHandler(rand.Reader).Handle(w.t.Context(), cmd)
}

func (w *world) openHandler(random io.Reader) accounts.OpenAccountHandler {
	return accounts.NewOpenAccountHandler(accounts.OpenAccountConfig{
		Log: w.log, Complete: w.completeHandler(firstKeys), Random: random, Now: w.clock,
	})
}

// firstKeys is the secret from which the first API keys are derived in these tests.
var firstKeys = []byte("0123456789abcdef0123456789abcdef")

func (w *world) completeHandler(secret []byte) accounts.CompleteOpeningHandler {
	return accounts.NewCompleteOpeningHandler(accounts.CompleteOpeningConfig{Log: w.log, Ledgers: w.ledgers, FirstKeys: secret, Now: w.clock})
}

func (w *world) completeOpening() (accounts.OpenedAccount, error) {
	return w.completeHandler(firstKeys).Handle(w.t.Context(), accounts.CompleteOpening{Account: "default"})
}

func keyStream(value string) string { return key.Stream(key.ID(key.Hash(value))) }

func TestOpenAccount(t *testing.T) {
	t.Parallel()
	credits := func(n int64) *int64 { return &n }
	tests := []struct {
		name    string
		cmd     accounts.OpenAccount
		credits int64
		plan    string
	}{
		{name: "with the usual credits", cmd: accounts.OpenAccount{Name: "Anna"}, credits: 600, plan: "free"},
		{name: "with other credits", cmd: accounts.OpenAccount{Name: "Anna", Plan: "paid", Credits: credits(7)}, credits: 7, plan: "paid"},
		{name: "without credits", cmd: accounts.OpenAccount{Name: "Anna", Credits: credits(0)}, plan: "free"},
		{name: "of the first start", cmd: accounts.OpenAccount{ID: "default", Name: "Anna", Plan: "paid"}, credits: 600, plan: "paid"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newEmptyWorld(t)
			got, err := w.openAccount(tt.cmd)
			w.must(err)
			if tt.cmd.ID == "" && (len(got.Account) != 16 || !domain.IsBase62(string(got.Account))) || tt.cmd.ID != "" && got.Account != tt.cmd.ID {
				t.Errorf("account %q", got.Account)
			}
			if !key.Check(got.Key) {
				t.Errorf("key %q", got.Key)
			}
			wantKey := key.Issued{Account: got.Account, Name: "admin", Role: key.Admin, Hash: key.Hash(got.Key), First: true, At: t0}
			if diff := cmp.Diff(domain.Event(wantKey), w.last(keyStream(got.Key))); diff != "" {
				t.Errorf("key (-want +got):\n%s", diff)
			}
			wantAccount := account.Opened{Name: "Anna", Plan: tt.plan, Credits: &tt.credits, At: t0}
			if diff := cmp.Diff(domain.Event(wantAccount), w.last(account.Stream(got.Account))); diff != "" {
				t.Errorf("account (-want +got):\n%s", diff)
			}
			totals, err := w.ledgers.State(t.Context(), got.Account)
			w.must(err)
			if totals.Available != tt.credits || totals.EverGranted != (tt.credits > 0) {
				t.Errorf("credits %+v", totals)
			}
			for _, stream := range []string{account.Stream(got.Account), keyStream(got.Key), ledger.Stream(got.Account)} {
				if end, err := w.log.Last(t.Context(), stream); err != nil || end.Position.Compare(got.Position) > 0 {
					t.Errorf("%s ends at %v, %v, after %v", stream, end.Position, err, got.Position)
				}
			}
		})
	}
}

// TestOpenAccount_refused: a refused opening appends no event.
func TestOpenAccount_refused(t *testing.T) {
	t.Parallel()
	credits, many := int64(-1), int64(1_000_000_001)
	tests := []struct {
		name string
		cmd  accounts.OpenAccount
		code string
	}{
		{"no name", accounts.OpenAccount{}, "name_required"},
		{"unknown plan", accounts.OpenAccount{Name: "Anna", Plan: "gold"}, "plan_invalid"},
		{"negative credits", accounts.OpenAccount{Name: "Anna", Credits: &credits}, "credits_invalid"},
		{"more credits than a grant may have", accounts.OpenAccount{Name: "Anna", Credits: &many}, "credits_invalid"},
		{"exists", accounts.OpenAccount{ID: "default", Name: "Anna"}, "account_exists"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newEmptyWorld(t)
			if tt.code == "account_exists" {
				_, err := w.openAccount(tt.cmd)
				w.must(err)
			}
			before := len(w.all())
			_, err := w.openAccount(tt.cmd)
			var refusal *domain.Error
			if !errors.As(err, &refusal) || refusal.Code != tt.code {
				t.Errorf("error %v, want code %s", err, tt.code)
			}
			if after := len(w.all()); after != before {
				t.Errorf("%d events more", after-before)
			}
		})
	}
}

// TestOpenAccount_killed ends the process before each append: a later call takes the remaining steps of the opening, once,
// and returns the API key that the first call would have returned.
func TestOpenAccount_killed(t *testing.T) {
	t.Parallel()
	for _, category := range []string{"account", "ledger", "key"} {
		t.Run(category, func(t *testing.T) {
			t.Parallel()
			w := newEmptyWorld(t)
			w.kill(category)
			if _, err := w.openAccount(accounts.OpenAccount{ID: "default", Name: "Anna"}); !errors.Is(err, errKilled) {
				t.Fatalf("error %v", err)
			}
			w.restart()
			got, err := w.openAccount(accounts.OpenAccount{ID: "default", Name: "Anna"})
			if category != "account" { // the account exists: its opening is completed
				requireRefusal(t, err, domain.Errorf(domain.Conflict, "account_exists", "Account default already exists"))
				got, err = w.completeOpening()
			}
			w.must(err)
			if _, err := w.completeOpening(); !errors.Is(err, commands.ErrNothingToDo) {
				t.Errorf("completed again: %v", err)
			}
			w.wantEvents(account.Stream("default"), "AccountOpened")
			w.wantEvents(ledger.Stream("default"), "CreditsGranted")
			w.wantEvents(keyStream(got.Key), "KeyIssued")
			if len(w.all()) != 3 {
				t.Errorf("%d events", len(w.all()))
			}
		})
	}
}

// TestOpenAccount_race: CompleteOpening takes the remaining steps between two steps of the request. Each step happens once,
// and the caller of OpenAccount gets the API key.
func TestOpenAccount_race(t *testing.T) {
	t.Parallel()
	w := newEmptyWorld(t)
	var other accounts.OpenedAccount
	w.store.Inject(memory.Faults{BeforeAppendFunc: func(_ context.Context, _ string, events []eventstore.Proposed) error {
		if events[0].Type != "KeyIssued" {
			return nil
		}
		w.store.Inject(memory.Faults{})
		var err error
		other, err = w.completeOpening()
		return err
	}})
	got, err := w.openAccount(accounts.OpenAccount{ID: "default", Name: "Anna"})
	w.must(err)
	if got.Key == "" || got.Key != other.Key {
		t.Error("two keys")
	}
	w.wantEvents(keyStream(got.Key), "KeyIssued")
	w.wantEvents(ledger.Stream("default"), "CreditsGranted")
	w.wantEvents(account.Stream("default"), "AccountOpened")
}

// TestCompleteOpening_keys: the first API keys of two accounts differ, also of accounts with the same id in two
// installations. With a secret that is too short no API key is made.
func TestCompleteOpening_keys(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for _, secret := range []string{string(firstKeys), "another secret of thirty-two byte"} {
		for _, id := range []domain.AccountID{"anna", "bert"} {
			w := newEmptyWorld(t)
			h := accounts.NewOpenAccountHandler(accounts.OpenAccountConfig{
				Log: w.log, Complete: w.completeHandler([]byte(secret)), Random: rand.Reader, Now: w.clock,
			})
			got, err := h.Handle(t.Context(), accounts.OpenAccount{ID: id, Name: "A"})
			w.must(err)
			if seen[got.Key] {
				t.Errorf("%s of %q has the key of another", id, secret)
			}
			seen[got.Key] = true
		}
	}
	w := newEmptyWorld(t)
	_, err := w.openAccount(accounts.OpenAccount{ID: "default", Name: "Anna"})
	w.must(err)
	if _, err := w.completeHandler(nil).Handle(t.Context(), accounts.CompleteOpening{Account: "default"}); err == nil || errors.Is(err, commands.ErrNothingToDo) {
		t.Errorf("a key without a secret: %v", err)
	}
}

// TestCompleteOpening_older: an account that the program's first version opened, with credits and key, gets no others.
func TestCompleteOpening_older(t *testing.T) {
	t.Parallel()
	w := newEmptyWorld(t)
	_, err := w.log.Append(t.Context(), account.Stream("default"), eventstore.NoStream, eventstore.Meta{Account: "default", Time: t0},
		account.Opened{Name: "Anna", Plan: "paid", At: t0})
	w.must(err)
	for _, id := range []domain.AccountID{"default", "never-opened"} {
		if _, err := w.completeHandler(firstKeys).Handle(t.Context(), accounts.CompleteOpening{Account: id}); !errors.Is(err, commands.ErrNothingToDo) {
			t.Errorf("%s: %v", id, err)
		}
	}
	if len(w.all()) != 1 {
		t.Errorf("%d events", len(w.all()))
	}
}

// TestOpenAccount_noRandomness: without enough random bytes no account is opened.
func TestOpenAccount_noRandomness(t *testing.T) {
	t.Parallel()
	w := newEmptyWorld(t)
	if _, err := w.openHandler(strings.NewReader("few bytes")).Handle(t.Context(), accounts.OpenAccount{Name: "Anna"}); err == nil {
		t.Error("an account was opened")
	}
}

func TestGrantCredits(t *testing.T) {
	t.Parallel()
	w := newEmptyWorld(t)
	h := accounts.NewGrantCreditsHandler(w.log, w.ledgers)
	cmd := accounts.GrantCredits{Account: "default", Reference: "pack-1", Kind: "pack", Amount: 50}
	_, err := h.Handle(t.Context(), cmd)
	requireRefusal(t, err, domain.Errorf(domain.NotFound, "account_not_found", "Account default not found"))
	_, err = w.openAccount(accounts.OpenAccount{ID: "default", Name: "Anna"})
	w.must(err)
	first, err := h.Handle(t.Context(), cmd)
	w.must(err)
	again, err := h.Handle(t.Context(), cmd)
	w.must(err)
	if first != again {
		t.Errorf("positions %v and %v", first, again)
	}
	if totals, err := w.ledgers.State(t.Context(), "default"); err != nil || totals.Granted != 650 {
		t.Errorf("%+v, %v", totals, err)
	}
}
