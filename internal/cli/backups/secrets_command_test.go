package backups

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/commands"
	"moviola/commands/connections"
	"moviola/domain/connection"
	"moviola/internal/config"
	"moviola/internal/secret"
	"moviola/internal/stores"
)

// TestRotateSecrets renews the secret twice: what was saved before stays readable, and after that without the former secrets.
func TestRotateSecrets(t *testing.T) {
	for _, env := range []string{secret.Env, secret.CredentialsEnv, secret.FormerCredentialsEnv} {
		t.Setenv(env, "")
	}
	cfg := config.Config{Data: t.TempDir()}
	ctx := t.Context()
	log := logrus.New()
	log.SetOutput(io.Discard)
	stores, err := stores.Open(ctx, cfg, log)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := stores.Close(context.WithoutCancel(ctx)); err != nil {
			t.Error(err)
		}
	}()
	document := `{"exports":[{"destinations":[{"type":"ftp","password":"hush"}]}]}`
	v := mustVaultOf(t, cfg)
	save := connections.NewSaveConnectionHandler(stores.Log, v, rand.Reader, time.Now)
	settings := map[string]any{"host": "a.example", "username": "me", "password": "hush"}
	if _, err := save.Handle(ctx, connections.SaveConnection{Account: "alice", ID: "mine", Kind: connection.FTP, Settings: settings}); err != nil {
		t.Fatal(err)
	}
	if err := commands.SealDocuments(stores.Files, v).Put(ctx, "movies/alice/1.json", strings.NewReader(document)); err != nil {
		t.Fatal(err)
	}
	if err := commands.PutSealed(ctx, stores.Files, v, "rows/alice/1.json", []byte(document)); err != nil {
		t.Fatal(err)
	}
	readable := func() {
		t.Helper()
		v := mustVaultOf(t, cfg)
		opened, err := connections.NewConnections(stores.Log, v).Open(ctx, "alice", "mine")
		if err != nil || opened.Settings["password"] != "hush" {
			t.Errorf("the connection: %+v, %v", opened, err)
		}
		for _, key := range []string{"movies/alice/1.json", "rows/alice/1.json"} {
			content, err := commands.ReadFile(ctx, commands.SealDocuments(stores.Files, v), key)
			if err != nil || string(content) != document {
				t.Errorf("%s: %s, %v", key, content, err)
			}
		}
	}
	before := v.Key()
	for range 2 {
		var out bytes.Buffer
		if err := rotateSecrets(ctx, cfg, stores, &out); err != nil || !strings.HasPrefix(out.String(), "1 connections and 2 documents") {
			t.Fatalf("%s, %v", out.String(), err)
		}
		if now := mustVaultOf(t, cfg).Key(); now == before {
			t.Error("the key is the same")
		} else {
			before = now
		}
		readable()
	}
	if err := os.Remove(filepath.Join(cfg.Data, secret.FormerCredentialsFile)); err != nil {
		t.Fatal(err)
	}
	readable()
	current, err := os.ReadFile(filepath.Join(cfg.Data, secret.CredentialsFile))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(secret.CredentialsEnv, "another secret")
	t.Setenv(secret.FormerCredentialsEnv, string(current)+",still-another")
	readable()
}

// TestRotateSecretsOfStorage: documents outside of the data folder are encrypted anew, too, and the command does not run
// without the storage that the service has.
func TestRotateSecretsOfStorage(t *testing.T) {
	t.Setenv(secret.Env, "the secret of several hosts")
	t.Setenv(secret.CredentialsEnv, "")
	t.Setenv(secret.FormerCredentialsEnv, "")
	cfg := config.Config{Data: t.TempDir(), Blobs: t.TempDir(), Roles: config.AllRoles}
	cfg.Given = map[string]string{"blobs": cfg.Blobs}
	if err := config.Note(cfg); err != nil {
		t.Fatal(err)
	}
	log := logrus.New()
	log.SetOutput(io.Discard)
	opened, err := stores.Open(t.Context(), cfg, log)
	if err != nil {
		t.Fatal(err)
	}
	const document = `{"exports":[{"destinations":[{"type":"ftp","password":"hush"}]}]}`
	sealed := commands.SealDocuments(opened.Files, mustVaultOf(t, cfg))
	err = sealed.Put(t.Context(), "movies/alice/1.json", strings.NewReader(document))
	if err = errors.Join(err, opened.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	rotate := func(args ...string) (string, error) {
		var out bytes.Buffer
		cmd := SecretsCommand()
		cmd.SetArgs(append([]string{"rotate", "--data", cfg.Data}, args...))
		cmd.SetOut(&out)
		cmd.SetErr(io.Discard)
		err := cmd.ExecuteContext(t.Context())
		return out.String(), err
	}
	if said, err := rotate(); err == nil || !strings.Contains(err.Error(), "--blobs") {
		t.Errorf("without --blobs: %s, %v", said, err)
	}
	if said, err := rotate("--blobs", cfg.Blobs); err != nil || !strings.HasPrefix(said, "0 connections and 1 documents") {
		t.Errorf("with --blobs: %s, %v", said, err)
	}
}

// TestRotateSecrets_nowhere: a data folder that is no installation is left alone.
func TestRotateSecrets_nowhere(t *testing.T) {
	t.Setenv(secret.Env, "")
	data := filepath.Join(t.TempDir(), "mistyped")
	failing(t, secret.Env, SecretsCommand(), "rotate", "--data", data)
	if _, err := os.Stat(data); err == nil {
		t.Error("the folder was made")
	}
}

func mustVaultOf(t *testing.T, cfg config.Config) commands.Vault {
	t.Helper()
	master, err := secret.Load(cfg.Data, cfg.BeyondHost())
	if err != nil {
		t.Fatal(err)
	}
	v, err := secret.NewVault(cfg.Data, master)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
