package app

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// secretEnv names the variable that carries the secret of an installation.
const secretEnv = envPrefix + "SECRET"

// secretFile is where the data folder has it.
const secretFile = "secret"

// secret is what the keys of an installation are derived from: those of cursors now, of uploads and stored credentials as they
// come. It never leaves the process.
type secret struct{ master []byte }

// loadSecret takes the secret from the environment, or from the data folder, where the first start leaves one.
// Where other hosts may share the installation it must be set: a generated one would be another on each host.
func loadSecret(cfg Config) (secret, error) {
	if value := os.Getenv(secretEnv); value != "" {
		return secret{[]byte(value)}, nil
	}
	if cfg.Mongo != "" && !mongoOnLoopback(cfg.Mongo) || cfg.EventStore != "" && !eventStoreOnHost(cfg.EventStore) || cfg.Blobs != "" {
		return secret{}, fmt.Errorf("set %s to a long random text, the same for every process: the installation reaches beyond this host", secretEnv)
	}
	path := filepath.Join(cfg.Data, secretFile)
	for {
		data, err := os.ReadFile(path)
		if err == nil {
			return secret{data}, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return secret{}, fmt.Errorf("read the secret: %w", err)
		}
		if err := writeSecret(path); err != nil && !errors.Is(err, fs.ErrExist) {
			return secret{}, fmt.Errorf("write the secret: %w", err)
		}
	}
}

// writeSecret creates the secret's file whole: processes that start together must read the same secret, or none.
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
	return os.Link(tmp.Name(), path) // fails when another process was first
}

// key derives the 32 byte key for one purpose.
func (s secret) key(purpose string) ([]byte, error) { return derive(s.master, purpose) }

func derive(master []byte, purpose string) ([]byte, error) {
	key, err := hkdf.Key(sha256.New, master, nil, "moviola "+purpose, 32)
	if err != nil {
		return nil, fmt.Errorf("derive the key for %s: %w", purpose, err)
	}
	return key, nil
}

// hosts returns the host:port list of an address such as mongodb://user@a:1,b:2/db?x=y.
func hosts(address string) []string {
	_, rest, _ := strings.Cut(address, "://")
	rest, _, _ = strings.Cut(rest, "?")
	rest, _, _ = strings.Cut(rest, "/")
	if at := strings.LastIndex(rest, "@"); at >= 0 {
		rest = rest[at+1:]
	}
	return strings.Split(rest, ",")
}

func mongoOnLoopback(address string) bool {
	for _, host := range hosts(address) {
		if !loopback(withPort(host)) {
			return false
		}
	}
	return true
}

func eventStoreOnHost(address string) bool {
	if strings.HasPrefix(address, "unix://") {
		return true
	}
	for _, host := range hosts(address) {
		if !loopback(withPort(host)) {
			return false
		}
	}
	return true
}

// withPort completes a host without port, so that it can be split.
func withPort(host string) string {
	if strings.Contains(host, ":") {
		return host
	}
	return host + ":0"
}
