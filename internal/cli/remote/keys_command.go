package remote

import (
	"fmt"
	"net/http"
	"net/url"
	"text/tabwriter"

	"github.com/spf13/cobra"

	acts "moviola/domain/operator"
	"moviola/handlers/http/keys"
	"moviola/internal/config"
)

const adminKeysPath = "/admin/keys"

// KeysCommand is `moviola keys`.
func KeysCommand() *cobra.Command {
	o := &operator{}
	cmd := &cobra.Command{Use: "keys", Short: "List, issue and revoke the API keys of an account of a running service"}
	o.bind(cmd.PersistentFlags())
	cmd.AddCommand(listKeysCommand(o), issueKeyCommand(o), revokeKeyCommand(o))
	return cmd
}

func listKeysCommand(o *operator) *cobra.Command {
	var account string
	cmd := &cobra.Command{
		Use:   "list --account ID",
		Short: "List the keys of an account that were not revoked, the newest first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			_, _ = fmt.Fprintln(out, "ID\tROLE\tCREATED\tEXPIRES\tNAME") // errors are returned by Flush
			query := url.Values{"account": {account}}
			for {
				var page keys.Page
				if err := o.call(cmd.Context(), http.MethodGet, adminKeysPath, query, nil, &page); err != nil {
					return err
				}
				for _, k := range page.Keys {
					_, _ = fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\n", k.ID, roleOf(k), k.CreatedAt, expiryOf(k),
						acts.Plain(k.Name))
				}
				if page.NextToken == nil {
					return out.Flush()
				}
				query.Set("next_token", *page.NextToken)
			}
		},
	}
	cmd.Flags().StringVar(&account, "account", config.FirstAccount, "whose keys")
	return cmd
}

// roleOf returns a key's role, with the kind of a legacy key.
func roleOf(k keys.Key) string {
	if k.Legacy != nil {
		return fmt.Sprintf("%s (%s)", k.Role, *k.Legacy)
	}
	return string(k.Role)
}

func expiryOf(k keys.Key) string {
	switch {
	case k.ExpiresAt == nil:
		return "never"
	case k.Expired:
		return *k.ExpiresAt + " (expired)"
	}
	return *k.ExpiresAt
}

func issueKeyCommand(o *operator) *cobra.Command {
	var request struct {
		Account   string `json:"account"`
		Name      string `json:"name"`
		Role      string `json:"role,omitempty"`
		Legacy    string `json:"legacy,omitempty"`
		ExpiresAt string `json:"expires_at,omitempty"`
	}
	cmd := &cobra.Command{
		Use:   "issue --account ID --name NAME --role ROLE",
		Short: "Issue a key; it is printed once, alone on standard output",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var issued struct{ ID, Key, Role string }
			if err := o.call(cmd.Context(), http.MethodPost, adminKeysPath, nil, request, &issued); err != nil {
				return err
			}
			_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "Key %s of account %s, role %s. It is shown only now:\n", issued.ID,
				request.Account, issued.Role)
			_, err := fmt.Fprintln(cmd.OutOrStdout(), issued.Key)
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&request.Account, "account", config.FirstAccount, "whose key")
	f.StringVar(&request.Name, "name", "", "what the key is for")
	f.StringVar(&request.Role, "role", "", "viewer, render, editor, manager or admin")
	f.StringVar(&request.Legacy, "legacy", "", "primary or secondary, in place of a role: the kinds from before keys had roles")
	f.StringVar(&request.ExpiresAt, "expires", "", "date or date-time after which it opens nothing (default: never)")
	return cmd
}

func revokeKeyCommand(o *operator) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke ID...",
		Short: "Revoke keys: they open nothing from now on, in every process within a second",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, ids []string) error {
			for _, id := range ids {
				var revoked struct {
					Account   string
					RevokedAt string `json:"revoked_at"`
				}
				if err := o.call(cmd.Context(), http.MethodDelete, adminKeysPath, url.Values{"id": {id}}, nil, &revoked); err != nil {
					return err
				}
				if _, err := fmt.Fprintf(cmd.OutOrStdout(), "Key %s of account %s was revoked at %s\n", id, revoked.Account,
					revoked.RevokedAt); err != nil {
					return err
				}
			}
			return nil
		},
	}
}
