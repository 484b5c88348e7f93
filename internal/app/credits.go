package app

import (
	"github.com/sirupsen/logrus"

	"moviola/handlers/access"
	"moviola/handlers/credits"
)

// newCredits wires the operations on credits.
func (s *service) newCredits(secret secret, gate *access.Gate, log logrus.FieldLogger) (*credits.API, error) {
	cursorKey, err := secret.key("cursors")
	if err != nil {
		return nil, err
	}
	return credits.New(credits.Config{
		Totals: s.ledgers, Standings: s.standings(), Statements: s.models.Statements,
		Gate: gate, CursorKey: cursorKey, Log: log,
	})
}
