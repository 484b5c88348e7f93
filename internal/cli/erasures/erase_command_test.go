package erasures_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/connection"
	"moviola/domain/key"
	"moviola/domain/ledger"
	"moviola/domain/media"
	"moviola/domain/movie"
	"moviola/domain/preload"
	"moviola/domain/template"
	"moviola/eventstore"
	"moviola/eventstore/archived"
	"moviola/internal/cli/exit"
	"moviola/internal/cli/upkeep"
	"moviola/internal/config"
	"moviola/internal/stores"
	"moviola/projections/documentstest"
)

const (
	ada domain.AccountID = "adaaccount000000"
	bob domain.AccountID = "bobaccount000000"
)

var erasedAt = time.Date(2026, 11, 26, 9, 0, 0, 0, time.UTC)

// planted are twelve texts of ada that nothing may show after her erasure.
var planted = []string{"canary-name", "canary-key", "canary-term", "canary-warning", "canary-message", "canary-host", "canary-tried",
	"canary-file", "canary-folder", "canary-template", "canary-prompt", "canary-item"}

// live appends the life of an account: each of the planted texts is in an event.
func live(t *testing.T, log *eventstore.Log, id domain.AccountID, word func(string) string, closed bool) {
	t.Helper()
	at, project := erasedAt, domain.ProjectID("movie"+string(id)[:3]+"00000000")
	add := func(stream string, events ...domain.Event) {
		t.Helper()
		if _, err := log.Append(t.Context(), stream, eventstore.NoStream, eventstore.Meta{Account: id, Time: at}, events...); err != nil {
			t.Fatal(err)
		}
	}
	opened := []domain.Event{account.Opened{Name: word("name"), Plan: "free", At: at}}
	if closed {
		opened = append(opened, account.Closed{At: at}, account.Cleared{Reason: account.Departure, Round: 1, At: at},
			account.Cleared{Reason: account.Departure, Round: 2, At: at})
	}
	add(account.Stream(id), opened...)
	add(ledger.Stream(id), ledger.CreditsGranted{Reference: "opening", Amount: 600, At: at},
		ledger.CreditsHeld{Project: project, Amount: 3, At: at})
	add(key.Stream("key"+string(id)), key.Issued{Account: id, Name: word("key"), Role: key.Admin, Hash: "h" + string(id), At: at})
	add(movie.Stream(project), movie.Submitted{Account: id, Held: 3, Terms: []string{word("term")}, Warnings: []string{word("warning")}, At: at},
		movie.RenderStarted{Attempt: 1, Worker: "w", At: at},
		movie.RenderFinished{Attempt: 1, Worker: "w", Message: word("message"), At: at},
		movie.DeliveryAttempted{Run: 1, Try: 1, Final: true, Type: "webhook", Status: movie.DeliveryError, Message: word("tried"), At: at})
	released := ledger.CreditsReleased{Project: project, Amount: 3, Reason: "failed", At: at}
	if _, err := log.Append(t.Context(), ledger.Stream(id), 1, eventstore.Meta{Account: id, Time: at}, released); err != nil {
		t.Fatal(err)
	}
	add(connection.Stream(id, "ftp"), connection.Saved{Version: 1, Kind: connection.SFTP, At: at,
		Settings: connection.Settings{"host": word("host")}, Sealed: connection.Sealed{Key: "k", Data: []byte("sealed")}})
	path := media.Path{Folder: word("folder"), Name: word("file")}
	file := media.File{Folder: path.Folder, Name: path.Name, Entry: "e1", ContentType: "image/png", Size: 3}
	add(media.StreamCategory+"-"+media.StreamID(id, path), media.FileRegistered{File: file, ExpiresAt: at.Add(time.Hour), At: at},
		media.FileUploaded{File: file, Blob: "media/" + string(id) + "/e1-u", At: at})
	add(template.Stream(template.ID("template"+string(id)[:3])), template.Created{Account: id, Name: word("template"),
		Prompt: word("prompt"), Body: template.Body{Hash: "ab", Size: 2}, At: at})
	add(preload.Stream(preload.ID("preload"+string(id)[:3])), preload.Requested{Account: id, At: at,
		Items: []preload.Item{{ID: word("item"), Type: "image"}}, DocumentHash: "ab"})
}

// fill writes the log of an installation: ada is closed, bob is not. With encrypt, all personal data is encrypted.
func fill(t *testing.T, data string, encrypt bool) {
	t.Helper()
	logger := logrus.New()
	s, err := stores.Open(t.Context(), config.Config{Data: data, EncryptAccounts: encrypt}, logger)
	if err != nil {
		t.Fatal(err)
	}
	live(t, s.Log, ada, func(word string) string { return "canary-" + word }, true)
	live(t, s.Log, bob, func(word string) string { return "bobs-" + word }, false)
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// shown returns the read models of a data folder as text.
func shown(t *testing.T, data string) string {
	t.Helper()
	s := &stores.Stores{}
	if err := s.OpenAsStored(config.Config{Data: data}); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.CloseDocs(context.Background()) }() // nothing was written
	var all strings.Builder
	for name, text := range documentstest.Dump(t, s.Docs) {
		all.WriteString(name + " " + text + "\n")
	}
	return all.String()
}

// found returns those of the planted texts that are in a text.
func found(text string) (in []string) {
	for _, word := range planted {
		if strings.Contains(text, word) {
			in = append(in, word)
		}
	}
	return in
}

// balance returns the line with the credits of ada.
func balance(text string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "balances/"+string(ada)) {
			return line
		}
	}
	return ""
}

func inLog(t *testing.T, data string) []string {
	t.Helper()
	return inFiles(t, filepath.Join(data, "events", "events.db*"))
}

// inFiles returns those of the planted texts that are in files as they are stored.
func inFiles(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %v, %v", pattern, files, err)
	}
	var all bytes.Buffer
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(content)
	}
	return found(all.String())
}

func erase(t *testing.T, data string, args ...string) (string, error) {
	t.Helper()
	cmd := upkeep.EraseAccountCommand()
	var out bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetErr(&bytes.Buffer{})
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	cmd.SetArgs(append(args, "--data", data))
	err := cmd.ExecuteContext(t.Context())
	return out.String(), err
}

func rebuildAll(t *testing.T, data string) {
	t.Helper()
	cmd := upkeep.RebuildCommand()
	cmd.SetOut(&bytes.Buffer{})
	cmd.SetErr(&bytes.Buffer{})
	cmd.SetArgs([]string{"--data", data})
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestRebuild_damaged: a rebuild replaces a damaged file of the read models, too.
func TestRebuild_damaged(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	fill(t, data, true)
	rebuildAll(t, data)
	before := balance(shown(t, data))
	path := filepath.Join(data, stores.ReadModelsFile)
	if err := os.WriteFile(path, []byte(strings.Repeat("not a database. ", 1024)), 0o600); err != nil {
		t.Fatal(err)
	}
	rebuildAll(t, data)
	if after := balance(shown(t, data)); after != before || after == "" {
		t.Errorf("the balance was %q, and now %q", before, after)
	}
}

// TestEraseAccount: of twelve texts of an account neither log nor read models have one, and other accounts keep theirs.
func TestEraseAccount(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	fill(t, data, true)
	rebuildAll(t, data)
	before := shown(t, data)
	if in := found(before); len(in) < 8 || inLog(t, data) != nil {
		t.Fatalf("before, the read models show %q and the log %q", in, inLog(t, data))
	}
	out, err := erase(t, data, string(ada), "--yes")
	if err != nil || !strings.Contains(out, "no personal data of the account in clear") {
		t.Errorf("it says %q, %v", out, err)
	}
	after := shown(t, data)
	if in := found(after); in != nil || inLog(t, data) != nil {
		t.Errorf("afterwards the read models show %q and the log %q", in, inLog(t, data))
	}
	if a, b := strings.Count(before, "bobs-"), strings.Count(after, "bobs-"); a != b || a < 8 {
		t.Errorf("of the other account %d texts were shown, and now %d", a, b)
	}
	if a, b := balance(before), balance(after); a != b || a == "" {
		t.Errorf("its credits were %q, and now %q", a, b)
	}
	if _, err := erase(t, data, string(ada), "--yes"); err != nil {
		t.Errorf("once more: %v", err)
	}
}

// TestEraseAccount_files: the data files of an installation that is in use have nothing of what was removed and is not shown any
// more, nor have their write-ahead logs.
func TestEraseAccount_files(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	fill(t, data, true)
	rebuildAll(t, data)
	s, err := stores.Open(t.Context(), config.Config{Data: data, EncryptAccounts: true}, logrus.New())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	document := "movies/" + string(ada) + "/one.json"
	if err := s.Files.Put(t.Context(), document, strings.NewReader(`{"client-data": "canary-prompt"}`)); err != nil {
		t.Fatal(err)
	}
	if err := s.Files.Delete(t.Context(), document); err != nil {
		t.Fatal(err)
	}
	models, documents := filepath.Join(data, "read-models.db*"), filepath.Join(data, "files", "documents.db*")
	if a, b := inFiles(t, models), inFiles(t, documents); len(a) < 8 || len(b) != 1 {
		t.Fatalf("before, the read models have %q, the documents %q", a, b)
	}
	if out, err := erase(t, data, string(ada), "--yes"); err != nil || !strings.Contains(out, "those from before") {
		t.Errorf("it says %q, %v", out, err)
	}
	if a, b := inFiles(t, models), inFiles(t, documents); a != nil || b != nil {
		t.Errorf("afterwards the read models have %q, the documents %q", a, b)
	}
}

// TestEraseAccount_clear: what was written before encryption is shown nowhere any more, and the command says that the log has it.
func TestEraseAccount_clear(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	fill(t, data, false)
	rebuildAll(t, data)
	_, err := erase(t, data, string(ada), "--yes")
	var code exit.Error
	if !errors.As(err, &code) || code.Code != exit.Findings || !strings.Contains(err.Error(), "AccountOpened 1") {
		t.Errorf("it says %v", err)
	}
	if in := found(shown(t, data)); in != nil {
		t.Errorf("the read models show %q", in)
	}
	if in := inLog(t, data); len(in) != len(planted) {
		t.Errorf("the log has %q: the command must not say so", in)
	}
}

// TestEraseAccount_archived: where the account's movies are archived in a storage that only the flags of the command name, they are
// read from there.
func TestEraseAccount_archived(t *testing.T) {
	t.Parallel()
	data, elsewhere := t.TempDir(), t.TempDir()
	fill(t, data, true)
	s, err := stores.Open(t.Context(), config.Config{Data: data, Blobs: elsewhere}, logrus.New())
	if err != nil {
		t.Fatal(err)
	}
	done, err := s.Archive.Archive(t.Context(), archived.Rule{
		Before: time.Now().Add(time.Hour), Ended: func([]eventstore.Recorded) (bool, error) { return true, nil },
	})
	if err = errors.Join(err, s.Close(context.Background())); err != nil || done.Streams != 2 {
		t.Fatalf("archived %+v, %v", done, err)
	}
	out, err := erase(t, data, string(ada), "--yes", "--blobs", elsewhere)
	if err != nil || !strings.Contains(out, "no personal data of the account in clear") {
		t.Errorf("it says %q, %v", out, err)
	}
	if after := shown(t, data); found(after) != nil || !strings.Contains(after, "bobs-message") {
		t.Errorf("the read models show %s", after)
	}
}

// TestRebuild_elsewhere: read models are not made in the data folder when those of the service are in a MongoDB.
func TestRebuild_elsewhere(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	fill(t, data, true)
	if err := config.Note(config.Config{Data: data, Given: map[string]string{"mongo": "mongodb://h/d"}}); err != nil {
		t.Fatal(err)
	}
	cmd := upkeep.RebuildCommand()
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	cmd.SetArgs([]string{"--data", data})
	if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), "--mongo mongodb://h/d") {
		t.Errorf("%v", err)
	}
}

func TestEraseAccount_refuses(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	fill(t, data, true)
	for _, row := range []struct {
		args []string
		want string
	}{
		{[]string{string(ada)}, "--yes"},
		{[]string{string(bob), "--yes"}, "is open"},
		{[]string{"nobody", "--yes"}, "there is no account"},
	} {
		if _, err := erase(t, data, row.args...); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%q: %v, want a word about %q", row.args, err, row.want)
		}
	}
	for flag, where := range map[string]string{"mongo": "mongodb://h/d", "blobs": "s3://b", "eventstore": "esdb://h"} {
		if err := config.Note(config.Config{Data: data, Given: map[string]string{flag: where}}); err != nil {
			t.Fatal(err)
		}
		said, err := erase(t, data, string(ada), "--yes")
		if err == nil || !strings.Contains(err.Error(), "--"+flag+" "+where) {
			t.Errorf("without --%s: %s, %v", flag, said, err)
		}
	}
}

// TestEraseAccount_leftFiles: files that were stored when the account was closed are removed. Those of a template stay, because a
// movie of another account may need them, and the command says so.
func TestEraseAccount_leftFiles(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	fill(t, data, true)
	rebuildAll(t, data)
	left := map[string]bool{"media/" + string(ada) + "/late-u": false, "movies/" + string(ada) + "/late.json": false,
		"renders/movieada00000000/1.mp4": false, "media/" + string(bob) + "/e1-u": true, "templates/templateada/ab.json": true}
	store := func(visit func(s *stores.Stores) error) {
		t.Helper()
		s, err := stores.Open(t.Context(), config.Config{Data: data}, logrus.New())
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(visit(s), s.Close(context.Background())); err != nil {
			t.Fatal(err)
		}
	}
	store(func(s *stores.Stores) (err error) {
		for key := range left {
			err = errors.Join(err, s.Files.Put(t.Context(), key, strings.NewReader("canary-file")))
		}
		return err
	})
	_, err := erase(t, data, string(ada), "--yes")
	var code exit.Error
	if !errors.As(err, &code) || code.Code != exit.Findings || !strings.Contains(err.Error(), "1 of templates are still stored, templates/templateada/ab.json") {
		t.Errorf("it says %v", err)
	}
	store(func(s *stores.Stores) error {
		for key, want := range left {
			keys, err := s.Files.List(t.Context(), key)
			if err != nil || (len(keys) == 1) != want {
				t.Errorf("%s is stored: %t, %v; want %t", key, len(keys) == 1, err, want)
			}
		}
		return s.Files.Delete(t.Context(), "templates/templateada/ab.json")
	})
	if out, err := erase(t, data, string(ada), "--yes"); err != nil {
		t.Errorf("when the template is gone it says %q, %v", out, err)
	}
}
