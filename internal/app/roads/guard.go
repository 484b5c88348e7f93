// Package roads wires outgoing connections, among them the guard, the senders of destinations and providers in saved
// connections. It also makes the checks of addresses, providers and destinations for the validator.
package roads

import (
	"fmt"
	"net"
	"net/url"

	"moviola/adapters/outbound"
	"moviola/internal/config"
)

// selfOf returns host:port of the service's public address.
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

// NewGuard returns the guard of this process's outgoing connections. It refuses the service's own address. Decision 8.
func NewGuard(cfg config.Config) (*outbound.Guard, error) {
	guard, err := outbound.NewGuard(outbound.Config{Allow: cfg.AllowHosts, Self: selfOf(cfg.PublicURL)})
	if err != nil {
		return nil, fmt.Errorf("--allow-host: %w", err)
	}
	return guard, nil
}
