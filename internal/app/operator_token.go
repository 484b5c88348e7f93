package app

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"

	"moviola/handlers/web"
)

// adminTokenEnv names the variable that carries the operator's token.
const adminTokenEnv = envPrefix + "ADMIN_TOKEN"

// minOperatorToken is the least length of an operator's token that is chosen by hand.
const minOperatorToken = 24

// operatorToken is the operator's token in a file, when one is named, or in the environment; empty: none is set.
func operatorToken(file string) (string, error) {
	token := os.Getenv(adminTokenEnv)
	if file == "" {
		return token, nil
	}
	if token != "" {
		return "", fmt.Errorf("--admin-token-file and %s: give one of them", adminTokenEnv)
	}
	token, err := readSecretFile(file)
	if err != nil {
		return "", fmt.Errorf("--admin-token-file: %w", err)
	}
	return token, nil
}

// checkOperatorToken refuses a token that could be guessed. It does not say how long the token is.
func checkOperatorToken(token string) error {
	if token != "" && len(token) < minOperatorToken {
		return fmt.Errorf("the admin token is too short: give at least %d characters, such as the output of `openssl rand -hex 20`", minOperatorToken)
	}
	return nil
}

// loadOperatorToken takes the operator's token, or makes one for this run.
func (s *service) loadOperatorToken() error {
	token, err := operatorToken(s.cfg.AdminTokenFile)
	if err := errors.Join(err, checkOperatorToken(token)); err != nil {
		return err
	}
	if token == "" {
		random := make([]byte, 20)
		if _, err := rand.Read(random); err != nil {
			return fmt.Errorf("make an admin token: %w", err)
		}
		token = hex.EncodeToString(random)
		s.generatedToken = token
	}
	s.operator = web.NewOperatorToken(token, s.cfg.WrongTokenDelay)
	return nil
}
