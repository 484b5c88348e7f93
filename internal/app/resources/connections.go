package resources

import (
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
	to, err := roads.NewDestinations(s.Config, guard, s.Do.Inboxes)
	if err != nil {
		return nil, err
	}
	roads := connectioncommands.TestRoads{Webhook: to.Webhook, Senders: to.Senders, Provider: roads.NewProber(guard).Probe,
		Emails: s.Do.CountRecipients}
	return connections.New(connections.Config{
		Connections: s.Models.Connections,
		Save:        s.Do.SaveConnection,
		Delete:      s.Do.DeleteConnection,
		Test:        connectioncommands.NewTestConnectionHandler(s.Stores.Log, s.Vault, roads, time.Now),
		Projected:   s.Models.Reader,
		CursorKey:   cursorKey,
		Log:         log,
	})
}
