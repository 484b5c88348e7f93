package backups

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/movie"
	"moviola/domain/template"
	"moviola/eventstore"
	"moviola/eventstore/embedded/logfile"
	"moviola/internal/accountkeys"
	"moviola/internal/backup"
	"moviola/internal/config"
	"moviola/internal/stores"
)

// knownAccounts is the number of accounts whose keys a backup keeps in memory at most.
const knownAccounts = 4096

// errErased says that a file belongs to an account that was erased: no backup has it.
var errErased = errors.New("the account of the file was erased")

// fileKeys finds the keys under which the files of accounts are encrypted in a backup. The zero value knows no keys.
type fileKeys struct {
	store accountkeys.KeyStore // nil: the installation has no keys of accounts
	make  bool                 // an account without a key gets one when the first of its files is saved
	peek  *logfile.Peek        // the log of the backup, which says whose a movie or a template is

	known map[domain.AccountID]fileKey
}

// fileKey is the key under which the files of one account are encrypted in backups, and whether the account was erased. If
// key is nil, the account has no key, and its files are not encrypted.
type fileKey struct {
	key    *accountkeys.FileKey
	erased bool
}

// add adds a file to a part of a backup, encrypted if its account has a key. It returns errErased for a file of an erased
// account.
func (k *fileKeys) add(
	ctx context.Context, w *backup.Writer, part, name string, written time.Time, content io.Reader,
) error {
	account, err := k.owner(name)
	if err != nil {
		return err
	}
	of, err := k.of(ctx, account)
	switch {
	case err != nil:
		return fmt.Errorf("the key of account %s: %w", account, err)
	case of.erased:
		return errErased
	case of.key == nil:
		return w.Add(ctx, part, name, written, content)
	}
	return w.AddSealed(ctx, part, name, written, account, of.key.Seal(name, content))
}

// owner returns the account of a file; empty: the file belongs to no account, its account is not known, or the installation
// has no keys of accounts.
func (k *fileKeys) owner(name string) (domain.AccountID, error) {
	if k.store == nil {
		return "", nil
	}
	of, ok := blobkey.Parse(name)
	stream := movie.Stream(of.Project)
	switch {
	case !ok || of.Account != "":
		return of.Account, nil
	case of.Template != "":
		stream = template.Stream(of.Template)
	}
	events, err := k.peek.Metadata(stream)
	for _, metadata := range events {
		var meta eventstore.Metadata
		if json.Unmarshal(metadata, &meta) == nil && meta.Account != "" {
			return meta.Account, nil
		}
	}
	if err != nil {
		return "", fmt.Errorf("find out whose %s is: %w", name, err)
	}
	return "", nil
}

// of returns the key of an account, and whether the account was erased, as the key store has it.
func (k *fileKeys) of(ctx context.Context, account domain.AccountID) (fileKey, error) {
	if k.store == nil || account == "" {
		return fileKey{}, nil
	}
	if of, ok := k.known[account]; ok {
		return of, nil
	}
	random, erased, err := k.store.Find(ctx, account)
	if err == nil && k.make && random == nil && erased.IsZero() {
		random, erased, err = k.first(ctx, account)
	}
	of := fileKey{erased: !erased.IsZero()}
	if err == nil && random != nil {
		var key accountkeys.FileKey
		key, err = accountkeys.NewFileKey(random)
		of.key = &key
	}
	if err != nil {
		return fileKey{}, err
	}
	if len(k.known) >= knownAccounts {
		clear(k.known)
	}
	if k.known == nil {
		k.known = map[domain.AccountID]fileKey{}
	}
	k.known[account] = of
	return of, nil
}

// first makes the first key of an account, as the service does when it writes the next event of the account.
func (k *fileKeys) first(ctx context.Context, account domain.AccountID) ([]byte, time.Time, error) {
	random := make([]byte, accountkeys.Bytes)
	if _, err := rand.Read(random); err != nil {
		return nil, time.Time{}, err
	}
	if err := k.store.Add(ctx, account, random); err != nil {
		return nil, time.Time{}, err
	}
	return k.store.Find(ctx, account) // another process may have made a key, or erased the account
}

// withKeys opens the keys of accounts for the function save, and then notes in the manifest the accounts with a key, and the
// erased ones. log is the copy of the log. No key is saved: the command moviola accounts keys backup does that. With a MongoDB,
// keys are looked for only if the service encrypts, because a backup needs the MongoDB for nothing else.
func (b *backingUp) withKeys(
	ctx context.Context, w *backup.Writer, noted map[string]config.Settings, log string, save func(*fileKeys) error,
) (err error) {
	keys := &fileKeys{make: b.encrypts(noted)}
	if !keys.make && b.cfg.Mongo != "" {
		return save(keys)
	}
	store, closeStore, err := stores.OpenKeyStore(b.cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeStore(context.WithoutCancel(ctx))) }()
	if keys.peek, err = logfile.OpenPeek(ctx, log); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, keys.peek.Close()) }()
	keys.store = store
	if err := save(keys); err != nil {
		return err
	}
	saved, err := accountkeys.Save(ctx, store, w.Manifest.At)
	w.Manifest.Keyed, w.Manifest.Erased = slices.Sorted(maps.Keys(saved.Keys)), slices.Sorted(maps.Keys(saved.Erased))
	return err
}

// encrypts reports whether the service encrypts personal data of accounts.
func (b *backingUp) encrypts(noted map[string]config.Settings) bool {
	for _, one := range noted {
		if one.Flags["encrypt-accounts"] == "true" {
			return true
		}
	}
	return b.cfg.EncryptAccounts
}

// encrypted says how many documents and files of a backup are encrypted under keys of accounts; empty: none.
func encrypted(m backup.Manifest) string {
	sealed, items := m.Sealed(), 0
	for _, n := range sealed {
		items += n
	}
	if items == 0 {
		return ""
	}
	return fmt.Sprintf("%d documents and files are encrypted under the keys of %d accounts\n", items, len(sealed))
}
