package eventstores

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/sirupsen/logrus"

	"moviola/eventstore/archived"
	"moviola/eventstore/eventstoredb"
	"moviola/internal/config"
	"moviola/internal/stores"
)

// Log is the log of an installation together with its archive.
type Log struct {
	*archived.Store
	client *eventstoredb.Store
	files  *stores.HistoryFiles
}

// WithArchive returns the log of a client together with archive files. Closing it closes both.
func WithArchive(client *eventstoredb.Store, files *stores.HistoryFiles) *Log {
	return &Log{Store: stores.WithHistory(client, files), client: client, files: files}
}

// Close closes the client and the archive files.
func (l *Log) Close(ctx context.Context) error {
	return errors.Join(l.client.Close(ctx), l.files.Close())
}

// OpenLog opens the log of the event store at the address `from`. When from is empty, it opens the log of the data folder,
// whether a service runs there or not. Archived movies are read from the storage of files that the service was started with.
func OpenLog(ctx context.Context, data, from string, logger *logrus.Logger) (*Log, func() error, error) {
	files, err := HistoryOf(data)
	if err != nil {
		return nil, nil, err
	}
	return OpenLogWith(ctx, data, from, files, logger)
}

// OpenLogWith is OpenLog with archived movies from a given storage. When from is empty, it refuses the log of a data folder
// whose service has another event store.
func OpenLogWith(
	ctx context.Context, data, from string, files *stores.HistoryFiles, logger *logrus.Logger,
) (*Log, func() error, error) {
	noted, err := config.Noted(data)
	if err = errors.Join(err, config.RequireLog(noted, data, from)); err != nil {
		return nil, nil, err
	}
	source, stop, err := copySource(ctx, filepath.Join(data, "events"), from)
	if err != nil {
		return nil, nil, err
	}
	source.Log = logger.WithField("part", "eventstore-client")
	store, err := eventstoredb.Open(source)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("open the event store: %w", err), stop())
	}
	return WithArchive(store, files), stop, nil
}

// HistoryOf returns the archive files of the service of a data folder. Environment variables name the storage of these files and
// the credential for it. When they name no storage, the flags that the service has recorded in the data folder do.
func HistoryOf(data string) (*stores.HistoryFiles, error) {
	where, key, err := config.BlobsFromEnvironment()
	if err != nil {
		return nil, err
	}
	noted, err := config.Noted(data)
	if err != nil {
		return nil, err
	}
	for _, one := range noted {
		if where == "" {
			where = one.Flags["blobs"]
		}
	}
	return stores.NewHistoryFiles(data, where, key), nil
}

// HistoryAt returns the archive files of an installation, from the storage that its configuration names.
func HistoryAt(cfg config.Config) *stores.HistoryFiles {
	return stores.NewHistoryFiles(cfg.Data, cfg.Blobs, cfg.BlobsKey)
}
