// Package roads wires what leads out of an installation: the guard, the senders of destinations, providers that accounts have
// saved, and what is known of all of them before a movie is rendered.
package roads

import (
	"fmt"
	"net"
	"net/url"

	"moviola/adapters/outbound"
	"moviola/internal/config"
)

// selfOf is host:port of the base of the addresses that are handed out.
func selfOf(publicURL string) string {
	u, err := url.Parse(publicURL)
	if err != nil || u.Hostname() == "" {
		return ""
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// NewGuard is the road out of this process. What the service itself serves is not reached by it. Decision 8.
func NewGuard(cfg config.Config) (*outbound.Guard, error) {
	guard, err := outbound.NewGuard(outbound.Config{Allow: cfg.AllowHosts, Self: selfOf(cfg.PublicURL)})
	if err != nil {
		return nil, fmt.Errorf("--allow-host: %w", err)
	}
	return guard, nil
}
