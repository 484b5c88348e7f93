package resources

import (
	"crypto/rand"
	"time"

	"github.com/sirupsen/logrus"

	connectioncommands "moviola/commands/connections"
	"moviola/handlers/http/connections"
	"moviola/internal/app/roads"
	"moviola/internal/secret"
)

// NewConnections wires the operations on saved connections.
func (s *Resources) NewConnections(secret secret.Secret, log logrus.FieldLogger) (*connections.API, error) {
	cursorKey, err := secret.Key("cursors")
	if err != nil {
		return nil, err
	}
	guard, err := roads.NewGuard(s.Config)
	if err != nil {
		return nil, err
	}
	to, err := roads.NewDestinations(s.Config, guard)
	if err != nil {
		return nil, err
	}
	roads := connectioncommands.TestRoads{Webhook: to.Webhook, Senders: to.Senders, Provider: roads.NewProber(guard).Probe,
		Emails: s.Emails()}
	events, now := s.Stores.Log, time.Now
	return connections.New(connections.Config{
		Connections: s.Models.Connections,
		Save:        connectioncommands.NewSaveConnectionHandler(events, s.Vault, rand.Reader, now),
		Delete:      connectioncommands.NewDeleteConnectionHandler(events, now),
		Test:        connectioncommands.NewTestConnectionHandler(events, s.Vault, roads, now),
		Projected:   s.Models.Reader,
		CursorKey:   cursorKey,
		Log:         log,
	})
}
