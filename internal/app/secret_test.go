package app

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

func TestLoadSecret(t *testing.T) {
	t.Setenv(secretEnv, "")
	first := Config{Data: t.TempDir()}
	made := mustKey(t, first, "cursors")
	if again := mustKey(t, first, "cursors"); !bytes.Equal(made, again) {
		t.Error("the generated secret did not last")
	}
	if other := mustKey(t, first, "uploads"); bytes.Equal(made, other) {
		t.Error("two purposes share a key")
	}
	if other := mustKey(t, Config{Data: t.TempDir()}, "cursors"); bytes.Equal(made, other) {
		t.Error("two installations share a secret")
	}
	info, err := os.Stat(filepath.Join(first.Data, "secret"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the secret's file: %v, %v", info, err)
	}
	t.Setenv(secretEnv, "a secret of the operator's own")
	if set := mustKey(t, first, "cursors"); bytes.Equal(made, set) {
		t.Error("the variable was not used")
	}
}

// Processes that start together find one secret.
func TestLoadSecret_together(t *testing.T) {
	t.Setenv(secretEnv, "")
	cfg := Config{Data: t.TempDir()}
	var all sync.WaitGroup
	secrets := make([]secret, 16)
	for i := range secrets {
		all.Go(func() {
			var err error
			if secrets[i], err = loadSecret(cfg); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, s := range secrets {
		if len(s.master) != 64 || !bytes.Equal(s.master, secrets[0].master) {
			t.Fatalf("%d bytes, or not the same", len(s.master))
		}
	}
}

// What reaches beyond this host needs a secret that is set.
func TestLoadSecret_beyondThisHost(t *testing.T) {
	t.Setenv(secretEnv, "")
	tests := []struct {
		mongo, store string
		ok           bool
	}{
		{"mongodb://127.0.0.1:27017/moviola", "", true},
		{"mongodb://user:pass@localhost:27017/moviola?x=y", "", true},
		{"mongodb://127.0.0.1:27017,db.example.com:27017/moviola", "", false},
		{"mongodb://db.example.com/moviola", "", false},
		{"", "esdb://127.0.0.1:2113?tls=false", true},
		{"", "esdb://localhost?tls=false", true},
		{"", "unix:///run/moviola/es", true},
		{"", "esdb+discover://cluster.example.com:2113", false},
	}
	for _, tt := range tests {
		_, err := loadSecret(Config{Data: t.TempDir(), Mongo: tt.mongo, EventStore: tt.store})
		if (err == nil) != tt.ok {
			t.Errorf("mongo %q, event store %q: %v", tt.mongo, tt.store, err)
		}
	}
}

func mustKey(t *testing.T, cfg Config, purpose string) []byte {
	t.Helper()
	s, err := loadSecret(cfg)
	if err != nil {
		t.Fatal(err)
	}
	key, err := s.key(purpose)
	if err != nil {
		t.Fatal(err)
	}
	return key
}
