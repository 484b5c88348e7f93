package remote

import (
	"errors"
	"fmt"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	tools "moviola/handlers/mcp"
	"moviola/internal/config"
)

// MCPCommand is `moviola mcp`.
func MCPCommand() *cobra.Command {
	var client apiClient
	var root string
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Offer a service's tools to an agent over stdin and stdout (Model Context Protocol)",
		Long: "Offer the tools of a service to an agent that speaks the Model Context Protocol over stdin and stdout: --url names " +
			"the service, " + apiKeyEnv + " carries the key.\n" +
			"The agent sees what the service offers to the key. With --root it can upload files of this machine that lie below that " +
			"folder.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if client.URL == "" {
				return errors.New("give --url: the base address of a service, such as http://localhost:8080")
			}
			key, err := client.key()
			if err != nil {
				return err
			}
			bridge := &tools.Bridge{URL: client.URL, Key: key, Version: config.Version}
			if root != "" {
				if bridge.Root, err = os.OpenRoot(root); err != nil {
					return fmt.Errorf("--root: %w", err)
				}
				defer func() { err = errors.Join(err, bridge.Root.Close()) }()
			}
			return bridge.Run(cmd.Context(), &mcp.StdioTransport{})
		},
	}
	client.bind(cmd.Flags())
	cmd.Flags().StringVar(&root, "root", "", "folder whose files the agent may upload (default: none)")
	return cmd
}
