package cli

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

const (
	// probeTime limits the request of a probe.
	probeTime = 3 * time.Second
	// maxProbeAnswer limits the printed part of a response, in bytes.
	maxProbeAnswer = 4 << 10
)

// probeCommand asks the service on the same host or in the same container whether it is alive. Images without an HTTP client use
// it for health checks.
func probeCommand() *cobra.Command {
	var listen string
	var ready bool
	cmd := &cobra.Command{
		Use:   "probe",
		Short: "Ask the service on this host whether it lives (/healthz), or can do its work (/readyz); exit code 1: no",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			path := "/healthz"
			if ready {
				path = "/readyz"
			}
			answer, err := probe(cmd.Context(), listen, path)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), answer)
			return err
		},
	}
	cmd.Flags().StringVar(&listen, "ops-listen", "127.0.0.1:9464", "the operators' address of the service, as it was started with")
	cmd.Flags().BoolVar(&ready, "ready", false, "ask /readyz")
	return cmd
}

// probe requests a path from the service of this host, and returns the response body if the status is 200.
func probe(ctx context.Context, listen, path string) (string, error) {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return "", fmt.Errorf("--ops-listen %s: give host:port or :port, as the service has it", listen)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+path, nil)
	if err != nil {
		return "", fmt.Errorf("--ops-listen %s: %w", listen, err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", fmt.Errorf("the service does not answer: %w", err)
	}
	defer func() { _ = answer.Body.Close() }() // closing an answer that was only read loses nothing
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxProbeAnswer))
	if err != nil {
		return "", fmt.Errorf("read the service's answer: %w", err)
	}
	text := strings.TrimSpace(string(body))
	if answer.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the service answered %d: %s", answer.StatusCode, text)
	}
	return text, nil
}
