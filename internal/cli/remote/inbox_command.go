package remote

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/spf13/cobra"
)

const inboxesPath = "/v2/inboxes"

// inbox is an inbox in an answer of the service.
type inbox struct {
	ID        string `json:"id"`
	Address   string `json:"address"`
	Letters   int    `json:"letters"`
	ExpiresAt string `json:"expires_at"`
}

// InboxCommand is `moviola inbox`: it opens addresses inside the service for trying webhooks, and shows what was sent to them.
func InboxCommand() *cobra.Command {
	var client apiClient
	cmd := &cobra.Command{
		Use:   "inbox",
		Short: "Try webhooks at an address inside the service",
		Long: "Open an address that webhooks of the account are sent to without a call to anybody, and show what arrives, on a " +
			"service: --url names it, " + apiKeyEnv + " carries the key of a manager or admin.",
	}
	client.bind(cmd.PersistentFlags())
	cmd.AddCommand(openInboxCommand(&client), listInboxesCommand(&client), showInboxCommand(&client), deleteInboxCommand(&client))
	return cmd
}

func openInboxCommand(client *apiClient) *cobra.Command {
	return &cobra.Command{
		Use:   "open",
		Short: "Open an inbox for an hour; its id and address are printed",
		Args:  cobra.NoArgs,
		RunE: asked(func(cmd *cobra.Command, _ []string) error {
			var opened struct{ Inbox inbox }
			if _, err := client.call(cmd.Context(), http.MethodPost, inboxesPath, &opened); err != nil {
				return err
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n", opened.Inbox.ID, opened.Inbox.Address)
			return err
		}),
	}
}

func listInboxesCommand(client *apiClient) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the open inboxes, the newest first",
		Args:  cobra.NoArgs,
		RunE: asked(func(cmd *cobra.Command, _ []string) error {
			var open struct{ Inboxes []inbox }
			if _, err := client.call(cmd.Context(), http.MethodGet, inboxesPath, &open); err != nil {
				return err
			}
			for _, one := range open.Inboxes {
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s %s %s, until %s\n", one.ID, one.Address, counted(one.Letters, "letter"),
					one.ExpiresAt)
				if err != nil {
					return err
				}
			}
			return nil
		}),
	}
}

func showInboxCommand(client *apiClient) *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "Show what was sent to an inbox, as JSON, the newest first",
		Args:  cobra.ExactArgs(1),
		RunE: asked(func(cmd *cobra.Command, args []string) error {
			var read struct{ Letters []json.RawMessage }
			if _, err := client.call(cmd.Context(), http.MethodGet, inboxesPath+"/"+url.PathEscape(args[0]), &read); err != nil {
				return err
			}
			for _, letter := range read.Letters {
				if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\n", letter); err != nil {
					return err
				}
			}
			return nil
		}),
	}
}

func deleteInboxCommand(client *apiClient) *cobra.Command {
	return &cobra.Command{
		Use:   "delete ID",
		Short: "Delete an inbox and what was sent to it",
		Args:  cobra.ExactArgs(1),
		RunE: asked(func(cmd *cobra.Command, args []string) error {
			var gone struct{}
			_, err := client.call(cmd.Context(), http.MethodDelete, inboxesPath+"/"+url.PathEscape(args[0]), &gone)
			return err
		}),
	}
}
