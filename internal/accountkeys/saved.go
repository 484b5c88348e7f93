package accountkeys

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"moviola/domain"
)

// savedFormat is the version of the format of Saved.
const savedFormat = 1

// Saved is a backup of the keys of accounts: all keys of a store, and the accounts that were erased.
type Saved struct {
	Format int                            `json:"format"`
	At     time.Time                      `json:"at"`
	Keys   map[domain.AccountID]string    `json:"keys"` // keys in hexadecimal
	Erased map[domain.AccountID]time.Time `json:"erased"`
}

// Save reads all keys of a store.
func Save(ctx context.Context, store KeyStore, now time.Time) (Saved, error) {
	s := Saved{Format: savedFormat, At: now.UTC().Truncate(time.Millisecond), Keys: map[domain.AccountID]string{},
		Erased: map[domain.AccountID]time.Time{}}
	err := store.Walk(ctx, func(account domain.AccountID, key []byte, erased time.Time) error {
		if erased.IsZero() {
			s.Keys[account] = hex.EncodeToString(key)
		} else {
			s.Erased[account] = erased.UTC()
		}
		return nil
	})
	if err != nil {
		return s, fmt.Errorf("read the keys of accounts: %w", err)
	}
	return s, nil
}

// ReadSaved reads a backup of keys.
func ReadSaved(content []byte) (Saved, error) {
	var s Saved
	if err := json.Unmarshal(content, &s); err != nil || s.Format != savedFormat {
		return s, errors.Join(fmt.Errorf("this is no backup of account keys of format %d", savedFormat), err)
	}
	for account, text := range s.Keys {
		if key, err := hex.DecodeString(text); err != nil || len(key) != Bytes || !accountRule.MatchString(string(account)) {
			return s, fmt.Errorf("the backup of account keys is damaged: account %q has no key", account)
		}
	}
	return s, nil
}

// Lacking returns those accounts of which the backup has no key and does not say that they were erased.
func (s Saved) Lacking(accounts []domain.AccountID) []domain.AccountID {
	var lacking []domain.AccountID
	for _, account := range accounts {
		if _, erased := s.Erased[account]; !erased && s.Keys[account] == "" {
			lacking = append(lacking, account)
		}
	}
	slices.Sort(lacking)
	return lacking
}

// FileKey returns the key for the files of an account. It is an error when the backup has no key of the account.
func (s Saved) FileKey(account domain.AccountID) (FileKey, error) {
	random, err := hex.DecodeString(s.Keys[account])
	if err != nil || len(random) != Bytes {
		return FileKey{}, fmt.Errorf("the key of account %s is missing: give a newer file of moviola accounts keys backup", account)
	}
	return NewFileKey(random)
}

// Restore adds the keys and erasures of the backup to a store. An account that was erased, in the backup or in the store, is
// erased afterwards. A key in the store is not replaced.
func (s Saved) Restore(ctx context.Context, store KeyStore) error {
	if err := store.Prepare(ctx); err != nil {
		return err
	}
	for account, at := range s.Erased {
		if err := store.Erase(ctx, account, at); err != nil {
			return fmt.Errorf("note that account %s was erased: %w", account, err)
		}
	}
	for account, text := range s.Keys {
		key, err := hex.DecodeString(text)
		if err == nil {
			err = store.Add(ctx, account, key)
		}
		if err != nil {
			return fmt.Errorf("bring back the key of account %s: %w", account, err)
		}
	}
	return nil
}
