package backups

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"moviola/adapters/vault"
	"moviola/commands"
	"moviola/commands/connections"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/connection"
	"moviola/eventstore"
	"moviola/internal/config"
	"moviola/internal/secret"
	"moviola/internal/stores"
)

// SecretsCommand is `moviola secrets`, whose subcommand encrypts all stored credentials with a new secret.
func SecretsCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "secrets", Short: "Renew what stored credentials are encrypted with"}
	cmd.AddCommand(rotateSecretsCommand())
	return cmd
}

func rotateSecretsCommand() *cobra.Command {
	var cfg config.Config
	cmd := &cobra.Command{
		Use:   "rotate",
		Short: "Encrypt all stored credentials with a new secret",
		Long: "Encrypt the secrets of saved connections, and documents that carry passwords, with a new secret. Stop the " +
			"service first when\n" +
			"it has its event store in the data folder. Give the --eventstore, --mongo and --blobs of the service.\n" +
			"Without " + secret.CredentialsEnv + " a new secret is generated into the data folder; with it, that one is\n" +
			"used, and the one before is given in " + secret.FormerCredentialsEnv + ". A secret that was in use\n" +
			"before stays readable as long as it is given; when this command has succeeded it can be removed.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			log, err := config.NewLog(cmd.ErrOrStderr(), "warn", "text")
			if err != nil {
				return err
			}
			if err := requireInstallation(cfg); err != nil {
				return err
			}
			stores, err := stores.Open(cmd.Context(), cfg, log)
			if err != nil {
				return errors.Join(err, errors.New("is the service running? stop it first"))
			}
			return errors.Join(rotateSecrets(cmd.Context(), cfg, stores, cmd.OutOrStdout()),
				stores.Close(context.WithoutCancel(cmd.Context())))
		},
	}
	cmd.Flags().StringVar(&cfg.Data, "data", "./data", "folder for everything that is stored here")
	cmd.Flags().StringVar(&cfg.EventStore, "eventstore", "", "event store to use, esdb://… or unix://… (default: embedded)")
	cmd.Flags().StringVar(&cfg.Mongo, "mongo", "", "MongoDB for the read models, mongodb://…/database (default: a SQLite file)")
	config.BindBlobs(cmd.Flags(), &cfg.Blobs, &cfg.BlobsKey,
		"storage of files, s3://bucket?…, gs://… or azblob://… (default: a folder in the data folder)")
	config.BindBlobsKeyFile(cmd.Flags())
	return cmd
}

// requireInstallation returns an error when the secret of the installation is not known here, or a store that the service
// has was not named. Without this check, a wrong data folder would become that of a new installation.
func requireInstallation(cfg config.Config) error {
	if err := cfg.RequireStores(); err != nil {
		return err
	}
	_, known, err := secret.Known(cfg.Data, cfg.BeyondHost())
	if err == nil && !known {
		err = fmt.Errorf("the secret of the installation is not known here: check --data, or set %s as the service has it",
			secret.Env)
	}
	return err
}

// rotateSecrets encrypts the credentials in connections and in stored documents again, with the secret that the
// environment gives or, without one, with a new secret that it generates. A further run does what an interrupted one has
// left.
func rotateSecrets(ctx context.Context, cfg config.Config, stores *stores.Stores, out io.Writer) error {
	master, err := secret.Load(cfg.Data, cfg.BeyondHost())
	if err != nil {
		return err
	}
	if os.Getenv(secret.CredentialsEnv) == "" {
		if err := secret.RenewCredentials(cfg.Data, master); err != nil {
			return err
		}
	}
	sealing, err := secret.NewVault(cfg.Data, master)
	if err != nil {
		return err
	}
	connections, err := resealConnections(ctx, stores.Log, sealing)
	if err != nil {
		return err
	}
	documents, err := resealDocuments(ctx, stores.Files, sealing)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%d connections and %d documents were encrypted anew, with key %s.\nWhat was in use before can "+
		"be removed: %s, or the file %s.\n",
		connections, documents, sealing.Key(), secret.FormerCredentialsEnv, filepath.Join(cfg.Data, secret.FormerCredentialsFile))
	return err
}

// resealConnections encrypts every connection again. It finds them in the log, because read models may lag.
func resealConnections(ctx context.Context, log *eventstore.Log, sealing *vault.Vault) (int, error) {
	found, err := connectionsIn(ctx, log)
	if err != nil {
		return 0, err
	}
	handler := connections.NewResealConnectionHandler(log, sealing, time.Now)
	count := 0
	for _, one := range found {
		had, err := handler.Handle(ctx, one)
		if err != nil {
			return count, err
		}
		if had {
			count++
		}
	}
	return count, nil
}

func connectionsIn(ctx context.Context, log *eventstore.Log) ([]connections.ResealConnection, error) {
	events, err := log.Store().Subscribe(ctx, eventstore.Position{},
		eventstore.Filter{Categories: []string{connection.StreamCategory}})
	if err != nil {
		return nil, fmt.Errorf("look for connections: %w", err)
	}
	defer events.Close()
	var found []connections.ResealConnection
	for {
		notice, err := events.Next(ctx)
		switch {
		case err != nil:
			return nil, fmt.Errorf("look for connections: %w", err)
		case notice.CaughtUp:
			return found, nil
		case notice.Event == nil || notice.Event.Revision != 0:
			continue
		}
		_, meta, err := log.Codec().Decode(*notice.Event)
		if err != nil {
			return nil, err
		}
		_, name := eventstore.SplitStream(notice.Event.Stream)
		found = append(found, connections.ResealConnection{
			Account: meta.Account, ID: strings.TrimPrefix(name, connection.Name(domain.AccountID(meta.Account), "")),
		})
	}
}

func resealDocuments(ctx context.Context, files commands.Files, sealing *vault.Vault) (int, error) {
	var keys []string
	others := []string{blobkey.Rows.Prefix(), blobkey.Exchanges.Prefix(), blobkey.Inboxes.Prefix()}
	for _, prefix := range append(blobkey.DocumentPrefixes(), others...) {
		found, err := files.List(ctx, prefix)
		if err != nil {
			return 0, fmt.Errorf("look for documents: %w", err)
		}
		keys = append(keys, found...)
	}
	count := 0
	for _, key := range keys {
		had, err := commands.ResealDocument(ctx, files, sealing, key)
		if err != nil && !errors.Is(err, commands.ErrFileNotFound) {
			return count, fmt.Errorf("encrypt %s anew: %w", key, err)
		}
		if had {
			count++
		}
	}
	return count, nil
}
