package secret

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

// The secret for stored credentials can be changed without changing the secret of the installation, on which published addresses
// depend. The variables contain the current secret and the former ones, separated by commas; the files in the data folder contain
// the same, one secret a line. A variable wins over its file. Without a current secret, credentials are encrypted with the
// secret of the installation.
const (
	CredentialsEnv        = "MOVIOLA_CREDENTIALS_SECRET"
	FormerCredentialsEnv  = "MOVIOLA_FORMER_CREDENTIALS_SECRETS"
	CredentialsFile       = "credentials.secret"
	FormerCredentialsFile = "credentials.former"
)

// NewVault returns the vault for stored credentials.
func NewVault(data string, secret Secret) (*vault.Vault, error) {
	masters, err := credentialSecrets(data, secret)
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

// credentialSecrets returns the secrets for credentials: the current one first, then all others that are known, which still
// decrypt.
func credentialSecrets(data string, secret Secret) ([][]byte, error) {
	var all [][]byte
	for _, source := range []struct{ env, file string }{{CredentialsEnv, CredentialsFile},
		{FormerCredentialsEnv, FormerCredentialsFile}} {
		all = append(all, split(strings.ReplaceAll(os.Getenv(source.env), ",", "\n"))...)
		content, err := os.ReadFile(filepath.Join(data, source.file))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read the secrets of credentials: %w", err)
		}
		all = append(all, split(string(content))...)
		if len(all) == 0 { // no current secret is given
			all = append(all, bytes.TrimSpace(secret.master))
		}
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

// RenewCredentials generates a new secret. It stores the former secrets first: a crash in between loses none.
func RenewCredentials(data string, master Secret) error {
	all, err := credentialSecrets(data, master)
	if err != nil {
		return err
	}
	var former strings.Builder
	for _, one := range all {
		former.Write(append(one, '\n'))
	}
	if err := WriteWhole(filepath.Join(data, FormerCredentialsFile), []byte(former.String())); err != nil {
		return fmt.Errorf("keep the former secrets: %w", err)
	}
	path := filepath.Join(data, CredentialsFile)
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("renew the secret: %w", err)
	}
	if err := writeSecret(path); err != nil {
		return fmt.Errorf("renew the secret: %w", err)
	}
	return nil
}

// WriteWhole replaces a file atomically. Only its owner may read it.
func WriteWhole(path string, content []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".secret-")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	_, err = tmp.Write(content)
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
