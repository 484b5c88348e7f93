package app

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"moviola/adapters/vault"
)

// What stored credentials are encrypted with can be renewed without touching the secret of the installation, which is also in
// addresses that were handed out. The variables name the secret in use, and those before it, separated by commas; the files in the data
// folder do the same, a secret a line. Without any of them it is the secret of the installation.
const (
	credentialsEnv        = envPrefix + "CREDENTIALS_SECRET"
	formerCredentialsEnv  = envPrefix + "FORMER_CREDENTIALS_SECRETS"
	credentialsFile       = "credentials.secret"
	formerCredentialsFile = "credentials.former"
)

// newVault returns what stored credentials are encrypted with.
func newVault(cfg Config, secret secret) (*vault.Vault, error) {
	masters, err := credentialSecrets(cfg, secret)
	if err != nil {
		return nil, err
	}
	var keys [][]byte
	for _, master := range masters {
		key, err := derive(master, "credentials")
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return vault.New(keys[0], keys[1:]...)
}

// credentialSecrets are the secrets that credentials are encrypted with: the one in use first, then those whose work stays readable.
func credentialSecrets(cfg Config, secret secret) ([][]byte, error) {
	var all [][]byte
	for _, source := range []struct{ env, file string }{{credentialsEnv, credentialsFile}, {formerCredentialsEnv, formerCredentialsFile}} {
		if value := os.Getenv(source.env); value != "" {
			all = append(all, split(strings.ReplaceAll(value, ",", "\n"))...)
			continue
		}
		data, err := os.ReadFile(filepath.Join(cfg.Data, source.file))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read the secrets of credentials: %w", err)
		}
		all = append(all, split(string(data))...)
	}
	all = append(all, bytes.TrimSpace(secret.master))
	var unique [][]byte
	for _, one := range all {
		if !slices.ContainsFunc(unique, func(other []byte) bool { return bytes.Equal(one, other) }) {
			unique = append(unique, one)
		}
	}
	return unique, nil
}

func split(text string) [][]byte {
	var secrets [][]byte
	for _, line := range strings.Fields(text) {
		secrets = append(secrets, []byte(line))
	}
	return secrets
}
