package cli

import (
	"github.com/spf13/cobra"

	"moviola/domain/document"
	"moviola/internal/app"
	"moviola/internal/config"
)

func serveCommand() *cobra.Command {
	var cfg config.Config
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the service",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cfg.Validate(); err != nil {
				return err
			}
			if err := document.UseLook(cfg.Look); err != nil {
				return err
			}
			log, err := config.NewLog(cmd.ErrOrStderr(), cfg.LogLevel, cfg.LogFormat)
			if err != nil {
				return err
			}
			cfg.Given, cfg.Exposed = config.Given(cmd.Flags()), config.Exposed(cmd.Flags())
			cfg.Settings = config.List(cmd.Flags())
			cfg.WarnOfExposed(log.Warn)
			for _, warning := range config.Warnings(cmd.Flags()) {
				log.Warn(warning)
			}
			return app.Serve(cmd.Context(), cfg, log, cmd.OutOrStdout())
		},
	}
	cfg.Bind(cmd.Flags())
	return cmd
}
