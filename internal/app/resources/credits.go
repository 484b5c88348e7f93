package resources

import (
	"github.com/sirupsen/logrus"

	"moviola/handlers/http/access"
	"moviola/handlers/http/credits"
	"moviola/internal/secret"
)

// NewCredits wires the operations on credits.
func (s *Resources) NewCredits(secret secret.Secret, gate *access.Gate, log logrus.FieldLogger) (*credits.API, error) {
	cursorKey, err := secret.Key("cursors")
	if err != nil {
		return nil, err
	}
	return credits.New(credits.Config{
		Totals: s.Ledgers, Standings: s.Standings(), Statements: s.Models.Statements,
		Gate: gate, CursorKey: cursorKey, Log: log,
	})
}
