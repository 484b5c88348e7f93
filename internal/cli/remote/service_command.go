package remote

import (
	"fmt"
	"net/http"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"moviola/handlers/http/admin"
)

// queueCommand is `moviola work queue`.
func queueCommand(o *operator) *cobra.Command {
	return &cobra.Command{
		Use:   "queue",
		Short: "Show what waits and what is being done, and the shares of accounts in it",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var answer admin.QueueShown
			if err := o.call(cmd.Context(), http.MethodGet, "/admin/queue", nil, nil, &answer); err != nil {
				return err
			}
			out := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			_, _ = fmt.Fprintln(out, "KIND\tACCOUNT\tWAITING\tRUNNING\tOLDEST\tSHARE") // errors are returned by Flush
			for _, s := range answer.Accounts {
				oldest := time.Duration(s.OldestSeconds * float64(time.Second)).Round(time.Second)
				_, _ = fmt.Fprintf(out, "%s\t%s\t%d\t%d\t%s\t%.0f %%\n", s.Kind, s.Account, s.Waiting, s.Running, oldest, 100*s.Share)
			}
			if answer.More > 0 {
				_, _ = fmt.Fprintf(out, "and %d more\n", answer.More)
			}
			return out.Flush()
		},
	}
}

// workersCommand is `moviola work workers`.
func workersCommand(o *operator) *cobra.Command {
	return &cobra.Command{
		Use:   "workers",
		Short: "List the processes of the installation, their slots, and what they do now",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var answer admin.Workers
			if err := o.call(cmd.Context(), http.MethodGet, "/admin/workers", nil, nil, &answer); err != nil {
				return err
			}
			for _, one := range answer.Workers {
				slots := make([]string, len(one.Slots))
				for i, s := range one.Slots {
					slots[i] = fmt.Sprintf("%s %d", s.Kind, s.Slots)
				}
				state := "alive"
				if !one.Alive {
					state = "silent"
				}
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\t%s\t%s\n  slots: %s\n", one.Name, state, strings.Join(one.Roles, ","),
					strings.Join(slots, ", "))
				for _, d := range one.Doing {
					if err == nil {
						_, err = fmt.Fprintf(cmd.OutOrStdout(), "  %s of account %s\n", d.Work, d.Account)
					}
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
}
