package upkeep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"moviola/eventstore"
	"moviola/internal/cli/erasures"
	"moviola/internal/cli/eventstores"
	"moviola/internal/config"
	"moviola/internal/stores"
	"moviola/projections"
)

// RebuildCommand is `moviola rebuild`.
func RebuildCommand() *cobra.Command {
	var cfg config.Config
	cmd := &cobra.Command{
		Use:   "rebuild [read model]...",
		Short: "Make the read models again from the event log, beside those in use",
		Long: "Make the read models again from the event log, beside those in use, and switch over when they are complete. " +
			"The service may\n" +
			"run meanwhile, and goes on answering. Give the flags and variables that the service has: times are part of what " +
			"is made.\n\n" +
			"With names (movies, balances, work, …) only these are made again.",
		RunE: func(cmd *cobra.Command, names []string) error {
			if err := cfg.Validate(); err != nil {
				return err
			}
			return rebuild(cmd.Context(), cfg, names, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cfg.Bind(cmd.Flags())
	return cmd
}

// EraseAccountCommand is `moviola accounts erase`. It passes the function that rebuilds the read models to the package
// erasures: rebuilt read models have no data of the erased account.
func EraseAccountCommand() *cobra.Command {
	return erasures.EraseAccountCommand(func(
		ctx context.Context, s *stores.Stores, cfg projections.Config, stderr io.Writer,
	) (erasures.DropFormer, error) {
		models, err := rebuildModels(ctx, s, cfg, nil, stderr)
		if err != nil {
			return nil, err
		}
		return models.Reader.DropFormer, nil
	})
}

// rebuild rebuilds the read models and prints the progress.
func rebuild(ctx context.Context, cfg config.Config, names []string, stdout, stderr io.Writer) (err error) {
	logger, err := config.NewLog(stderr, cfg.LogLevel, cfg.LogFormat)
	if err != nil {
		return err
	}
	if err := cfg.RequireStores(); err != nil {
		return err
	}
	store, stop, err := eventstores.OpenLogWith(ctx, cfg.Data, cfg.EventStore, eventstores.HistoryAt(cfg), logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, eventstores.CloseStore(ctx, store), stop()) }()
	s := stores.New(logger)
	if err := s.OpenDocuments(cfg); err != nil {
		return fmt.Errorf("open the read models: %w", err)
	}
	defer func() { err = errors.Join(err, s.CloseDocs(context.WithoutCancel(ctx))) }()
	s.Log = eventstore.NewLog(store, eventstore.NewCodec().WithKeys(s.Keys))
	if _, err := rebuildModels(ctx, s, s.ModelsConfig(cfg, logger), names, stderr); err != nil {
		return err
	}
	_, err = fmt.Fprintln(stdout, "the read models were made again")
	return err
}

// rebuildModels builds read models of open stores again and prints the progress.
func rebuildModels(
	ctx context.Context, s *stores.Stores, cfg projections.Config, names []string, stderr io.Writer,
) (*projections.ReadModels, error) {
	models, err := projections.Open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	end, err := s.Log.End(ctx)
	if err != nil {
		return nil, fmt.Errorf("look for the end of the log: %w", err)
	}
	next := time.Now().Add(time.Second)
	err = models.Reader.Rebuild(ctx, func(at eventstore.Position) {
		if now := time.Now(); now.After(next) && end.Commit > 0 {
			next = now.Add(time.Second)
			_, _ = fmt.Fprintf(stderr, "%d %% of the log are read\n", min(100, 100*at.Commit/end.Commit))
		}
	}, names...)
	if err != nil {
		return nil, fmt.Errorf("rebuild the read models: %w", err)
	}
	return models, nil
}
