package backups

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"moviola/internal/accountkeys"
	"moviola/internal/backup"
	"moviola/internal/config"
	"moviola/internal/secret"
	"moviola/internal/stores"
)

// AccountKeysCommand is `moviola accounts keys`: it saves and restores the keys under which data of accounts is encrypted.
func AccountKeysCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "keys",
		Short: "Save the keys under which the data of accounts is encrypted, and bring them back",
	}
	cmd.AddCommand(saveKeysCommand(), restoreKeysCommand())
	return cmd
}

// keeping holds the flags of the commands that save and restore the encryption keys of accounts.
type keeping struct {
	cfg  config.Config
	file string
	archiveFlags
}

func (k *keeping) bind(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&k.cfg.Data, "data", "./data", "data folder of the installation")
	f.StringVar(&k.cfg.Mongo, "mongo", "",
		"MongoDB of the installation, mongodb://…/database (default: the data folder has the keys)")
	f.StringVar(&k.passphraseFile, "passphrase-file", "", "the passphrase in this file encrypts the backup")
}

// store opens the store of the encryption keys of accounts.
func (k *keeping) store() (accountkeys.KeyStore, func(context.Context) error, error) {
	if k.cfg.Mongo == "" {
		if _, err := os.Stat(k.cfg.Data); err != nil {
			return nil, nil, fmt.Errorf("--data: %w", err)
		}
		noted, err := config.Noted(k.cfg.Data)
		if err = errors.Join(err, config.RequireSame(noted, "mongo", k.cfg.Mongo)); err != nil {
			return nil, nil, err
		}
	}
	return stores.OpenKeyStore(k.cfg)
}

func saveKeysCommand() *cobra.Command {
	var k keeping
	cmd := &cobra.Command{
		Use:   "backup --to FILE",
		Short: "Save the keys of all accounts into a file, in place of the one before",
		Long: "Save the keys of all accounts into a file, in place of the one before. `moviola backup` saves no such key: " +
			"without this\nfile what is encrypted under them is lost with the data folder or the MongoDB. Save the keys after " +
			"each backup, keep\nthem apart from the backups, and keep no older file: in it, the keys of accounts that were erased " +
			"since live on.\n" +
			"docs/erasure.md tells more.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return k.save(cmd.Context(), cmd.OutOrStdout()) },
	}
	k.bind(cmd)
	cmd.Flags().StringVar(&k.file, "to", "", "file for the keys")
	cmd.Flags().StringSliceVar(&k.recipients, "recipient", nil, "encrypt to this recipient of age, age1…; may be repeated")
	return cmd
}

func (k *keeping) save(ctx context.Context, stdout io.Writer) (err error) {
	if k.file == "" {
		return errors.New("--to is missing: say which file is to hold the keys")
	}
	crypt, err := k.readKeys()
	if err != nil {
		return err
	}
	store, closeStore, err := k.store()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeStore(context.WithoutCancel(ctx))) }()
	saved, err := accountkeys.Save(ctx, store, time.Now())
	if err != nil {
		return err
	}
	if _, err := os.Stat(k.file); err == nil && len(saved.Keys)+len(saved.Erased) == 0 {
		return fmt.Errorf("--to: %s stays as it is, because there are no keys of accounts here: say with --data or --mongo "+
			"where they are", k.file)
	}
	content, err := json.Marshal(saved)
	if err != nil {
		return err
	}
	if content, err = crypt.Close(content); err != nil {
		return err
	}
	if err := secret.WriteWhole(k.file, content); err != nil {
		return fmt.Errorf("--to: %w", err)
	}
	_, err = fmt.Fprintf(stdout, "%d keys of accounts are in %s, and that %d accounts were erased\n",
		len(saved.Keys), k.file, len(saved.Erased))
	return err
}

func restoreKeysCommand() *cobra.Command {
	var k keeping
	cmd := &cobra.Command{
		Use:   "restore --from FILE",
		Short: "Bring back keys of accounts that are missing",
		Long: "Bring back the keys of accounts that are missing in the data folder or the MongoDB. What is there stays, and " +
			"an account\nthat was erased, there or in the file, stays erased.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return k.restore(cmd.Context(), cmd.OutOrStdout()) },
	}
	k.bind(cmd)
	cmd.Flags().StringVar(&k.file, "from", "", "file that moviola accounts keys backup has written")
	cmd.Flags().StringVar(&k.identityFile, "identity", "", "identity file of age, of one of the recipients of the file")
	return cmd
}

func (k *keeping) restore(ctx context.Context, stdout io.Writer) (err error) {
	if k.file == "" {
		return errors.New("--from is missing: say which file holds the keys")
	}
	crypt, err := k.readKeys()
	if err != nil {
		return err
	}
	saved, err := readSavedKeys(k.file, crypt)
	if err != nil {
		return fmt.Errorf("--from: %w", err)
	}
	store, closeStore, err := k.store()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeStore(context.WithoutCancel(ctx))) }()
	if err := saved.Restore(ctx, store); err != nil {
		return err
	}
	there, err := accountkeys.Save(ctx, store, time.Now())
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(stdout, "the keys of %d accounts are there, and %d accounts stay erased\n", len(there.Keys),
		len(there.Erased)); err != nil {
		return err
	}
	return requireSameKeys(saved, there)
}

// requireSameKeys returns an error when accounts have another key than in the backup of the keys.
func requireSameKeys(saved, there accountkeys.Saved) error {
	var others []string
	for account, key := range saved.Keys {
		if now, has := there.Keys[account]; has && !strings.EqualFold(now, key) {
			others = append(others, string(account))
		}
	}
	if len(others) == 0 {
		return nil
	}
	slices.Sort(others)
	return fmt.Errorf("%d accounts have another key than in the file: %s. What is encrypted under the key of the file cannot be "+
		"read here. If nothing that is needed was written for them since the keys were lost, restore the backup into a new data "+
		"folder, with --account-keys", len(others), strings.Join(others, ", "))
}

// readSavedKeys reads a backup of the encryption keys of accounts.
func readSavedKeys(file string, crypt backup.Config) (accountkeys.Saved, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return accountkeys.Saved{}, err
	}
	if content, err = crypt.Open(content); err != nil {
		return accountkeys.Saved{}, fmt.Errorf("%s: %w", file, err)
	}
	return accountkeys.ReadSaved(content)
}
