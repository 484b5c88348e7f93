package secret

import (
	"bytes"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Env names the variable with the secret of an installation.
const Env = "MOVIOLA_SECRET"

// File is the name of the secret's file in the data folder.
const File = "secret"

// Secret is the secret of an installation, from which keys are derived: for cursors, file tokens, upload addresses, stored
// credentials and others. A Secret gives other packages only these keys.
type Secret struct{ master []byte }

// Load reads the secret from the environment, or from the data folder, where the first start stores one. When other hosts may
// share the installation, the variable must be set: each host would generate another secret.
func Load(data string, shared bool) (Secret, error) {
	if value := os.Getenv(Env); value != "" {
		return Secret{[]byte(value)}, nil
	}
	if shared {
		return Secret{}, fmt.Errorf("set %s to a long random text, the same for every process: the installation reaches "+
			"beyond this host", Env)
	}
	path := filepath.Join(data, File)
	for {
		content, err := os.ReadFile(path)
		switch {
		case err == nil && len(bytes.TrimSpace(content)) == 0:
			return Secret{}, fmt.Errorf("the secret is lost: bring %s, which is empty, back from a backup", path)
		case err == nil:
			return Secret{content}, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return Secret{}, fmt.Errorf("read the secret: %w", err)
		}
		if err := writeSecret(path); err != nil && !errors.Is(err, fs.ErrExist) {
			return Secret{}, fmt.Errorf("write the secret: %w", err)
		}
	}
}

// Known returns the secret as Load does, but creates none: false says that this host has none. With shared, a file in the data
// folder does not count, because it may be the secret of another installation.
func Known(data string, shared bool) (Secret, bool, error) {
	if os.Getenv(Env) == "" {
		if shared {
			return Secret{}, false, nil
		}
		if _, err := os.Stat(filepath.Join(data, File)); errors.Is(err, fs.ErrNotExist) {
			return Secret{}, false, nil
		}
	}
	secret, err := Load(data, shared)
	return secret, err == nil, err
}

// writeSecret creates the secret's file atomically: processes that start together must read the same secret.
func writeSecret(path string) error {
	random := make([]byte, 32)
	if _, err := rand.Read(random); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".secret-")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	_, err = tmp.WriteString(hex.EncodeToString(random))
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return os.Link(tmp.Name(), path) // Link fails when another process has created the file, which Load then reads
}

// Key derives the 32-byte key for a purpose.
func (s Secret) Key(purpose string) ([]byte, error) { return derive(s.master, purpose) }

func derive(master []byte, purpose string) ([]byte, error) {
	key, err := hkdf.Key(sha256.New, master, nil, "moviola "+purpose, 32)
	if err != nil {
		return nil, fmt.Errorf("derive the key for %s: %w", purpose, err)
	}
	return key, nil
}
