package backups

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"moviola/domain"
	"moviola/internal/accountkeys"
	"moviola/internal/backup"
	"moviola/internal/config"
	"moviola/internal/stores"
)

// TestAccountKeys saves keys, erases an account, and brings the keys back: into the same place, and into a new one.
func TestAccountKeys(t *testing.T) {
	t.Parallel()
	data, other, file := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "keys")
	pass := filepath.Join(t.TempDir(), "pass")
	if err := os.WriteFile(pass, []byte("correct horse\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	store := storeOf(t, data)
	for i, account := range []domain.AccountID{"ada", "bob"} {
		if err := store.Add(t.Context(), account, bytes.Repeat([]byte{byte(i + 1)}, accountkeys.Bytes)); err != nil {
			t.Fatal(err)
		}
	}
	run(t, saveKeysCommand(), "--data", data, "--to", file, "--passphrase-file", pass)
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info, err)
	}
	if content, err := os.ReadFile(file); err != nil || bytes.Contains(content, []byte("ada")) {
		t.Errorf("the file is not encrypted: %v", err)
	}
	if err := store.Erase(t.Context(), "bob", time.Now()); err != nil {
		t.Fatal(err)
	}
	said := run(t, restoreKeysCommand(), "--data", data, "--from", file, "--passphrase-file", pass)
	if want := "the keys of 1 accounts are there, and 1 accounts stay erased\n"; said != want {
		t.Errorf("it says %q, want %q", said, want)
	}
	if key, erased, err := store.Find(t.Context(), "bob"); key != nil || erased.IsZero() || err != nil {
		t.Errorf("the erased account came back: %x, %v", key, err)
	}
	run(t, saveKeysCommand(), "--data", data, "--to", file, "--passphrase-file", pass)
	run(t, restoreKeysCommand(), "--data", other, "--from", file, "--passphrase-file", pass)
	if key, _, err := storeOf(t, other).Find(t.Context(), "ada"); len(key) != accountkeys.Bytes || err != nil {
		t.Errorf("the key of ada: %x, %v", key, err)
	}
	if _, erased, err := storeOf(t, other).Find(t.Context(), "bob"); erased.IsZero() || err != nil {
		t.Errorf("the erasure of bob was not brought along: %v", err)
	}
	failing(t, "no keys of accounts", saveKeysCommand(), "--data", t.TempDir(), "--to", file) // another folder by mistake
	run(t, restoreKeysCommand(), "--data", data, "--from", file, "--passphrase-file", pass)
	if err := config.Note(config.Config{Data: other, Given: map[string]string{"mongo": "mongodb://h/d"}}); err != nil {
		t.Fatal(err)
	}
	failing(t, "--mongo mongodb://h/d", saveKeysCommand(), "--data", other, "--to", file)
	if err := os.RemoveAll(filepath.Join(other, config.FlagFolder)); err != nil {
		t.Fatal(err)
	}
	failing(t, "passphrase", restoreKeysCommand(), "--data", other, "--from", file)
}

// TestAccountKeys_others: a key that the account got before its own was brought back stays, and it is not said that the one of
// the file is there.
func TestAccountKeys_others(t *testing.T) {
	t.Parallel()
	data, other, file := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "keys")
	for folder, key := range map[string]byte{data: 1, other: 2} {
		if err := storeOf(t, folder).Add(t.Context(), "ada", bytes.Repeat([]byte{key}, accountkeys.Bytes)); err != nil {
			t.Fatal(err)
		}
	}
	run(t, saveKeysCommand(), "--data", data, "--to", file)
	failing(t, "another key than in the file: ada", restoreKeysCommand(), "--data", other, "--from", file)
}

// failing runs a command that is to fail with an error that has a text.
func failing(t *testing.T, want string, cmd *cobra.Command, args ...string) {
	t.Helper()
	cmd.SetArgs(args)
	cmd.SetOut(&bytes.Buffer{})
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s %q: %v, want %s", cmd.Name(), args, err, want)
	}
}

// TestRestore_accountKeys: a restore asks for the keys that its backup needs, and brings no erased account back.
func TestRestore_accountKeys(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 26, 3, 0, 0, 0, time.UTC)
	key := strings.Repeat("ab", accountkeys.Bytes)
	newer := accountkeys.Saved{Format: 1, At: at.Add(time.Minute), Keys: map[domain.AccountID]string{"ada": key, "bob": key},
		Erased: map[domain.AccountID]time.Time{"eve": at}}
	older := newer
	older.At = at.Add(-time.Minute)
	for name, row := range map[string]struct {
		manifest backup.Manifest
		saved    *accountkeys.Saved
		flags    bringingBack
		refusal  string
		erased   []domain.AccountID // after the restore
		keys     []domain.AccountID
	}{
		"nothing is encrypted": {manifest: backup.Manifest{At: at}},
		"no file":              {manifest: backup.Manifest{At: at, Keyed: []domain.AccountID{"ada"}}, refusal: "--account-keys"},
		"no file, lost": {manifest: backup.Manifest{At: at, Keyed: []domain.AccountID{"ada"}}, flags: bringingBack{lost: true},
			erased: []domain.AccountID{"ada"}},
		"all": {manifest: backup.Manifest{At: at, Keyed: []domain.AccountID{"ada", "eve"}}, saved: &newer,
			keys: []domain.AccountID{"ada", "bob"}, erased: []domain.AccountID{"eve"}},
		"older": {manifest: backup.Manifest{At: at, Keyed: []domain.AccountID{"ada"}}, saved: &older, refusal: "--outdated-account-keys"},
		"older, erased before the backup": {
			manifest: backup.Manifest{At: at, Keyed: []domain.AccountID{"ada"}, Erased: []domain.AccountID{"bob"}}, saved: &older,
			flags: bringingBack{outdatedKeys: true}, keys: []domain.AccountID{"ada"}, erased: []domain.AccountID{"bob", "eve"}},
		"one is missing": {manifest: backup.Manifest{At: at, Keyed: []domain.AccountID{"ada", "zoe"}}, saved: &newer, refusal: "zoe"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, data := row.flags, t.TempDir()
			if row.saved != nil {
				content, err := json.Marshal(row.saved)
				r.keysFile = filepath.Join(t.TempDir(), "keys")
				if err != nil || os.WriteFile(r.keysFile, content, 0o600) != nil {
					t.Fatal(err)
				}
			}
			err := r.openKeys(row.manifest, backup.Config{})
			if row.refusal != "" {
				if err == nil || !strings.Contains(err.Error(), row.refusal) {
					t.Errorf("refused with %v, want a word about %q", err, row.refusal)
				}
				return
			}
			if err == nil {
				err = r.restoreKeys(t.Context(), data)
			}
			if err != nil {
				t.Fatal(err)
			}
			var erased, keys []domain.AccountID
			err = storeOf(t, data).Walk(t.Context(), func(account domain.AccountID, key []byte, at time.Time) error {
				if at.IsZero() {
					keys = append(keys, account)
				} else {
					erased = append(erased, account)
				}
				return nil
			})
			if err != nil || !slices.Equal(erased, row.erased) || !slices.Equal(keys, row.keys) {
				t.Errorf("keys of %v, erased %v, %v; want %v and %v", keys, erased, err, row.keys, row.erased)
			}
		})
	}
}

func storeOf(t *testing.T, data string) accountkeys.KeyStore {
	t.Helper()
	store, _, err := stores.OpenKeyStore(config.Config{Data: data})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// run runs a command and returns what it prints.
func run(t *testing.T, cmd *cobra.Command, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	if err := cmd.ExecuteContext(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
