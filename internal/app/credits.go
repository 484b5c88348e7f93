package app

import (
	"github.com/sirupsen/logrus"

	"moviola/handlers/http/access"
	"moviola/handlers/http/credits"
	"moviola/internal/secret"
)

// newCredits wires the operations on credits.
func (s *service) newCredits(secret secret.Secret, gate *access.Gate, log logrus.FieldLogger) (*credits.API, error) {
	cursorKey, err := secret.Key("cursors")
	if err != nil {
		return nil, err
	}
	return credits.New(credits.Config{
		Totals: s.ledgers, Standings: s.standings(), Statements: s.models.Statements,
		Gate: gate, CursorKey: cursorKey, Log: log,
	})
}
