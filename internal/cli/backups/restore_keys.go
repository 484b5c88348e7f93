package backups

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"moviola/domain"
	"moviola/internal/accountkeys"
	"moviola/internal/backup"
	"moviola/internal/config"
	"moviola/internal/stores"
)

// openKeys reads the encryption keys of accounts that a backup needs, before anything is restored. Accounts that were erased when
// the backup or the keys were saved stay erased.
func (r *bringingBack) openKeys(m backup.Manifest, crypt backup.Config) (err error) {
	r.saved = accountkeys.Saved{Erased: map[domain.AccountID]time.Time{}}
	if r.keysFile != "" {
		if r.saved, err = readSavedKeys(r.keysFile, crypt); err != nil {
			return fmt.Errorf("--account-keys: %w", err)
		}
		if r.saved.At.Before(m.At) && !r.outdatedKeys {
			return fmt.Errorf("--account-keys: %s was saved at %s, before the backup of %s: an account that was erased in between would "+
				"come back, and one that was opened would be lost. Give the newest file; if there is no newer one, say "+
				"--outdated-account-keys", r.keysFile, r.saved.At.Format(time.RFC3339), m.At.Format(time.RFC3339))
		}
	}
	for _, account := range m.Erased {
		delete(r.saved.Keys, account)
		if _, known := r.saved.Erased[account]; !known {
			r.saved.Erased[account] = m.At
		}
	}
	lacking := r.saved.Lacking(m.Keyed)
	switch {
	case len(lacking) == 0:
		return nil
	case r.lost:
		for _, account := range lacking {
			r.saved.Erased[account] = time.Now()
		}
		return nil
	case r.keysFile == "":
		sealed := 0
		for _, items := range m.Sealed() {
			sealed += items
		}
		return fmt.Errorf("the backup holds data that is encrypted under the keys of %d accounts: personal data in events, and %d "+
			"documents and files. Give with --account-keys the file that moviola accounts keys backup has written; if it is lost, say "+
			"--erase-accounts-without-key: all that is lost then", len(m.Keyed), sealed)
	}
	return fmt.Errorf("--account-keys: the keys of %d accounts are missing, that of %s among them: give a newer file, or say "+
		"--erase-accounts-without-key", len(lacking), lacking[0])
}

// restoreKeys stores the encryption keys of accounts in the new data folder, or in the MongoDB that is named.
func (r *bringingBack) restoreKeys(ctx context.Context, work string) (err error) {
	if len(r.saved.Keys)+len(r.saved.Erased) == 0 {
		return nil
	}
	store, closeStore, err := stores.OpenKeyStore(config.Config{Data: work, Mongo: r.mongo})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeStore(context.WithoutCancel(ctx))) }()
	return r.saved.Restore(ctx, store)
}

// opened returns the content of a document or file, decrypted if it is encrypted under the key of its account. For a document or
// file of an erased account it returns nil, and adds one to the field left.
func (r *bringingBack) opened(item backup.Item, content io.Reader) (io.Reader, error) {
	if item.Account == "" {
		return content, nil
	}
	if _, erased := r.saved.Erased[item.Account]; erased {
		r.left++
		return nil, nil //nolint:nilnil // the item is left out
	}
	key, err := r.saved.FileKey(item.Account)
	if err != nil {
		return nil, err
	}
	return key.Open(item.Name, content), nil
}
