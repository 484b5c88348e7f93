package eventstores

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/sirupsen/logrus"

	"moviola/eventstore/embedded"
	"moviola/eventstore/embedded/logfile"
	"moviola/eventstore/eventstoredb"
	"moviola/internal/config"
	"moviola/internal/stores"
)

// CopyOfLog copies the log of an installation, as of one moment, into a new file and verifies the copy. The log is that in the
// data folder, whether a service uses it or not, or that of another event store. The log of another event store is copied through
// its protocol; event ids, order and revisions stay the same.
func CopyOfLog(
	ctx context.Context, cfg config.Config, work, to string, logger *logrus.Logger,
) (report logfile.Report, err error) {
	if cfg.EventStore == "" {
		return logfile.Backup(ctx, filepath.Join(cfg.Data, "events"), to)
	}
	dir := filepath.Join(work, "log")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return report, err
	}
	err = WithLogAt(ctx, dir, logger, func(target eventstoredb.Config, open OpenStore) error {
		return CopyLog(ctx, io.Discard, stores.EventStoreAt(cfg.EventStore), target, HistoryAt(cfg), open)
	})
	if err != nil {
		return report, fmt.Errorf("copy the log of the event store: %w", err)
	}
	return logfile.Backup(ctx, dir, to)
}

type OpenStore = func(eventstoredb.Config, string) (*eventstoredb.Store, error)

// WithLogAt runs an event store server on the log in a folder while do runs.
func WithLogAt(
	ctx context.Context, dir string, logger *logrus.Logger, do func(at eventstoredb.Config, open OpenStore) error,
) error {
	server, err := embedded.Open(embedded.Config{Dir: dir, NeedsPass: true, Log: logger.WithField("part", "eventstore")})
	if err != nil {
		return err
	}
	running, end := context.WithCancel(context.WithoutCancel(ctx))
	served := make(chan error, 1)
	go func() { served <- serveEventStore(running, server) }()
	at := eventstoredb.Config{Addr: server.Addr(), Patience: stores.StartTime}
	err = do(at, func(target eventstoredb.Config, part string) (*eventstoredb.Store, error) {
		target.Log = logger.WithField("part", part)
		return eventstoredb.Open(target)
	})
	end()
	return errors.Join(err, <-served)
}
