// Package cli is the command line of `moviola`. Each group of commands has a package. This package has the commands of the
// process itself: serve runs internal/app; others, for example, call a running service or open its stores.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"moviola/internal/cli/audits"
	"moviola/internal/cli/backups"
	"moviola/internal/cli/eventstores"
	"moviola/internal/cli/exit"
	"moviola/internal/cli/remote"
	"moviola/internal/cli/renders"
	"moviola/internal/cli/upkeep"
	"moviola/internal/config"
)

// Main runs the command line and returns the exit code: 0 for success, the code of an exit.Error, otherwise 1.
func Main(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := rootCommand()
	root.SetArgs(args[1:])
	root.SetOut(stdout)
	root.SetErr(stderr)
	if err := root.ExecuteContext(ctx); err != nil {
		_, _ = fmt.Fprintln(stderr, "moviola:", err) // when stderr fails, there is no place left to report it
		var ends exit.Error
		if errors.As(err, &ends) {
			return ends.Code
		}
		return 1
	}
	return 0
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "moviola",
		Short:         "A self-hosted video rendering service: post a movie as JSON, get an MP4",
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := config.FromEnvironment(cmd.Flags()); err != nil {
				return err
			}
			if err := config.CheckVariables(cmd.Flags(), os.Environ(), allFlags(cmd.Root())); err != nil {
				return err
			}
			if err := config.FromFile(cmd.Flags()); err != nil {
				return err
			}
			return config.FromFiles(cmd.Flags())
		},
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w; see `%s --help`", err, cmd.CommandPath())
	})
	root.AddCommand(serveCommand(), renders.RenderCommand(), remote.ValidateCommand(), remote.BatchCommand(),
		remote.InboxCommand(), remote.MoviesCommand(), remote.StillCommand(), remote.TemplatesCommand(), remote.MediaCommand(),
		remote.MCPCommand(), eventstores.EventStoreCommand(),
		remote.KeysCommand(), backups.SecretsCommand(), upkeep.DocumentsCommand(), accountsCommand(), remote.CreditsCommand(),
		remote.WorkCommand(), remote.ActsCommand(),
		audits.AuditCommand(upkeep.PublicKey, upkeep.AnchorCommand(), upkeep.VerifyCommand()),
		upkeep.CheckCommand(), backups.BackupCommand(),
		backups.RestoreCommand(), upkeep.RebuildCommand(), upkeep.AnalyticsCommand(), upkeep.ExportCommand(), configCommand(),
		doctorCommand(), probeCommand(), remote.OperatorsCommand(),
		versionCommand())
	offerValues(root)
	return root
}

// Command returns the command line with all commands, for programs that describe it.
func Command() *cobra.Command { return rootCommand() }

// allFlags returns the names of the flags of a command and its subcommands.
func allFlags(cmd *cobra.Command) []string {
	var names []string
	cmd.Flags().VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
	for _, sub := range cmd.Commands() {
		names = append(names, allFlags(sub)...)
	}
	return names
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			goVersion := ""
			if info, ok := debug.ReadBuildInfo(); ok {
				goVersion = " (" + info.GoVersion + ")"
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "moviola "+config.Version+goVersion)
			return err
		},
	}
}

// accountsCommand is `moviola accounts`: commands that ask a running service, and those for the keys in its stores.
func accountsCommand() *cobra.Command {
	cmd := remote.AccountsCommand()
	cmd.AddCommand(backups.AccountKeysCommand(), upkeep.EraseAccountCommand())
	return cmd
}
