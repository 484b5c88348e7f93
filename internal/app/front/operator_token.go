package front

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"

	"moviola/handlers/http/web"
	"moviola/internal/config"
)

// loadOperatorToken reads the operator's token from its file or the environment. When neither has one, it generates one for
// this run.
func (s *Front) loadOperatorToken() error {
	token, err := config.OperatorToken(s.Config.AdminTokenFile)
	if err := errors.Join(err, config.CheckOperatorToken(token)); err != nil {
		return err
	}
	if token == "" {
		random := make([]byte, 20)
		if _, err := rand.Read(random); err != nil {
			return fmt.Errorf("make an admin token: %w", err)
		}
		token = hex.EncodeToString(random)
		s.GeneratedToken = token
	}
	s.operator = web.NewOperatorToken(token, s.Config.WrongTokenDelay, s.Do.Operators)
	return nil
}
