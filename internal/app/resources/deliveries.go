package resources

import (
	"github.com/sirupsen/logrus"

	"moviola/handlers/http/deliveries"
	"moviola/internal/secret"
)

// NewDeliveries wires the delivery log.
func (s *Resources) NewDeliveries(secret secret.Secret, log logrus.FieldLogger) (*deliveries.API, error) {
	cursorKey, err := secret.Key("cursors")
	if err != nil {
		return nil, err
	}
	return deliveries.New(deliveries.Config{
		Deliveries: s.Models.Deliveries, History: s.Models.Movies, Exchanges: s.Do.Exchanges, Inboxes: s.Do.Inboxes,
		CursorKey: cursorKey, Log: log,
	})
}
