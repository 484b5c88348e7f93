package remote

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"text/tabwriter"

	"github.com/spf13/cobra"

	acts "moviola/domain/operator"
	"moviola/internal/config"
)

// The paths of the operator's interface for accounts, credits, work and the audit trail.
const (
	adminAccountsPath = "/admin/accounts"
	adminPlanPath     = "/admin/accounts/plan"
	adminCreditsPath  = "/admin/credits"
	adminActsPath     = "/admin/acts"
	adminWorkPath     = "/admin/work"
	adminCapacityPath = "/admin/capacity"
	adminRetryPath    = "/admin/work/retry"
	adminDropPath     = "/admin/work/drop"
)

// AccountsCommand is `moviola accounts`.
func AccountsCommand() *cobra.Command {
	o := &operator{}
	cmd := &cobra.Command{Use: "accounts", Short: "List, show, open, plan and close the accounts of a running service"}
	o.bind(cmd.PersistentFlags())
	cmd.AddCommand(listAccountsCommand(o), showAccountCommand(o), openAccountCommand(o), planAccountCommand(o),
		closeAccountCommand(o))
	return cmd
}

// accountRow is an account in responses of the operator's interface.
type accountRow struct {
	Account  string  `json:"account"`
	Name     string  `json:"name"`
	Plan     string  `json:"plan"`
	State    string  `json:"state"`
	OpenedAt string  `json:"opened_at"`
	ClosedAt *string `json:"closed_at"`

	Granted        int64 `json:"granted"`
	Charged        int64 `json:"charged"`
	Balance        int64 `json:"balance"`
	Held           int64 `json:"held"`
	Available      int64 `json:"available"`
	Suspended      bool  `json:"suspended"`
	StorageBlocked bool  `json:"storage_blocked"`
}

func listAccountsCommand(o *operator) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the accounts in the order in which they were opened",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			_, _ = fmt.Fprintln(out, "ACCOUNT\tPLAN\tSTATE\tOPENED\tNAME") // errors are returned by Flush
			for query := (url.Values{}); ; {
				var page struct {
					NextToken *string      `json:"next_token"`
					Accounts  []accountRow `json:"accounts"`
				}
				if err := o.call(cmd.Context(), http.MethodGet, adminAccountsPath, query, nil, &page); err != nil {
					return err
				}
				for _, a := range page.Accounts {
					_, _ = fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\n", a.Account, a.Plan, a.State, a.OpenedAt,
						acts.Plain(a.Name))
				}
				if page.NextToken == nil {
					return out.Flush()
				}
				query.Set("next_token", *page.NextToken)
			}
		},
	}
}

func showAccountCommand(o *operator) *cobra.Command {
	return &cobra.Command{
		Use:   "show ACCOUNT",
		Short: "Show an account and its credits",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := o.account(cmd, args[0])
			if err != nil {
				return err
			}
			return a.print(cmd.OutOrStdout())
		},
	}
}

// account requests one account.
func (o *operator) account(cmd *cobra.Command, id string) (accountRow, error) {
	var answer struct {
		Account accountRow `json:"account"`
	}
	err := o.call(cmd.Context(), http.MethodGet, adminAccountsPath, url.Values{"account": {id}}, nil, &answer)
	return answer.Account, err
}

func (a accountRow) print(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name string, value any) { _, _ = fmt.Fprintf(out, "%s\t%v\n", name, value) } // errors are returned by Flush
	row("account", a.Account)
	row("name", acts.Plain(a.Name))
	row("plan", a.Plan)
	row("state", a.State)
	row("opened", a.OpenedAt)
	if a.ClosedAt != nil {
		row("closed", *a.ClosedAt)
	}
	row("granted", a.Granted)
	row("charged", a.Charged)
	row("balance", a.Balance)
	row("held", a.Held)
	row("available", a.Available)
	if a.Suspended {
		row("suspended", "until credits are added")
	}
	if a.StorageBlocked {
		row("storage", "blocked until credits are added")
	}
	return out.Flush()
}

func openAccountCommand(o *operator) *cobra.Command {
	var request struct {
		Name    string `json:"name"`
		Plan    string `json:"plan,omitempty"`
		Credits *int64 `json:"credits,omitempty"`
	}
	var credits int64
	cmd := &cobra.Command{
		Use:   "open --name NAME",
		Short: "Open an account; its admin key is printed once",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("credits") {
				request.Credits = &credits
			}
			var opened struct{ Account, Key string }
			if err := o.call(cmd.Context(), http.MethodPost, adminAccountsPath, nil, request, &opened); err != nil {
				return err
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "account  %s\nkey      %s  (shown only now)\n", opened.Account, opened.Key)
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&request.Name, "name", "", "what the account is called")
	f.StringVar(&request.Plan, "plan", "", "one of the plans of the installation (default: free)")
	f.Int64Var(&credits, "credits", 600, "its first credits")
	return cmd
}

func planAccountCommand(o *operator) *cobra.Command {
	return &cobra.Command{
		Use:   "plan ACCOUNT PLAN",
		Short: "Put an account on another plan",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			request := map[string]string{"account": args[0], "plan": args[1]}
			var changed struct{ Account, Plan string }
			if err := o.call(cmd.Context(), http.MethodPost, adminPlanPath, nil, request, &changed); err != nil {
				return err
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "account %s is on plan %s\n", changed.Account, changed.Plan)
			return err
		},
	}
}

func closeAccountCommand(o *operator) *cobra.Command {
	var sure bool
	cmd := &cobra.Command{
		Use:   "close ACCOUNT --yes",
		Short: "Close an account for ever: its open movies are cancelled, and everything that is stored for it is removed",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !sure {
				return errors.New("closing an account cannot be undone: say --yes")
			}
			var closed struct{ Account string }
			if err := o.call(cmd.Context(), http.MethodDelete, adminAccountsPath, url.Values{"account": args}, nil, &closed); err != nil {
				return err
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "account %s is closed; what is stored for it is being removed\n", closed.Account)
			return err
		},
	}
	cmd.Flags().BoolVar(&sure, "yes", false, "really")
	return cmd
}

// CreditsCommand is `moviola credits`.
func CreditsCommand() *cobra.Command {
	o := &operator{}
	cmd := &cobra.Command{
		Use:   "credits",
		Short: "Show and grant the credits of the accounts of a running service (statements: moviola audit)",
	}
	o.bind(cmd.PersistentFlags())
	show := showAccountCommand(o)
	show.Short = "Show the credits of an account"
	cmd.AddCommand(show, grantCreditsCommand(o))
	return cmd
}

func grantCreditsCommand(o *operator) *cobra.Command {
	var request struct {
		Account   string `json:"account"`
		Amount    int64  `json:"amount"`
		Reference string `json:"reference"`
		Kind      string `json:"kind,omitempty"`
	}
	var pack bool
	cmd := &cobra.Command{
		Use:   "grant --account ID --amount N --reference REFERENCE",
		Short: "Grant credits, once for each reference",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if pack {
				request.Kind = "pack"
			}
			var granted struct{ Account string }
			if err := o.call(cmd.Context(), http.MethodPost, adminCreditsPath, nil, request, &granted); err != nil {
				return err
			}
			a, err := o.account(cmd, granted.Account)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "account %s has %d credits, %d of them available\n", a.Account, a.Balance, a.Available)
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&request.Account, "account", config.FirstAccount, "whose credits")
	f.Int64Var(&request.Amount, "amount", 0, "how many")
	f.StringVar(&request.Reference, "reference", "", "an order or invoice number: the same one grants once")
	f.BoolVar(&pack, "pack", false, "a credit pack, which gives a free account the paid length")
	return cmd
}
