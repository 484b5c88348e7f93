package stores

import (
	"context"
	"path/filepath"

	"moviola/adapters/mongodb"
	"moviola/internal/accountkeys"
	"moviola/internal/config"
)

// OpenKeyStore opens the keys of the accounts of an installation: with --mongo they are on that server, otherwise in the data
// folder, which all processes share then.
func OpenKeyStore(cfg config.Config) (accountkeys.KeyStore, func(context.Context) error, error) {
	if cfg.Mongo == "" {
		return keyFolder(cfg), func(context.Context) error { return nil }, nil
	}
	docs, err := mongodb.Open(cfg.Mongo)
	if err != nil {
		return nil, nil, err
	}
	return docs.AccountKeys(), docs.Close, nil
}

func keyFolder(cfg config.Config) accountkeys.Folder {
	return accountkeys.NewFolder(filepath.Join(cfg.Data, accountkeys.FolderName))
}
