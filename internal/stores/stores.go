package stores

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/adapters/blobs"
	"moviola/adapters/mongodb"
	"moviola/adapters/sqlite"
	"moviola/domain/blobkey"
	"moviola/eventstore"
	"moviola/eventstore/embedded"
	"moviola/eventstore/eventstoredb"
	"moviola/internal/background"
	"moviola/internal/config"
	"moviola/internal/secret"
	"moviola/projections"
)

// ReadModelsFile is what the read models lie in, below the data folder.
const ReadModelsFile = "read-models.db"

// StartTime bounds each step of a start that needs the event store, so that a start without one says so.
const StartTime = 30 * time.Second

// CloseTime bounds the closing of each store.
const CloseTime = 10 * time.Second

// Stores are what keeps the installation's state: the log, the read models and the files.
type Stores struct {
	Server *embedded.Server // nil when the log is another process's
	served chan error       // what its Serve returned
	client *eventstoredb.Store
	Log    *eventstore.Log
	Docs   projections.Documents
	Files  *blobs.Bucket

	Stored   *blobs.Room // --account-storage, --total-storage
	Rendered *blobs.Room // --account-renders, --total-renders

	CloseDocs func(context.Context) error
	Damaged   <-chan struct{} // closed when the file of the read models cannot be used any more; nil: there is none
	logger    logrus.FieldLogger
	observers []func(context.Context, eventstore.Written)
}

func (s *Stores) tell(ctx context.Context, w eventstore.Written) {
	for _, observer := range s.observers {
		observer(ctx, w)
	}
}

// Open opens everything below the data folder, or connects to what the configuration names in its place. After an error nothing
// is open. The observers are told of every append.
func Open(
	ctx context.Context, cfg config.Config, logger logrus.FieldLogger, observers ...func(context.Context, eventstore.Written),
) (*Stores, error) {
	s := &Stores{served: make(chan error, 1), logger: logger, observers: observers}
	if err := s.open(ctx, cfg); err != nil {
		return nil, errors.Join(err, s.Close(context.WithoutCancel(ctx)))
	}
	return s, nil
}

func (s *Stores) open(ctx context.Context, cfg config.Config) error {
	target, err := s.openEventStore(cfg, s.logger)
	if err != nil {
		return err
	}
	if s.client, err = eventstoredb.Open(target); err != nil {
		return fmt.Errorf("open the event store: %w", err)
	}
	s.Log = eventstore.NewLog(eventstore.Observe(s.client, s.tell), eventstore.NewCodec())
	if err := s.OpenDocuments(cfg); err != nil {
		return fmt.Errorf("open the read models: %w", err)
	}
	where := cfg.Blobs
	if where == "" {
		where = filepath.Join(cfg.Data, "files")
	}
	if s.Files, err = blobs.Open(ctx, where, blobkey.DocumentPrefixes()...); err != nil {
		return fmt.Errorf("open the files: %w; when documents.db is damaged, restore it from the newest backup "+
			"(docs/eventstore.md)", err)
	}
	s.limitFiles(cfg)
	return nil
}

// openEventStore starts the embedded server, unless another one is configured, and says what the client has to dial.
func (s *Stores) openEventStore(cfg config.Config, logger logrus.FieldLogger) (eventstoredb.Config, error) {
	target := eventstoredb.Config{Log: logger.WithField("part", "eventstore-client")}
	switch {
	case strings.HasPrefix(cfg.EventStore, "unix://"):
		target.Addr = cfg.EventStore
		return target, nil
	case cfg.EventStore != "":
		target.ConnectionString = cfg.EventStore
		return target, nil
	}
	if err := checkLogThere(cfg.Data); err != nil {
		return target, err
	}
	server, err := embedded.Open(embedded.Config{
		Dir:    filepath.Join(cfg.Data, "events"),
		Listen: cfg.EventStoreListen, NeedsPass: true,
		Log: logger.WithField("part", "eventstore"),
	})
	if err != nil {
		return target, fmt.Errorf("open the embedded event store: %w; when its file is damaged, restore the newest backup "+
			"(docs/eventstore.md)", err)
	}
	s.Server, target.Addr = server, server.Addr()
	go func() { s.served <- server.Serve() }()
	return target, nil
}

// ExamineEventStore refuses to start where the event store of another process would not be of use: certificate, rights, cluster.
func ExamineEventStore(ctx context.Context, cfg config.Config, logger logrus.FieldLogger) error {
	if cfg.EventStore == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, StartTime)
	defer cancel()
	notes, err := eventstoredb.Examine(ctx, EventStoreAt(cfg.EventStore))
	for _, note := range notes {
		logger.Warn(note)
	}
	if err != nil {
		return fmt.Errorf("--eventstore: %w", err)
	}
	return nil
}

// WatchServer waits until the embedded server ends by itself, or ctx does.
func (s *Stores) WatchServer(ctx context.Context) error {
	select {
	case err := <-s.served:
		s.served <- err // for close
		return err
	case <-ctx.Done():
		return nil
	}
}

// WatchDocuments waits until the file of the read models cannot be used any more, or ctx ends.
func (s *Stores) WatchDocuments(ctx context.Context) error {
	select {
	case <-s.Damaged:
		return sqlite.ErrDamaged
	case <-ctx.Done():
		return nil
	}
}

// OpenAsStored opens the read models as they are stored: the tokens of files in them stay encrypted.
func (s *Stores) OpenAsStored(cfg config.Config) error { return s.openStore(cfg) }

// OpenDocuments opens the read models.
func (s *Stores) OpenDocuments(cfg config.Config) error {
	if err := s.openStore(cfg); err != nil {
		return err
	}
	s.Docs = projections.SealTokens(s.Docs, secret.NewLateVault(cfg.Data, cfg.BeyondHost()))
	return nil
}

func (s *Stores) openStore(cfg config.Config) error {
	if cfg.Mongo != "" {
		docs, err := mongodb.Open(cfg.Mongo)
		if err != nil {
			return err
		}
		s.Docs, s.CloseDocs = docs, docs.Close
		return nil
	}
	docs, err := sqlite.Open(filepath.Join(cfg.Data, ReadModelsFile))
	if err != nil {
		return err
	}
	if aside := docs.Aside(); aside != "" {
		s.logger.WithField("aside", aside).Warn("file of the read models is damaged; it is set aside, and they are rebuilt " +
			"from the log")
	}
	s.Damaged = docs.Damaged()
	s.Docs, s.CloseDocs = docs, func(context.Context) error { return docs.Close() }
	return nil
}

// Close closes what was opened: the client after its last call, the embedded server last.
func (s *Stores) Close(ctx context.Context) error {
	var errs []error
	ctx, cancel := context.WithTimeout(ctx, CloseTime)
	defer cancel()
	if s.CloseDocs != nil {
		errs = append(errs, s.CloseDocs(ctx))
	}
	if s.Files != nil {
		errs = append(errs, s.Files.Close())
	}
	if s.client != nil {
		if err := s.client.Close(ctx); err != nil {
			// The server is away, and calls to it are stuck in the client. Nothing is lost by leaving them.
			s.logger.WithError(err).Warn("event store client not closed cleanly")
		}
	}
	if s.Server != nil {
		errs = append(errs, s.Server.Close(ctx))
		select {
		case err := <-s.served:
			errs = append(errs, err)
		case <-ctx.Done():
			errs = append(errs, fmt.Errorf("close the embedded event store: %w", ctx.Err()))
		}
	}
	return errors.Join(errs...)
}

// head returns how to see at once where the log ends; nil when the log is another process's.
func (s *Stores) head() func() eventstore.Position {
	if s.Server == nil {
		return nil
	}
	return func() eventstore.Position {
		position := s.Server.Head()
		return eventstore.Position{Commit: position, Prepare: position}
	}
}

// ModelsConfig is the configuration of the read models.
func (s *Stores) ModelsConfig(cfg config.Config, logger logrus.FieldLogger) projections.Config {
	return projections.Config{
		Head:          s.head(),
		Documents:     s.Docs,
		Log:           s.Log,
		Project:       cfg.Plays(config.RoleProjector),
		RenderTimeout: cfg.RenderTimeout,
		AbandonAfter:  cfg.AbandonAfter,
		FileRetention: cfg.FileRetention,
		ZeroRetention: cfg.ZeroRetention,
		ClearAgain:    cfg.ClearAgain,
		TempRetention: cfg.TempRetention,
		Thread:        func() projections.Thread { return background.New() },
		Logger:        logger.WithField("part", "projections"),
	}
}

// EventStoreAt is how to reach an event store by its address.
func EventStoreAt(address string) eventstoredb.Config {
	if strings.HasPrefix(address, "unix://") {
		return eventstoredb.Config{Addr: address}
	}
	return eventstoredb.Config{ConnectionString: address}
}
