// Package observing wires the operators' address: readiness and metrics of a process, and the operators' console there.
package observing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	"moviola/domain/installation"
	"moviola/eventstore"
	"moviola/handlers/console"
	"moviola/handlers/http/ops"
	"moviola/internal/app/parts"
	"moviola/internal/config"
	"moviola/projections/keyring"
)

// Observing serves readiness and metrics of a process.
type Observing struct {
	*parts.Parts
	Keys         *keyring.Ring // nil without the role api
	OperatorPage http.Handler  // the operators' console; nil: it is not served at this address
	// Overdue returns the number of places (flag --anchor-to) to which no anchor was sent for two intervals. nil: this
	// process makes no anchors.
	Overdue func() int64
}

// Handler serves the operators' address.
func (s *Observing) Handler() (handler http.Handler, err error) {
	token := ""
	if s.Config.MetricsTokenFile != "" {
		if token, err = config.ReadSecretFile(s.Config.MetricsTokenFile); err != nil {
			return nil, fmt.Errorf("--metrics-token-file: %w", err)
		}
	}
	return ops.New(ops.Config{
		Ready: s.checks(), Metrics: s.gatherer(), Hosts: s.Config.OpsHosts, Pprof: s.Config.Pprof, MetricsToken: token,
		Pages: s.pages(),
	}), nil
}

// pages are the pages of the operators' address, by their paths.
func (s *Observing) pages() map[string]http.Handler {
	if s.OperatorPage == nil {
		return nil
	}
	return map[string]http.Handler{console.OperatorPath: s.OperatorPage}
}

// checks returns the conditions under which a process is ready.
func (s *Observing) checks() map[string]ops.Check {
	checks := map[string]ops.Check{
		"eventstore": func(ctx context.Context) error {
			last, err := s.Stores.Log.Last(ctx, installation.Stream)
			// The first start of an installation writes the stream installation.Stream: an event store without it belongs to
			// another installation.
			if err == nil && last.Revision == eventstore.NoStream {
				err = errors.New("the event store answers, and does not show this installation")
			}
			return err
		},
		"projections": func(context.Context) error {
			status := s.Models.Reader.Status()
			if status.Err == nil && !status.CaughtUp {
				return errors.New("the read models have not caught up with the log yet")
			}
			return cmp.Or(status.Err, s.Models.Reader.Behind())
		},
		"documents": s.Models.Reader.Ping,
		"files":     s.Stores.Files.Ping,
	}
	if s.Stores.Server != nil {
		checks["embedded-eventstore"] = func(context.Context) error { return s.Stores.Server.Health() }
	}
	return checks
}
