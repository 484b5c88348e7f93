package parts

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/adapters/disk"
	"moviola/adapters/plansfile"
	"moviola/adapters/vault"
	"moviola/commands/accounts"
	"moviola/commands/ledgers"
	"moviola/domain/plan"
	"moviola/domain/result"
	"moviola/eventstore"
	"moviola/eventstore/embedded/logfile"
	"moviola/internal/app/journal"
	"moviola/internal/app/rendering"
	"moviola/internal/app/roads"
	"moviola/internal/config"
	"moviola/internal/host"
	"moviola/internal/metrics"
	"moviola/internal/secret"
	"moviola/internal/stores"
	"moviola/internal/tracing"
	"moviola/projections"
)

// Parts is what the roles of one process share: opened, not yet running.
type Parts struct {
	Config   config.Config
	Logger   *logrus.Logger
	Worker   string // name of this run of this process in claims
	Host     *host.Mark
	Stores   *stores.Stores
	Models   *projections.ReadModels
	Media    Media
	Do       UseCases
	Ledgers  *ledgers.Ledgers
	Vault    *vault.Vault
	Renderer *rendering.Renderer // nil without the role renderer

	Metrics   *metrics.Metrics
	Traces    *tracing.Tracer // nil without --otlp
	Disk      *disk.Watch
	Plans     plan.Plans
	Tokens    result.Tokens // derives the secret parts of the addresses of rendered files
	FirstKeys []byte        // secret from which the first API keys of accounts are derived
	Secret    secret.Secret
}

// Open opens the stores and what depends on them. Close must be called after an error, too.
func Open(ctx context.Context, cfg config.Config, log *logrus.Logger) (*Parts, error) {
	s := &Parts{Config: cfg, Logger: log, Disk: watchDisk(cfg, log)}
	master, err := s.prepare()
	if err != nil {
		return s, err
	}
	s.Secret = master
	for _, step := range []func() error{
		func() error { return s.deriveKeys(master) },
		func() (err error) { s.Vault, err = secret.NewVault(cfg.Data, master); return err },
		func() (err error) { s.Traces, err = openTraces(ctx, cfg, s.Worker, log); return err },
		func() error { return s.openStores(ctx) },
		func() error { return s.openInstallation(ctx, master) },
		func() error { return s.openLedgers(master) },
		func() error { return s.openModels(ctx) },
		func() error { return s.openMedia(master) },
		func() error { s.openUseCases(); return nil },
	} {
		if err := step(); err != nil {
			return s, err
		}
	}
	return s, nil
}

// openLedgers opens the ledgers. Their opening balances are signed as anchors are.
func (s *Parts) openLedgers(master secret.Secret) error {
	key, err := roads.AnchorKey(master)
	if err != nil {
		return err
	}
	s.Ledgers = ledgers.New(s.Stores.Log, time.Now, ledgers.SignedWith(key))
	return nil
}

// Close closes what Open has opened, and the renderer. Call it when nothing is running any more.
func (s *Parts) Close(ctx context.Context) error {
	var errs []error
	if s.Renderer != nil {
		errs = append(errs, s.Renderer.Close(ctx))
	}
	if s.Ledgers != nil {
		s.Ledgers.Close()
	}
	if s.Stores != nil {
		errs = append(errs, s.Stores.Close(ctx))
	}
	errs = append(errs, s.Traces.Close(ctx))
	if s.Host != nil {
		errs = append(errs, s.Host.Remove())
	}
	return errors.Join(errs...)
}

// prepare reads the files that flags name, and marks the data folder as in use by this process.
func (s *Parts) prepare() (master secret.Secret, err error) {
	data := s.Config.Data
	if err := stores.MakeDataFolder(data); err != nil {
		return master, err
	}
	if err := stores.RefuseHalfRestored(data); err != nil {
		return master, err
	}
	if s.Worker, err = workerName(); err != nil {
		return master, err
	}
	if s.Host, err = host.Leave(data, s.Worker); err != nil {
		return master, err
	}
	if err := s.noteFlags(); err != nil {
		return master, err
	}
	if master, err = secret.Load(data, s.Config.BeyondHost()); err != nil {
		return master, err
	}
	if s.Plans, err = plansfile.Read(s.Config.Plans); err != nil {
		return master, fmt.Errorf("--plans: %w", err)
	}
	return master, nil
}

// noteFlags records the flags of this process in the data folder, and removes what processes with former roles have recorded.
// It refuses a process without --eventstore where the service had one: the log in the data folder would be one from before,
// or a new one. Decision 103.
func (s *Parts) noteFlags() error {
	data := s.Config.Data
	noted, err := config.Noted(data)
	if where := config.LogElsewhere(noted, data); err == nil && where != "" && s.Config.EventStore == "" {
		return fmt.Errorf("the service was started with --eventstore %s before, and the log in the data folder is not the one it "+
			"has now: give --eventstore; to begin with the log in the data folder all the same, first remove %s",
			where, filepath.Join(data, config.FlagFolder))
	}
	served, lookErr := logfile.InUse(filepath.Join(data, "events"))
	if err = errors.Join(err, lookErr); err == nil {
		err = config.DropFormer(s.Config, served)
	}
	if err = errors.Join(err, config.Note(s.Config)); err != nil {
		s.Logger.WithError(err).Warn("flags of this process not saved; backups will not contain them")
	}
	return nil
}

// openStores opens the stores. Their appends are counted and logged.
func (s *Parts) openStores(ctx context.Context) (err error) {
	codec := eventstore.NewCodec().WithoutPersonal() // the events are decoded for metrics and logs, which need no personal data
	s.Metrics = metrics.New(config.Version, codec)
	observers := []func(context.Context, eventstore.Written){s.Metrics.Written, journal.New(codec, s.Logger).Written}
	if s.Traces != nil {
		observers = append(observers, s.Traces.Written)
	}
	s.Stores, err = stores.Open(ctx, s.Config, s.Logger, observers...)
	return err
}

// openTraces connects to the trace collector of --otlp; nil: the flag is not set.
func openTraces(ctx context.Context, cfg config.Config, worker string, log logrus.FieldLogger) (*tracing.Tracer, error) {
	if cfg.OTLP == "" {
		return nil, nil
	}
	token := ""
	if cfg.OTLPTokenFile != "" {
		var err error
		if token, err = config.ReadSecretFile(cfg.OTLPTokenFile); err != nil {
			return nil, fmt.Errorf("--otlp-token-file: %w", err)
		}
	}
	return tracing.Open(ctx, tracing.Config{
		URL: cfg.OTLP, Token: token, Authority: cfg.OTLPAuthority, Sample: cfg.OTLPSample, Version: config.Version, Worker: worker,
		Roles: cfg.Roles, Log: log.WithField("part", "traces"),
	})
}

// Watched returns the observers of the requests that the renderer of this process sends to other servers and to browsers.
func (s *Parts) Watched() rendering.Watched {
	return rendering.Watched{Metrics: s.Metrics, Traces: s.Traces}
}

// deriveKeys derives from the installation's secret the keys that several roles need.
func (s *Parts) deriveKeys(secret secret.Secret) error {
	tokens, err := secret.Key("file tokens")
	if err != nil {
		return err
	}
	s.Tokens = result.NewTokens(tokens)
	s.FirstKeys, err = secret.Key("first keys")
	return err
}

// maxLag is the longest time that lists may lag behind the log. Decision 59.
const maxLag = 5 * time.Second

// openModels opens the read models.
func (s *Parts) openModels(ctx context.Context) (err error) {
	config := s.Stores.ModelsConfig(s.Config, s.Logger)
	config.MaxLag = maxLag
	if s.Models, err = projections.Open(ctx, config); err != nil || !s.Config.EncryptAccounts {
		return err
	}
	return s.prepareEncryption(ctx)
}

// prepareEncryption checks, before this process encrypts events, that every running process can read encrypted events, and that
// keys can be stored.
func (s *Parts) prepareEncryption(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, stores.StartTime)
	defer cancel()
	running, err := s.Models.Processes.List(ctx)
	if err != nil {
		return fmt.Errorf("--encrypt-accounts: %w", err)
	}
	for _, process := range running {
		if !process.ReadsEncrypted {
			return fmt.Errorf("--encrypt-accounts: process %s of version %s cannot read encrypted events: end it, wait a minute if "+
				"it was killed, and start this process again", process.Name, process.Version)
		}
	}
	if err := s.Stores.Keys.Store().Prepare(ctx); err != nil {
		return fmt.Errorf("--encrypt-accounts: %w", err)
	}
	return nil
}

// openInstallation checks that this process has the secret of the installation. The first start records its fingerprint.
func (s *Parts) openInstallation(ctx context.Context, secret secret.Secret) error {
	fingerprint, err := secret.Key("fingerprint")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, stores.StartTime)
	defer cancel()
	open := accounts.NewOpenInstallationHandler(s.Stores.Log, time.Now)
	if err := open.Handle(ctx, accounts.OpenInstallation{Fingerprint: hex.EncodeToString(fingerprint[:8])}); err != nil {
		return fmt.Errorf("open the installation: %w", err)
	}
	return nil
}

// CaughtUp waits until the read models have reached the present end of the log.
func (s *Parts) CaughtUp(ctx context.Context) error {
	for last, err := range s.Stores.Log.Store().ReadAll(ctx, eventstore.Backwards, eventstore.Position{}) {
		if err != nil {
			return err
		}
		return s.Models.Reader.WaitFor(ctx, last.Position)
	}
	return nil
}

// watchDisk checks the disk of the data folder, and returns its Watch, which is not running yet.
func watchDisk(cfg config.Config, log logrus.FieldLogger) *disk.Watch {
	return disk.NewWatch(disk.Config{Folder: cfg.Data, Reserve: cfg.DiskReserve, Log: log.WithField("part", "disk")})
}
