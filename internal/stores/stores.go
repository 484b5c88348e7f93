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
	"moviola/eventstore/archived"
	"moviola/eventstore/embedded"
	"moviola/eventstore/eventstoredb"
	"moviola/internal/accountkeys"
	"moviola/internal/background"
	"moviola/internal/config"
	"moviola/internal/secret"
	"moviola/projections"
)

// ReadModelsFile is the name of the read models' database, below the data folder.
const ReadModelsFile = "read-models.db"

// StartTime limits each step of a start that needs the event store, so that the start fails with a clear error without one.
const StartTime = 30 * time.Second

// CloseTime limits the time for closing all stores together (Stores.Close). It also limits the time for closing one store
// that a subcommand of the program has opened, and the time for closing the renderer.
const CloseTime = 10 * time.Second

// Stores holds the stores of an installation: the log, the read models and the files.
type Stores struct {
	Server  *embedded.Server // embedded event store; nil when another process has the log
	served  chan error       // receives the result of Server.Serve
	client  *eventstoredb.Store
	Log     *eventstore.Log
	Archive *archived.Store // adds archived events to what Log reads
	Docs    projections.Documents
	Keys    *accountkeys.Ring // keys of accounts; they are opened with the read models
	Files   *blobs.Bucket

	Stored   *blobs.Room // files of accounts, with the bounds of --account-storage and --total-storage
	Rendered *blobs.Room // rendered files, with the bounds of --account-renders and --total-renders

	CloseDocs func(context.Context) error
	scrub     func(context.Context) error // nil: the read models are not in a file
	Damaged   <-chan struct{}             // closed when the database file of the read models is damaged; nil: there is no such file
	logger    logrus.FieldLogger          // logger for warnings; nil: the method log makes one for standard error
	observers []func(context.Context, eventstore.Written)
}

// New returns Stores that are not open, for commands that open the read models only. Warnings go to the logger.
func New(logger logrus.FieldLogger) *Stores { return &Stores{logger: logger} }

// log returns the logger; for Stores that were made without one, a logger that writes to standard error.
func (s *Stores) log() logrus.FieldLogger {
	if s.logger == nil {
		return logrus.New()
	}
	return s.logger
}

func (s *Stores) tell(ctx context.Context, w eventstore.Written) {
	for _, observer := range s.observers {
		observer(ctx, w)
	}
}

// Open opens the stores in the data folder, or connects to those that the configuration names. After an error nothing is
// open. The observers are called after every append by Stores.Log.
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
	target, err := s.openEventStore(cfg, s.log())
	if err != nil {
		return err
	}
	if s.client, err = eventstoredb.Open(target); err != nil {
		return fmt.Errorf("open the event store: %w", err)
	}
	if err := s.OpenDocuments(cfg); err != nil {
		return fmt.Errorf("open the read models: %w", err)
	}
	s.Archive = WithHistory(s.client, historyFiles{s})
	s.Log = eventstore.NewLog(eventstore.Observe(s.Archive, s.tell), eventstore.NewCodec().WithKeys(s.Keys))
	where := cfg.Blobs
	if where == "" {
		where = filepath.Join(cfg.Data, "files")
	}
	if s.Files, err = blobs.OpenWithKey(ctx, where, cfg.BlobsKey, blobkey.DocumentPrefixes()...); err != nil {
		return fmt.Errorf("open the files: %w; when documents.db is damaged, restore it from the newest backup "+
			"(docs/eventstore.md)", err)
	}
	s.limitFiles(cfg)
	return nil
}

// openEventStore starts the embedded server, unless another one is configured, and returns the address for the client.
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
	s.Server, target.Addr, target.Patience = server, server.Addr(), StartTime
	go func() { s.served <- server.Serve() }()
	return target, nil
}

// ExamineEventStore returns an error when the event store of another process is unusable, because of its certificate, permissions
// or cluster, or when it has not answered within StartTime.
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

// WatchServer waits until the embedded server ends by itself, or ctx ends.
func (s *Stores) WatchServer(ctx context.Context) error {
	select {
	case err := <-s.served:
		s.served <- err // the error is put back: Close reads it too
		return err
	case <-ctx.Done():
		return nil
	}
}

// WatchDocuments waits until the database of the read models is damaged, or ctx ends.
func (s *Stores) WatchDocuments(ctx context.Context) error {
	select {
	case <-s.Damaged:
		return sqlite.ErrDamaged
	case <-ctx.Done():
		return nil
	}
}

// OpenAsStored opens the read models without decrypting the file tokens in them.
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
		s.Keys = accountkeys.NewRing(docs.AccountKeys(), cfg.EncryptAccounts, time.Now)
		return nil
	}
	s.Keys = accountkeys.NewRing(keyFolder(cfg), cfg.EncryptAccounts, time.Now)
	docs, err := sqlite.Open(filepath.Join(cfg.Data, ReadModelsFile))
	if err != nil {
		return err
	}
	if aside := docs.Aside(); aside != "" {
		s.log().WithField("aside", aside).Warn("file of the read models is damaged; it is set aside, and they are rebuilt " +
			"from the log")
	}
	s.Damaged = docs.Damaged()
	s.Docs, s.CloseDocs, s.scrub = docs, func(context.Context) error { return docs.Close() }, docs.Scrub
	return nil
}

// Close closes the stores: first the read models and the files, then the client of the event store, and the embedded server
// last.
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
			// The server does not respond, so calls hang in the client. It is safe to abandon them.
			s.log().WithError(err).Warn("event store client not closed; calls that hang in it are abandoned")
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

// head returns a function that returns the end of the log without waiting; nil when another process has the log.
func (s *Stores) head() func() eventstore.Position {
	if s.Server == nil {
		return nil
	}
	return func() eventstore.Position {
		position := s.Server.Head()
		return eventstore.Position{Commit: position, Prepare: position}
	}
}

// ModelsConfig returns the configuration of the read models.
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

// EventStoreAt returns the client configuration for an event store's address.
func EventStoreAt(address string) eventstoredb.Config {
	if strings.HasPrefix(address, "unix://") {
		return eventstoredb.Config{Addr: address}
	}
	return eventstoredb.Config{ConnectionString: address}
}
