package remote

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"moviola/handlers/http/admin"
)

const adminOperatorsPath = "/admin/operators"

// OperatorsCommand is `moviola operators`.
func OperatorsCommand() *cobra.Command {
	o := &operator{}
	cmd := &cobra.Command{Use: "operators",
		Short: "List, add, renew and revoke operators of a running service, and end their sessions"}
	o.bind(cmd.PersistentFlags())
	cmd.AddCommand(listOperatorsCommand(o), addOperatorCommand(o), renewOperatorCommand(o), revokeOperatorCommand(o),
		listSessionsCommand(o), endSessionCommand(o))
	return cmd
}

func listOperatorsCommand(o *operator) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the operators by name; whoever has the token of the configuration is an owner, and not listed",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var answer admin.Operators
			if err := o.call(cmd.Context(), http.MethodGet, adminOperatorsPath, nil, nil, &answer); err != nil {
				return err
			}
			out := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			_, _ = fmt.Fprintln(out, "NAME\tROLE\tADDED") // errors are returned by Flush
			for _, one := range answer.Operators {
				_, _ = fmt.Fprintf(out, "%s\t%s\t%s\n", one.Name, one.Role, one.AddedAt)
			}
			return out.Flush()
		},
	}
}

func addOperatorCommand(o *operator) *cobra.Command {
	var request struct {
		Name string `json:"name"`
		Role string `json:"role"`
	}
	cmd := &cobra.Command{
		Use:   "add --name NAME --role ROLE",
		Short: "Add an operator; the token is printed once, alone on standard output",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var added admin.AddedOperator
			if err := o.call(cmd.Context(), http.MethodPost, adminOperatorsPath, nil, request, &added); err != nil {
				return err
			}
			return printToken(cmd, added)
		},
	}
	cmd.Flags().StringVar(&request.Name, "name", "", "name that the operator's acts are recorded under")
	cmd.Flags().StringVar(&request.Role, "role", "operator",
		"observer (reads), operator (acts) or owner (also adds and revokes operators)")
	return cmd
}

// printToken prints the token of an operator, alone on standard output.
func printToken(cmd *cobra.Command, of admin.AddedOperator) error {
	_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "Token of %s, role %s. It is shown only now:\n", of.Name, of.Role)
	_, err := fmt.Fprintln(cmd.OutOrStdout(), of.Token)
	return err
}

func renewOperatorCommand(o *operator) *cobra.Command {
	return &cobra.Command{
		Use:   "renew NAME",
		Short: "Give an operator another token, printed once; the one before opens nothing any more",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var renewed admin.AddedOperator
			body := map[string]string{"name": args[0]}
			if err := o.call(cmd.Context(), http.MethodPost, adminOperatorsPath+"/renew", nil, body, &renewed); err != nil {
				return err
			}
			return printToken(cmd, renewed)
		},
	}
}

func revokeOperatorCommand(o *operator) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke NAME",
		Short: "Revoke an operator's token; it opens nothing from then on",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var answer struct{ Name string }
			err := o.call(cmd.Context(), http.MethodDelete, adminOperatorsPath, url.Values{"name": {args[0]}}, nil, &answer)
			if err == nil {
				_, err = fmt.Fprintf(cmd.ErrOrStderr(), "%s is no operator any more\n", answer.Name)
			}
			return err
		},
	}
}

const adminSessionsPath = adminOperatorsPath + "/sessions"

func listSessionsCommand(o *operator) *cobra.Command {
	return &cobra.Command{
		Use:   "sessions",
		Short: "List the open sessions of the operators' console, the newest first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var answer admin.OperatorSessions
			if err := o.call(cmd.Context(), http.MethodGet, adminSessionsPath, nil, nil, &answer); err != nil {
				return err
			}
			out := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			_, _ = fmt.Fprintln(out, "ID\tNAME\tROLE\tBEGAN\tUNTIL\tISSUER\tSUBJECT") // errors are returned by Flush
			for _, one := range answer.Sessions {
				issuer, subject := "-", "-"
				if one.Issuer != nil && one.Subject != nil {
					issuer, subject = *one.Issuer, *one.Subject
				}
				_, _ = fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n",
					one.ID, cmp.Or(one.Name, "-"), one.Role, one.BeganAt, one.Until, issuer, subject)
			}
			return out.Flush()
		},
	}
}

func endSessionCommand(o *operator) *cobra.Command {
	return &cobra.Command{
		Use:   "end-session ID",
		Short: "End a session of the operators' console; it opens nothing from then on",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var answer struct{ ID string }
			err := o.call(cmd.Context(), http.MethodDelete, adminSessionsPath, url.Values{"id": {args[0]}}, nil, &answer)
			if err == nil {
				_, err = fmt.Fprintf(cmd.ErrOrStderr(), "session %s has ended\n", answer.ID)
			}
			return err
		},
	}
}
