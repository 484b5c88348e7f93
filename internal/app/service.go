package app

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/gorilla/mux"
	"github.com/sirupsen/logrus"

	"moviola/adapters/disk"
	"moviola/adapters/plansfile"
	"moviola/adapters/vault"
	"moviola/commands/accounts"
	"moviola/commands/ledgers"
	"moviola/domain/installation"
	"moviola/domain/plan"
	"moviola/domain/result"
	"moviola/eventstore"
	"moviola/handlers/background/chores"
	"moviola/handlers/background/curator"
	"moviola/handlers/background/processors"
	"moviola/handlers/http/access"
	"moviola/handlers/http/ops"
	"moviola/handlers/http/web"
	"moviola/internal/certificate"
	"moviola/internal/config"
	"moviola/internal/host"
	"moviola/internal/metrics"
	"moviola/internal/secret"
	"moviola/internal/stores"
	"moviola/projections"
	"moviola/projections/keyring"
)

// service is one process of an installation, put together and not yet running.
type service struct {
	cfg       config.Config
	log       *logrus.Logger
	worker    string // this run of this process, in claims
	host      *host.Mark
	stores    *stores.Stores
	models    *projections.ReadModels
	media     mediaParts
	keys      *keyring.Ring // nil without the role api
	ledgers   *ledgers.Ledgers
	vault     *vault.Vault
	renderer  *Renderer              // nil without the role renderer
	previewer *previewer             // nil without the role api
	work      *processors.Processors // nil when no role takes work
	chores    *chores.Chores
	curator   *curator.Curator // nil without the role keeper
	public    *http.Server     // nil without the role api

	certificate *certificate.Certificate // of public; nil: plain HTTP
	router      *mux.Router              // of public
	ops         *http.Server             // nil without --ops-listen

	metrics        *metrics.Metrics
	disk           *disk.Watch
	plans          plan.Plans
	tokens         result.Tokens      // in the addresses of rendered files
	firstKeys      []byte             // what the first keys of accounts are derived from
	operations     []access.Operation // all that a key opens
	operator       *web.OperatorToken
	generatedToken string // the operator's token, when this start has made it
}

// newService opens the stores and wires every part that the roles of this process need.
func newService(ctx context.Context, cfg config.Config, log *logrus.Logger) (s *service, err error) {
	s = &service{cfg: cfg, log: log, disk: watchDisk(cfg, log)}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close(context.WithoutCancel(ctx)))
		}
	}()
	master, err := s.prepare()
	if err != nil {
		return s, err
	}
	for _, step := range []func() error{
		func() error { return s.deriveKeys(master) },
		func() (err error) { s.vault, err = secret.NewVault(cfg.Data, master); return err },
		func() error { return s.openStores(ctx) },
		func() error { return s.openInstallation(ctx, master) },
		func() error { s.ledgers = ledgers.New(s.stores.Log, time.Now); return nil },
		func() error { return s.openModels(ctx) },
		func() error { return s.openMedia(master) },
		func() error { return s.openWork(ctx) },
		func() error { return s.openHTTP(master) },
	} {
		if err := step(); err != nil {
			return s, err
		}
	}
	return s, nil
}

// prepare reads what the data folder and the flags name, and leaves the mark of this process there.
func (s *service) prepare() (master secret.Secret, err error) {
	data := s.cfg.Data
	if err := stores.MakeDataFolder(data); err != nil {
		return master, err
	}
	if err := stores.RefuseHalfRestored(data); err != nil {
		return master, err
	}
	if s.worker, err = workerName(); err != nil {
		return master, err
	}
	if s.host, err = host.Leave(data, s.worker); err != nil {
		return master, err
	}
	if err := config.Note(s.cfg); err != nil {
		s.log.WithError(err).Warn("flags of this process not recorded; a backup will not have them")
	}
	if master, err = secret.Load(data, s.cfg.BeyondHost()); err != nil {
		return master, err
	}
	if s.plans, err = plansfile.Read(s.cfg.Plans); err != nil {
		return master, fmt.Errorf("--plans: %w", err)
	}
	return master, nil
}

// openWork wires what works without a request.
func (s *service) openWork(ctx context.Context) (err error) {
	if s.cfg.Works() {
		if s.work, err = s.newProcessors(ctx); err != nil {
			return err
		}
	}
	if s.chores, err = s.newChores(); err != nil {
		return err
	}
	if s.cfg.Plays(config.RoleKeeper) {
		s.curator, err = s.newCurator()
	}
	return err
}

// openHTTP wires the addresses for clients and for operators.
func (s *service) openHTTP(master secret.Secret) error {
	if s.cfg.Plays(config.RoleAPI) {
		s.keys = keyring.New(keyring.Config{Log: s.stores.Log, Logger: s.log.WithField("part", "keys")})
		if err := errors.Join(s.loadCertificate(), s.newPublic(master)); err != nil {
			return err
		}
	}
	return s.newOps()
}

// openStores opens the stores, whose appends are counted and told in the log.
func (s *service) openStores(ctx context.Context) (err error) {
	codec := eventstore.NewCodec()
	s.metrics = metrics.New(config.Version, codec)
	s.stores, err = stores.Open(ctx, s.cfg, s.log, s.metrics.Written, newJournal(codec, s.log).written)
	return err
}

// deriveKeys derives what parts of several roles need of the secret.
func (s *service) deriveKeys(secret secret.Secret) error {
	tokens, err := secret.Key("file tokens")
	if err != nil {
		return err
	}
	s.tokens = result.NewTokens(tokens)
	s.firstKeys, err = secret.Key("first keys")
	return err
}

// maxLag is how old an event may be that lists do not show yet. Decision 59.
const maxLag = 5 * time.Second

// openModels opens the read models.
func (s *service) openModels(ctx context.Context) (err error) {
	config := s.stores.ModelsConfig(s.cfg, s.log)
	config.MaxLag = maxLag
	s.models, err = projections.Open(ctx, config)
	return err
}

// openInstallation makes sure that this process works with the secret of the installation.
func (s *service) openInstallation(ctx context.Context, secret secret.Secret) error {
	fingerprint, err := secret.Key("fingerprint")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, stores.StartTime)
	defer cancel()
	open := accounts.NewOpenInstallationHandler(s.stores.Log, time.Now)
	if err := open.Handle(ctx, accounts.OpenInstallation{Fingerprint: hex.EncodeToString(fingerprint[:8])}); err != nil {
		return fmt.Errorf("open the installation: %w", err)
	}
	return nil
}

// newOps wires the operators' address.
func (s *service) newOps() (err error) {
	if s.cfg.OpsListen == "" {
		return nil
	}
	token := ""
	if s.cfg.MetricsTokenFile != "" {
		if token, err = config.ReadSecretFile(s.cfg.MetricsTokenFile); err != nil {
			return fmt.Errorf("--metrics-token-file: %w", err)
		}
	}
	s.ops = newHTTPServer(s.cfg.OpsListen, ops.New(ops.Config{
		Ready: s.checks(), Metrics: s.gatherer(), Hosts: s.cfg.OpsHosts, Pprof: s.cfg.Pprof, MetricsToken: token,
	}))
	return nil
}

// checks are what a process needs to be sent work.
func (s *service) checks() map[string]ops.Check {
	checks := map[string]ops.Check{
		"eventstore": func(ctx context.Context) error {
			last, err := s.stores.Log.Last(ctx, installation.Stream)
			if err == nil && last.Revision == eventstore.NoStream { // every start makes sure that it is there
				err = errors.New("the event store answers, and does not show this installation")
			}
			return err
		},
		"projections": func(context.Context) error {
			status := s.models.Reader.Status()
			if status.Err == nil && !status.CaughtUp {
				return errors.New("the read models have not caught up with the log yet")
			}
			return cmp.Or(status.Err, s.models.Reader.Behind())
		},
		"documents": s.models.Reader.Ping,
		"files":     s.stores.Files.Ping,
	}
	if s.stores.Server != nil {
		checks["embedded-eventstore"] = func(context.Context) error { return s.stores.Server.Health() }
	}
	return checks
}

// listen opens the addresses of the HTTP servers.
func (s *service) listen(ctx context.Context) (map[*http.Server]net.Listener, error) {
	listeners := map[*http.Server]net.Listener{}
	for _, server := range []*http.Server{s.public, s.ops} {
		if server == nil {
			continue
		}
		ln, err := new(net.ListenConfig).Listen(ctx, "tcp", server.Addr)
		if err != nil {
			for _, open := range listeners {
				err = errors.Join(err, open.Close())
			}
			return nil, err
		}
		if s.certificate != nil && server == s.public {
			ln = s.withTLS(ln)
		}
		listeners[server] = web.AnswerProtocolErrors(ln)
	}
	return listeners, nil
}

// close closes what newService has opened. Nothing may be running any more.
func (s *service) close(ctx context.Context) error {
	var errs []error
	if s.renderer != nil {
		errs = append(errs, s.renderer.Close(ctx))
	}
	if s.previewer != nil {
		errs = append(errs, s.previewer.close(ctx))
	}
	if s.ledgers != nil {
		s.ledgers.Close()
	}
	if s.stores != nil {
		errs = append(errs, s.stores.Close(ctx))
	}
	if s.host != nil {
		errs = append(errs, s.host.Remove())
	}
	return errors.Join(errs...)
}

// caughtUp waits until the read models have seen what the log has now.
func (s *service) caughtUp(ctx context.Context) error {
	for last, err := range s.stores.Log.Store().ReadAll(ctx, eventstore.Backwards, eventstore.Position{}) {
		if err != nil {
			return err
		}
		return s.models.Reader.WaitFor(ctx, last.Position)
	}
	return nil
}
