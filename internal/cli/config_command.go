package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"moviola/internal/config"
)

// configCommand checks or prints the configuration that `moviola serve` would have with the same flags, variables and files.
func configCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "config", Short: "Look at the configuration: flags, variables and --config"}
	var checked, shown config.Config
	check := &cobra.Command{
		Use:   "check",
		Short: "Say whether `moviola serve` would take the configuration",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checked.Validate(); err != nil {
				return err
			}
			for _, warning := range config.Warnings(cmd.Flags()) {
				if _, err := fmt.Fprintln(cmd.ErrOrStderr(), "warning:", warning); err != nil {
					return err
				}
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "The configuration can be used.")
			return err
		},
	}
	show := &cobra.Command{
		Use:   "print",
		Short: "Print every setting with its value and where it comes from, as a file for --config; secrets are hidden",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return config.Print(cmd.OutOrStdout(), cmd.Flags())
		},
	}
	checked.Bind(check.Flags())
	shown.Bind(show.Flags())
	cmd.AddCommand(check, show)
	return cmd
}
