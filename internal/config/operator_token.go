package config

import (
	"fmt"
	"os"
)

// AdminTokenEnv names the environment variable with the operator's token.
const AdminTokenEnv = EnvPrefix + "ADMIN_TOKEN"

// minOperatorToken is the minimum length of an operator's token, in bytes.
const minOperatorToken = 24

// OperatorToken returns the operator's token from a file, if one is named, or from the environment; empty: none is set.
func OperatorToken(file string) (string, error) {
	token := os.Getenv(AdminTokenEnv)
	if file == "" {
		return token, nil
	}
	if token != "" {
		return "", fmt.Errorf("--admin-token-file and %s: give one of them", AdminTokenEnv)
	}
	token, err := ReadSecretFile(file)
	if err != nil {
		return "", fmt.Errorf("--admin-token-file: %w", err)
	}
	return token, nil
}

// CheckOperatorToken refuses a token that is short enough to be guessed. The error does not tell its length.
func CheckOperatorToken(token string) error {
	if token != "" && len(token) < minOperatorToken {
		return fmt.Errorf("the admin token is too short: give at least %d characters, such as the output of `openssl "+
			"rand -hex 20`", minOperatorToken)
	}
	return nil
}
