package remote

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"text/tabwriter"

	"github.com/spf13/cobra"

	acts "moviola/domain/operator"
)

// WorkCommand is `moviola work`: it shows the work list and the processes of a running service, and retries or drops stuck work.
func WorkCommand() *cobra.Command {
	o := &operator{}
	cmd := &cobra.Command{Use: "work", Short: "Look after the work of a running service"}
	o.bind(cmd.PersistentFlags())
	cmd.AddCommand(listWorkCommand(o), retryWorkCommand(o), dropWorkCommand(o), capacityCommand(o), queueCommand(o),
		workersCommand(o))
	return cmd
}

// stuckRow is a stuck item in responses of the operator's interface.
type stuckRow struct {
	Work      string `json:"work"`
	Account   string `json:"account"`
	Failures  int    `json:"failures"`
	Last      string `json:"last"`
	Droppable bool   `json:"droppable"`
	Message   string `json:"message"`
}

func (o *operator) stuck(cmd *cobra.Command) ([]stuckRow, error) {
	var answer struct{ Work []stuckRow }
	err := o.call(cmd.Context(), http.MethodGet, adminWorkPath, nil, nil, &answer)
	return answer.Work, err
}

func listWorkCommand(o *operator) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List what fails again and again for its own reasons",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			stuck, err := o.stuck(cmd)
			if err != nil {
				return err
			}
			out := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			_, _ = fmt.Fprintln(out, "WORK\tACCOUNT\tFAILURES\tLAST\tDROPPABLE\tMESSAGE") // errors are returned by Flush
			for _, s := range stuck {
				_, _ = fmt.Fprintf(out, "%s\t%s\t%d\t%s\t%t\t%s\n", s.Work, s.Account, s.Failures, s.Last, s.Droppable,
					acts.Plain(s.Message))
			}
			return out.Flush()
		},
	}
}

func retryWorkCommand(o *operator) *cobra.Command {
	var all bool
	var count int
	cmd := &cobra.Command{
		Use:   "retry WORK | retry --all --count N",
		Short: "Forget the failures of one piece of work, or of all; it is tried within a minute",
		Long: "Forget the failures of one piece of work, or of all; it is tried within a minute. All are retried only by " +
			"whoever says how\n" +
			"many they are, as `moviola work list` shows them.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			request := map[string]any{}
			switch {
			case all && len(args) == 0 && cmd.Flags().Changed("count"):
				request["all"], request["count"] = true, count
			case !all && len(args) == 1:
				request["work"] = args[0]
			default:
				return errors.New("name one piece of work, or say --all and --count N")
			}
			var retried struct{ Count int }
			if err := o.call(cmd.Context(), http.MethodPost, adminRetryPath, nil, request, &retried); err != nil {
				return err
			}
			what := "1 piece of work is"
			if retried.Count != 1 {
				what = fmt.Sprintf("%d pieces of work are", retried.Count)
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), what, "tried anew")
			return err
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "all that is stuck")
	cmd.Flags().IntVar(&count, "count", 0, "with --all: how many were listed")
	return cmd
}

func dropWorkCommand(o *operator) *cobra.Command {
	return &cobra.Command{
		Use:   "drop WORK",
		Short: "Give a stuck piece of work up: the movie, or its delivery, ends as failed",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var dropped struct{ Work string }
			if err := o.call(cmd.Context(), http.MethodPost, adminDropPath, nil, map[string]string{"work": args[0]},
				&dropped); err != nil {
				return err
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s is given up\n", dropped.Work)
			return err
		},
	}
}

// ActsCommand is `moviola acts`: it prints the audit trail, the record of what operators have done to a running service.
func ActsCommand() *cobra.Command {
	o := &operator{}
	var on string
	cmd := &cobra.Command{
		Use:   "acts",
		Short: "Show what operators have done to a running service, the newest first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			_, _ = fmt.Fprintln(out, "AT\tWHO\tACT\tON\tHOW\tREFUSED") // errors are returned by Flush
			query := url.Values{}
			if on != "" {
				query.Set("on", on)
			}
			for {
				var page struct {
					NextToken *string `json:"next_token"`
					Acts      []struct{ At, Who, Act, On, How, Refused string }
				}
				if err := o.call(cmd.Context(), http.MethodGet, adminActsPath, query, nil, &page); err != nil {
					return err
				}
				for _, a := range page.Acts {
					_, _ = fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\n", a.At, a.Who, a.Act, a.On, a.How, a.Refused)
				}
				if page.NextToken == nil {
					return out.Flush()
				}
				query.Set("next_token", *page.NextToken)
			}
		},
	}
	o.bind(cmd.Flags())
	cmd.Flags().StringVar(&on, "on", "", "only what was done to this account, key or piece of work")
	return cmd
}

// capacityCommand prints how many movies wait for a render slot and how many have one.
func capacityCommand(o *operator) *cobra.Command {
	return &cobra.Command{
		Use:   "capacity",
		Short: "Say how many movies wait for a slot of a renderer, and how many have one",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var answer struct {
				Waiting, Running int
				OldestSeconds    float64 `json:"oldest_seconds"`
				SlotsWanted      int     `json:"slots_wanted"`
			}
			if err := o.call(cmd.Context(), http.MethodGet, adminCapacityPath, nil, nil, &answer); err != nil {
				return err
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%d slots are wanted: %d movies wait, the first for %.0f s; %d have one.\n",
				answer.SlotsWanted, answer.Waiting, answer.OldestSeconds, answer.Running)
			return err
		},
	}
}
