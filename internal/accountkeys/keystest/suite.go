// Package keystest has the contract of stores for the keys of accounts.
package keystest

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"moviola/domain"
	"moviola/internal/accountkeys"
)

var at = time.Date(2026, 11, 26, 9, 30, 15, 123e6, time.UTC)

// Run runs the contract. open returns a store that is empty.
func Run(t *testing.T, open func(t *testing.T) accountkeys.KeyStore) {
	t.Helper()
	t.Run("first key", func(t *testing.T) { t.Parallel(); firstKey(t, open(t)) })
	t.Run("erasure", func(t *testing.T) { t.Parallel(); erasure(t, open(t)) })
	t.Run("walk", func(t *testing.T) { t.Parallel(); walk(t, open(t)) })
	t.Run("together", func(t *testing.T) { t.Parallel(); together(t, open(t)) })
}

func key(b byte) []byte { return bytes.Repeat([]byte{b}, accountkeys.Bytes) }

func firstKey(t *testing.T, store accountkeys.KeyStore) {
	ctx := t.Context()
	if _, used, err := store.Erased(ctx); used || err != nil {
		t.Errorf("an empty store is used: %v, %v", used, err)
	}
	if got, erased, err := store.Find(ctx, "ada"); got != nil || !erased.IsZero() || err != nil {
		t.Errorf("before the first key: %x, %v, %v", got, erased, err)
	}
	must(t, store.Prepare(ctx))
	must(t, store.Add(ctx, "ada", key(1)))
	must(t, store.Add(ctx, "ada", key(2)))
	if got, _, err := store.Find(ctx, "ada"); !bytes.Equal(got, key(1)) || err != nil {
		t.Errorf("the first key is %x, %v", got, err)
	}
	if accounts, used, err := store.Erased(ctx); len(accounts) > 0 || !used || err != nil {
		t.Errorf("with a key: %v erased, used %v, %v", accounts, used, err)
	}
}

func erasure(t *testing.T, store accountkeys.KeyStore) {
	ctx := t.Context()
	must(t, store.Add(ctx, "ada", key(1)))
	for _, account := range []domain.AccountID{"ada", "never"} { // with a key, and without
		must(t, store.Erase(ctx, account, at))
		must(t, store.Erase(ctx, account, at))
		must(t, store.Add(ctx, account, key(3)))
		if got, erased, err := store.Find(ctx, account); got != nil || !erased.Equal(at) || err != nil {
			t.Errorf("%s after the erasure: %x, %v, %v", account, got, erased, err)
		}
	}
	accounts, used, err := store.Erased(ctx)
	slices.Sort(accounts)
	if !slices.Equal(accounts, []domain.AccountID{"ada", "never"}) || !used || err != nil {
		t.Errorf("erased are %v, used %v, %v", accounts, used, err)
	}
}

func walk(t *testing.T, store accountkeys.KeyStore) {
	ctx := t.Context()
	must(t, store.Add(ctx, "ada", key(1)))
	must(t, store.Add(ctx, "bob", key(2)))
	must(t, store.Erase(ctx, "bob", at))
	seen := map[domain.AccountID]string{}
	err := store.Walk(ctx, func(account domain.AccountID, key []byte, erased time.Time) error {
		if _, twice := seen[account]; twice {
			t.Errorf("%s was visited twice", account)
		}
		seen[account] = string(key)
		if erased.Equal(at) {
			seen[account] += "erased"
		}
		return nil
	})
	if err != nil || len(seen) != 2 || seen["ada"] != string(key(1)) || seen["bob"] != "erased" {
		t.Errorf("visited %q, %v", seen, err)
	}
}

// together: of several processes that make the first key at the same time all use one, and none makes a key after an erasure.
func together(t *testing.T, store accountkeys.KeyStore) {
	ctx := t.Context()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if err := store.Add(ctx, "ada", key(byte(i))); err != nil {
				t.Error(err)
			}
			if i == 4 {
				must(t, store.Erase(context.WithoutCancel(ctx), "bob", at))
			}
			if err := store.Add(ctx, "bob", key(byte(i))); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got, _, err := store.Find(ctx, "ada"); len(got) != accountkeys.Bytes || err != nil {
		t.Errorf("one key: %x, %v", got, err)
	}
	if got, erased, err := store.Find(ctx, "bob"); got != nil || erased.IsZero() || err != nil {
		t.Errorf("the erased one: %x, %v, %v", got, erased, err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}
