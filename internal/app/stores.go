package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/adapters/blobs"
	"moviola/adapters/mongodb"
	"moviola/adapters/sqlite"
	"moviola/domain/blobkey"
	"moviola/domain/template"
	"moviola/eventstore"
	"moviola/eventstore/embedded"
	"moviola/eventstore/eventstoredb"
	"moviola/internal/background"
	"moviola/internal/config"
	"moviola/internal/quota"
	"moviola/internal/secret"
	"moviola/projections"
)

// readModelsFile is what the read models lie in, below the data folder.
const readModelsFile = "read-models.db"

// closeTime bounds the closing of each store.
const closeTime = 10 * time.Second

// stores are what keeps the installation's state: the log, the read models and the files.
type stores struct {
	server *embedded.Server // nil when the log is another process's
	served chan error       // what its Serve returned
	client *eventstoredb.Store
	log    *eventstore.Log
	docs   projections.Documents
	files  *blobs.Bucket

	closeDocs func(context.Context) error
	damaged   <-chan struct{} // closed when the file of the read models cannot be used any more; nil: there is none
	logger    logrus.FieldLogger
	observers []func(context.Context, eventstore.Written)
}

func (s *stores) tell(ctx context.Context, w eventstore.Written) {
	for _, observer := range s.observers {
		observer(ctx, w)
	}
}

// openStores opens everything below the data folder, or connects to what the configuration names in its place. After an error nothing is open.
// The observers are told of every append.
func openStores(ctx context.Context, cfg config.Config, logger logrus.FieldLogger, observers ...func(context.Context, eventstore.Written)) (*stores, error) {
	s := &stores{served: make(chan error, 1), logger: logger, observers: observers}
	if err := s.open(ctx, cfg); err != nil {
		return nil, errors.Join(err, s.close(context.WithoutCancel(ctx)))
	}
	return s, nil
}

func (s *stores) open(ctx context.Context, cfg config.Config) error {
	target, err := s.openEventStore(cfg, s.logger)
	if err != nil {
		return err
	}
	if s.client, err = eventstoredb.Open(target); err != nil {
		return fmt.Errorf("open the event store: %w", err)
	}
	s.log = eventstore.NewLog(eventstore.Observe(s.client, s.tell), eventstore.NewCodec())
	if err := s.openDocuments(cfg); err != nil {
		return fmt.Errorf("open the read models: %w", err)
	}
	where := cfg.Blobs
	if where == "" {
		where = filepath.Join(cfg.Data, "files")
	}
	if s.files, err = blobs.Open(ctx, where, blobkey.DocumentPrefixes()...); err != nil {
		return fmt.Errorf("open the files: %w; when documents.db is damaged, restore it from the newest backup (docs/eventstore.md)", err)
	}
	s.files.Limit(quota.Limits{
		Account: quota.Amount{Bytes: int64(cfg.AccountStorage), Files: cfg.AccountFiles}, Total: quota.Amount{Bytes: int64(cfg.TotalStorage), Files: cfg.TotalFiles},
	}, blobkey.AccountPrefixes()...)
	s.files.LimitOwned(blobkey.Bodies.Prefix(), s.templateOwner)
	return nil
}

// templateOwner is the account of a template; empty: it was never saved.
func (s *stores) templateOwner(ctx context.Context, id string) (string, error) {
	for recorded, err := range s.log.Store().ReadStream(ctx, template.Stream(template.ID(id)), eventstore.Forwards, 0) {
		if err != nil {
			return "", err
		}
		_, meta, err := s.log.Codec().Decode(recorded)
		if errors.Is(err, eventstore.ErrUnknownType) {
			return "", nil
		}
		return string(meta.Account), err
	}
	return "", nil
}

// openEventStore starts the embedded server, unless another one is configured, and says what the client has to dial.
func (s *stores) openEventStore(cfg config.Config, logger logrus.FieldLogger) (eventstoredb.Config, error) {
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
		return target, fmt.Errorf("open the embedded event store: %w; when its file is damaged, restore the newest backup (docs/eventstore.md)", err)
	}
	s.server, target.Addr = server, server.Addr()
	go func() { s.served <- server.Serve() }()
	return target, nil
}

// examineEventStore refuses to start where the event store of another process would not be of use: certificate, rights, cluster.
func examineEventStore(ctx context.Context, cfg config.Config, logger logrus.FieldLogger) error {
	if cfg.EventStore == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	notes, err := eventstoredb.Examine(ctx, storeAt(cfg.EventStore))
	for _, note := range notes {
		logger.Warn(note)
	}
	if err != nil {
		return fmt.Errorf("--eventstore: %w", err)
	}
	return nil
}

// checkLogThere refuses a data folder that has documents and no log any more. A new log would know none of them, and they would be removed
// as those of movies that never were.
func checkLogThere(data string) error {
	log, documents := filepath.Join(data, "events", "events.db"), filepath.Join(data, "files", "documents.db")
	_, lost := os.Stat(log)
	if _, err := os.Stat(documents); err != nil || !errors.Is(lost, fs.ErrNotExist) {
		return nil // a new folder, or one that has its log: whoever opens it says what is wrong with it
	}
	return fmt.Errorf("the log %s is lost, and %s is still there: restore the newest backup (docs/backup.md), or name the event store "+
		"that has the log with --eventstore", log, documents)
}

// watchServer waits until the embedded server ends by itself, or ctx does.
func (s *stores) watchServer(ctx context.Context) error {
	select {
	case err := <-s.served:
		s.served <- err // for close
		return err
	case <-ctx.Done():
		return nil
	}
}

// watchDocuments waits until the file of the read models cannot be used any more, or ctx ends.
func (s *stores) watchDocuments(ctx context.Context) error {
	select {
	case <-s.damaged:
		return sqlite.ErrDamaged
	case <-ctx.Done():
		return nil
	}
}

func (s *stores) openDocuments(cfg config.Config) error {
	if err := s.openStore(cfg); err != nil {
		return err
	}
	s.docs = projections.SealTokens(s.docs, secret.NewLateVault(cfg.Data, cfg.BeyondHost()))
	return nil
}

func (s *stores) openStore(cfg config.Config) error {
	if cfg.Mongo != "" {
		docs, err := mongodb.Open(cfg.Mongo)
		if err != nil {
			return err
		}
		s.docs, s.closeDocs = docs, docs.Close
		return nil
	}
	docs, err := sqlite.Open(filepath.Join(cfg.Data, readModelsFile))
	if err != nil {
		return err
	}
	if aside := docs.Aside(); aside != "" {
		s.logger.WithField("aside", aside).Warn("file of the read models is damaged; it is set aside, and they are rebuilt from the log")
	}
	s.damaged = docs.Damaged()
	s.docs, s.closeDocs = docs, func(context.Context) error { return docs.Close() }
	return nil
}

// close closes what was opened: the client after its last call, the embedded server last.
func (s *stores) close(ctx context.Context) error {
	var errs []error
	ctx, cancel := context.WithTimeout(ctx, closeTime)
	defer cancel()
	if s.closeDocs != nil {
		errs = append(errs, s.closeDocs(ctx))
	}
	if s.files != nil {
		errs = append(errs, s.files.Close())
	}
	if s.client != nil {
		if err := s.client.Close(ctx); err != nil {
			// The server is away, and calls to it are stuck in the client. Nothing is lost by leaving them.
			s.logger.WithError(err).Warn("event store client not closed cleanly")
		}
	}
	if s.server != nil {
		errs = append(errs, s.server.Close(ctx))
		select {
		case err := <-s.served:
			errs = append(errs, err)
		case <-ctx.Done():
			errs = append(errs, fmt.Errorf("close the embedded event store: %w", ctx.Err()))
		}
	}
	return errors.Join(errs...)
}

// makeDataFolder makes the folder that everything local lies in, for this user only. One that others can enter is closed to them.
func makeDataFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the data folder: %w", err)
	}
	info, err := os.Stat(dir)
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		err = os.Chmod(dir, 0o700)
	}
	if err != nil {
		return fmt.Errorf("the data folder must be open to this user only (chmod 700): %w", err)
	}
	return nil
}

// head returns how to see at once where the log ends; nil when the log is another process's.
func (s *stores) head() func() eventstore.Position {
	if s.server == nil {
		return nil
	}
	return func() eventstore.Position {
		position := s.server.Head()
		return eventstore.Position{Commit: position, Prepare: position}
	}
}

// modelsConfig is the configuration of the read models.
func (s *stores) modelsConfig(cfg config.Config, logger logrus.FieldLogger) projections.Config {
	return projections.Config{
		Head:          s.head(),
		Documents:     s.docs,
		Log:           s.log,
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

// caughtUp waits until the read models have seen what the log has now.
func (s *service) caughtUp(ctx context.Context) error {
	for last, err := range s.stores.log.Store().ReadAll(ctx, eventstore.Backwards, eventstore.Position{}) {
		if err != nil {
			return err
		}
		return s.models.Reader.WaitFor(ctx, last.Position)
	}
	return nil
}
