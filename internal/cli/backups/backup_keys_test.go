package backups

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/spf13/cobra"

	"moviola/adapters/blobs"
	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/blobkey"
	"moviola/domain/movie"
	"moviola/domain/template"
	"moviola/eventstore"
	"moviola/internal/accountkeys"
	"moviola/internal/backup"
	"moviola/internal/config"
	"moviola/internal/secret"
	"moviola/internal/stores"
)

// savedFiles are files of every kind that a backup has, for two accounts, with their contents.
func savedFiles() map[string]string {
	files := map[string]string{}
	for _, id := range []domain.AccountID{"ada", "bob"} {
		word := "canary-" + string(id) + "-"
		of := domain.ProjectID("movie" + string(id))
		files[blobkey.Document(id, of)] = `{"comment": "` + word + `document"}`
		files[blobkey.Body(template.ID("template"+string(id)), "ab")] = `{"comment": "` + word + `body"}`
		files[blobkey.ExamplesOf(template.ID("template"+string(id)))+"1.mp4"] = word + "example"
		files[blobkey.RendersOf(of)+"1.mp4"] = strings.Repeat(word+"movie", 300_000) // several chunks
		files[blobkey.MediaFile(id, "entry", "upload")] = word + "media"
		files[blobkey.Request(id, "preload")] = word + "request"
		files[blobkey.PreparedStem(id, "preload", 1, "x")+".png"] = word + "prepared"
		files[blobkey.BatchRows(id, "batch")] = word + "rows"
	}
	return files
}

// furnish makes an installation of two accounts with files, the one of bob without a key yet.
func furnish(t *testing.T, data string, encrypt bool) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(data, secret.File), []byte(strings.Repeat("ab", 32)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, id := range []domain.AccountID{"bob", "ada"} {
		withStores(t, config.Config{Data: data, EncryptAccounts: encrypt && id == "ada"}, func(s *stores.Stores) {
			add := func(stream string, event domain.Event) {
				t.Helper()
				if _, err := s.Log.Append(t.Context(), stream, eventstore.NoStream, eventstore.Meta{Account: id}, event); err != nil {
					t.Fatal(err)
				}
			}
			at := time.Date(2026, 11, 26, 3, 0, 0, 0, time.UTC)
			add(account.Stream(id), account.Opened{Name: "canary-" + string(id) + "-name", Plan: "free", At: at})
			add(movie.Stream(domain.ProjectID("movie"+string(id))), movie.Submitted{Account: id, At: at})
			add(template.Stream(template.ID("template"+string(id))), template.Created{Account: id, At: at})
			for name, content := range savedFiles() {
				if strings.Contains(content, "canary-"+string(id)) {
					if err := s.Files.Put(t.Context(), name, strings.NewReader(content)); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}

func withStores(t *testing.T, cfg config.Config, do func(*stores.Stores)) {
	t.Helper()
	logger := logrus.New()
	logger.SetOutput(io.Discard)
	s, err := stores.Open(t.Context(), cfg, logger)
	if err != nil {
		t.Fatal(err)
	}
	do(s)
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// filesIn returns the files of an installation with their contents.
func filesIn(t *testing.T, data string) map[string]string {
	t.Helper()
	all := map[string]string{}
	withStores(t, config.Config{Data: data}, func(s *stores.Stores) {
		err := s.Files.Walk(t.Context(), "", func(key string, _ time.Time) error {
			file, err := s.Files.Open(t.Context(), key)
			if err != nil {
				return err
			}
			content, err := io.ReadAll(file)
			all[key] = string(content)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	return all
}

// has reports whether a file below a folder has a text.
func has(t *testing.T, dir, text string) bool {
	t.Helper()
	found := false
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		found = found || bytes.Contains(content, []byte(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// said runs a command and returns what it says, or why it fails.
func said(t *testing.T, cmd *cobra.Command, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SetErr(io.Discard)
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	if err := cmd.ExecuteContext(context.WithoutCancel(t.Context())); err != nil {
		return "refused: " + err.Error()
	}
	return out.String()
}

// TestBackup_accountKeys: documents, template bodies and files are encrypted under the keys of their accounts in a backup; an
// account that has no key yet gets one. A second backup writes nothing of them again. A restore asks for the keys, and brings
// nothing back of an account that was erased since.
func TestBackup_accountKeys(t *testing.T) {
	t.Parallel()
	data, to, keys := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "keys")
	furnish(t, data, true)
	again := func() string { return said(t, BackupCommand(), "--data", data, "--to", to, "--encrypt-accounts") }
	if text := again(); !strings.Contains(text, "16 documents and files are encrypted under the keys of 2 accounts") {
		t.Errorf("the backup says %s", text)
	}
	if has(t, to, "canary-ada") || has(t, to, "bob-document") || !has(t, to, "canary-bob-name") {
		t.Error("the archive shows what its accounts have stored, or lacks the event that was written in clear")
	}
	chunks := func() int {
		files, err := filepath.Glob(filepath.Join(to, "[df]*", "*", "*"))
		if err != nil || len(files) == 0 {
			t.Fatalf("chunks: %d, %v", len(files), err)
		}
		return len(files)
	}
	first := chunks()
	if again(); chunks() != first {
		t.Errorf("a second backup of the same files added %d chunks to %d", chunks()-first, first)
	}
	if text := said(t, RestoreCommand(), "--from", to, "--data", filepath.Join(t.TempDir(), "x")); !strings.Contains(text, "16 documents and files") {
		t.Errorf("without the keys restore says %s", text)
	}
	run(t, saveKeysCommand(), "--data", data, "--to", keys)
	for _, row := range []struct {
		more []string
		want string
	}{
		{nil, "16 documents and files are encrypted under keys of accounts, and were compared as they are stored"},
		{[]string{"--account-keys", keys}, "16 documents and files were decrypted"},
	} {
		if text := said(t, verifyCommand(), append(row.more, "--from", to)...); !strings.Contains(text, row.want) {
			t.Errorf("verify says %s, want %s", text, row.want)
		}
	}
	restored := filepath.Join(t.TempDir(), "restored")
	run(t, RestoreCommand(), "--from", to, "--data", restored, "--account-keys", keys)
	for name, want := range savedFiles() {
		if got := filesIn(t, restored)[name]; got != want {
			t.Errorf("%s came back with %d bytes, want %d", name, len(got), len(want))
		}
	}
	if err := storeOf(t, data).Erase(t.Context(), "ada", time.Now()); err != nil {
		t.Fatal(err)
	}
	run(t, saveKeysCommand(), "--data", data, "--to", keys)
	later := filepath.Join(t.TempDir(), "later")
	text := said(t, RestoreCommand(), "--from", to, "--data", later, "--account-keys", keys)
	if !strings.Contains(text, "8 of these documents and files were left out") || has(t, later, "canary-ada") {
		t.Errorf("after the erasure, restore says %s", text)
	}
	if got := filesIn(t, later); len(got) != 8 || got[blobkey.MediaFile("bob", "entry", "upload")] != "canary-bob-media" {
		t.Errorf("after the erasure, restore brings back %d files", len(got))
	}
	if text := said(t, verifyCommand(), "--from", to, "--account-keys", keys); !strings.Contains(text, "8 documents and files are of accounts that were erased") {
		t.Errorf("after the erasure, verify says %s", text)
	}
	if text := again(); !strings.Contains(text, "8 files were deleted meanwhile, or belong to erased accounts") {
		t.Errorf("a backup with files of an erased account says %s", text)
	}
}

// TestVerify_damaged: a chunk that was changed or is missing is found without any key, and everything else is still read.
func TestVerify_damaged(t *testing.T) {
	t.Parallel()
	data, to := t.TempDir(), t.TempDir()
	furnish(t, data, true)
	run(t, BackupCommand(), "--data", data, "--to", to)
	if text := said(t, verifyCommand(), "--from", to); !strings.Contains(text, "is whole") {
		t.Errorf("before, verify says %s", text)
	}
	chunks, err := filepath.Glob(filepath.Join(to, "documents", "*", "*"))
	if err != nil || len(chunks) == 0 {
		t.Fatalf("chunks %q, %v", chunks, err)
	}
	for _, chunk := range chunks {
		if err := os.WriteFile(chunk, []byte("other"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text := said(t, verifyCommand(), "--from", to)
	if !strings.Contains(text, "4 of ") || !strings.Contains(text, "documents movies/ada/movieada.json") {
		t.Errorf("of damaged chunks verify says %s", text)
	}
}

// TestBackup_noAccountKeys: without the flag, accounts without a key get none, and their files are saved as they are.
func TestBackup_noAccountKeys(t *testing.T) {
	t.Parallel()
	data, to := t.TempDir(), t.TempDir()
	furnish(t, data, true)
	if text := said(t, BackupCommand(), "--data", data, "--to", to); !strings.Contains(text, "8 documents and files are encrypted") {
		t.Errorf("the backup says %s", text)
	}
	saved, err := accountkeys.Save(t.Context(), storeOf(t, data), time.Now())
	if err != nil || len(saved.Keys) != 1 || has(t, to, "canary-ada") || !has(t, to, "canary-bob-document") {
		t.Errorf("keys of %d accounts, %v; or the archive is wrong", len(saved.Keys), err)
	}
}

// TestLost: files in a bucket that a backup lists must be there, but for those of accounts that were erased.
func TestLost(t *testing.T) {
	t.Parallel()
	files, err := blobs.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = files.Close() }() // nothing is written
	listed := []backup.Elsewhere{{Name: "media/ada/a", Account: "ada"}, {Name: "library/t/1.mp4"}}
	erased := map[domain.AccountID]time.Time{"ada": time.Now()}
	if err := lost(t.Context(), files, listed, erased); err == nil || !strings.Contains(err.Error(), "1 of the 2 files") {
		t.Errorf("of an erased account and of none: %v", err)
	}
	if err := lost(t.Context(), files, listed[:1], erased); err != nil {
		t.Errorf("of an erased account: %v", err)
	}
	if err := lost(t.Context(), files, listed[:1], nil); err == nil {
		t.Error("a file of an account that was not erased may be missing")
	}
}
