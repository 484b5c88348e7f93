package upkeep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/spf13/cobra"

	"moviola/adapters/assets"
	"moviola/adapters/images"
	"moviola/adapters/render/workspace"
	"moviola/adapters/scratch"
	"moviola/adapters/speech"
	"moviola/adapters/sqlite"
	"moviola/commands"
	"moviola/domain"
	"moviola/eventstore"
	"moviola/handlers/background/check"
	"moviola/internal/app/parts"
	"moviola/internal/cli/backups"
	"moviola/internal/cli/eventstores"
	"moviola/internal/cli/exit"
	"moviola/internal/config"
	"moviola/internal/secret"
	"moviola/internal/stores"
	"moviola/projections"
)

// checking holds the flags of `moviola check`.
type checking struct {
	cfg    config.Config
	repair bool
	json   bool
	files  bool
	quick  bool
	grace  time.Duration
}

// CheckCommand is `moviola check`: it compares documents, files, read models and caches with the log.
func CheckCommand() *cobra.Command {
	var c checking
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Hold everything that is stored against the log: what is missing, damaged or nobody's",
		Long: "Hold documents, files, read models and the caches of this machine against the log, while the service runs or " +
			"when it is stopped: what\n" +
			"is missing, damaged or nobody's. Give the flags and variables that the service has. With --repair, files that " +
			"nothing names are\n" +
			"removed, and what is wrong in caches; a finished movie that another one is a copy of is copied back, and read " +
			"models are made\n" +
			"again; the rest takes a backup. The exit status is 0 when\n" +
			"nothing is left to do, 1 when something is, and 2 when it could not be checked.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := c.cfg.Validate()
			if err == nil {
				err = c.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
			}
			var ends exit.Error
			if err != nil && !errors.As(err, &ends) {
				err = exit.With(err, exit.NotChecked)
			}
			return err
		},
	}
	f := cmd.Flags()
	c.cfg.Bind(f)
	f.BoolVar(&c.repair, "repair", false, "repair what can be repaired")
	f.BoolVar(&c.json, "json", false, "print one JSON object")
	f.BoolVar(&c.files, "files-only", false, "do not compare the read models")
	f.BoolVar(&c.quick, "quick", false, "do not read finished movies and caches: compare lengths, and look what is there")
	f.DurationVar(&c.grace, "grace", 24*time.Hour, "how old a file must be to be nobody's; a younger one may be about to "+
		"be recorded")
	return cmd
}

// run checks the stores of the installation and prints the findings.
func (c *checking) run(ctx context.Context, stdout, stderr io.Writer) (err error) {
	logger, err := config.NewLog(stderr, c.cfg.LogLevel, c.cfg.LogFormat)
	if err != nil {
		return err
	}
	if _, err := os.Stat(c.cfg.Data); err != nil {
		return fmt.Errorf("--data: %w", err)
	}
	if err := c.requireStores(); err != nil { // what another log names would be nobody's, and --repair would remove it
		return err
	}
	store, stop, err := eventstores.OpenLogWith(ctx, c.cfg.Data, c.cfg.EventStore, eventstores.HistoryAt(c.cfg), logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, eventstores.CloseStore(ctx, store), stop()) }()
	files, err := backups.OpenFiles(ctx, c.cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, files.Close()) }()
	// The file is looked for first, because secret.Load would create a missing secret.
	if _, err := os.Stat(filepath.Join(c.cfg.Data, secret.File)); err != nil && os.Getenv(secret.Env) == "" {
		return fmt.Errorf("the secret of the installation, without which documents cannot be read: %w", err)
	}
	master, err := secret.Load(c.cfg.Data, c.cfg.BeyondHost())
	if err != nil {
		return err
	}
	vault, err := secret.NewVault(c.cfg.Data, master)
	if err != nil {
		return err
	}
	config := check.Config{
		Log:   eventstore.NewLog(store, eventstore.NewCodec().WithoutPersonal()),
		Files: commands.SealDocuments(files, vault), Walk: files.Walk, Archive: store.Examine,
		Repair: c.repair, Grace: c.grace, Quick: c.quick, Caches: cachesOf(c.cfg),
		Holder: func(account domain.AccountID) string {
			return filepath.Base(assets.Folder("", account))
		}, Lapse: 2 * c.cfg.AssetCacheTTL,
	}
	if !c.files {
		closeModels, err := c.compareModels(&config, logger)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, closeModels()) }()
	}
	report, err := check.Run(ctx, config)
	if err != nil {
		return err
	}
	return c.print(stdout, report)
}

// requireStores returns an error when the service has a store that was not named.
func (c *checking) requireStores() error {
	cfg := c.cfg
	if c.files && cfg.Mongo == "" {
		cfg.Mongo = "not used"
	}
	return cfg.RequireStores()
}

// cachesOf returns the caches of this machine.
func cachesOf(cfg config.Config) []check.Cache {
	work := filepath.Join(cfg.Data, parts.WorkFolder)
	engine, sources, voices, pictures := filepath.Join(work, "render"), filepath.Join(work, "assets"), filepath.Join(work,
		"speech"), filepath.Join(work, "images")
	return []check.Cache{
		{What: "rendered part in the cache", Dir: workspace.CacheFolder(engine), Examine: workspace.Examine,
			Folder: func(account domain.AccountID) string { return workspace.Folder(engine, account) }},
		{What: "source in the cache", Dir: sources, Examine: assets.Examine,
			Folder: func(account domain.AccountID) string { return assets.Folder(sources, account) }},
		{What: "voice in the cache", Dir: voices, Examine: scratch.Examine, Named: scratch.Named,
			Folder: func(account domain.AccountID) string { return speech.Folder(voices, account) }},
		{What: "generated picture in the cache", Dir: pictures, Examine: scratch.Examine, Named: scratch.Named,
			Folder: func(account domain.AccountID) string { return images.Folder(pictures, account) }},
	}
}

// compareModels adds to a check the comparison of the read models with a rebuild in a temporary store.
func (c *checking) compareModels(config *check.Config, logger *logrus.Logger) (done func() error, err error) {
	if c.cfg.Mongo == "" { // without this check, opening the read models would create their file
		if _, err := os.Stat(filepath.Join(c.cfg.Data, stores.ReadModelsFile)); err != nil {
			return nil, fmt.Errorf("the read models (say --files-only to check without them): %w", err)
		}
	}
	s := stores.New(logger)
	if err := s.OpenDocuments(c.cfg); err != nil {
		return nil, fmt.Errorf("open the read models: %w", err)
	}
	s.Log = eventstore.NewLog(config.Log.Store(), config.Log.Codec().WithKeys(s.Keys))
	dir, err := os.MkdirTemp("", "moviola-check-")
	if err != nil {
		return nil, err
	}
	scratch, err := sqlite.Open(filepath.Join(dir, "read-models.db"))
	if err != nil {
		return nil, err
	}
	config.Verify = func(ctx context.Context) ([]projections.Difference, error) {
		differences, err := projections.Verify(ctx, s.ModelsConfig(c.cfg, logger), scratch)
		if errors.Is(err, sqlite.ErrDamaged) {
			err = fmt.Errorf("%w: %w", projections.ErrUnlike, err)
		}
		return differences, err
	}
	config.Rebuild = func(ctx context.Context) error {
		models, err := projections.Open(ctx, s.ModelsConfig(c.cfg, logger))
		if err != nil {
			return err
		}
		return models.Reader.Rebuild(ctx, nil)
	}
	return func() error {
		return errors.Join(s.CloseDocs(context.Background()), scratch.Close(), os.RemoveAll(dir))
	}, nil
}

// print prints the findings.
func (c *checking) print(w io.Writer, report check.Report) error {
	left := report.Left()
	if c.json {
		encoded, err := json.MarshalIndent(report, "", "  ")
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s\n", encoded); err != nil {
			return err
		}
	} else {
		for _, f := range report.Findings {
			line := fmt.Sprintf("%-9s %s: %s", f.Kind, f.What, f.Name)
			if f.Detail != "" {
				line += " (" + f.Detail + ")"
			}
			if line += ": " + f.Remedy; f.Repaired {
				line = "repaired  " + line
			}
			if _, err := fmt.Fprintln(w, line); err != nil {
				return err
			}
		}
		if report.Unlisted > 0 {
			if _, err := fmt.Fprintf(w, "%d more events cannot be read; they are not listed\n", report.Unlisted); err != nil {
				return err
			}
		}
		_, err := fmt.Fprintf(w, "%d events, %d files that they name, %d files stored, %d in caches: %d findings, %d of "+
			"them are left\n",
			report.Events, report.Files, report.Stored, report.Cached, len(report.Findings)+report.Unlisted, left)
		if err != nil {
			return err
		}
	}
	if left > 0 {
		return exit.With(fmt.Errorf("%d findings are left", left), exit.Findings)
	}
	return nil
}
