package blackbox_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/sirupsen/logrus"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"moviola/domain"
	"moviola/internal/config"
	"moviola/internal/stores"
	"moviola/tests/harness"
)

// canary is a text that clients have planted in movies.
const canary = "canary"

// decoded returns the events in the archive files of an installation, as `zstd -dc` prints them, and the paths of the files.
func decoded(t *testing.T, data string) (events string, paths []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(data, "files", "history", "*", "*.zst"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("archive files: %q, %v", paths, err)
	}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		reader, err := zstd.NewReader(bytes.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		printed, err := io.ReadAll(reader)
		reader.Close()
		if err != nil || !bytes.HasSuffix(printed, []byte("\n")) {
			t.Fatalf("%s: %v", path, err)
		}
		events += string(printed)
	}
	return events, paths
}

// rowsOf returns all rows of a snapshot for analysts, without those that say when it was taken.
func rowsOf(t *testing.T, path string) string {
	t.Helper()
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	var tables []string
	query := `SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'snapshot' ORDER BY name`
	err = sqlitex.ExecuteTransient(conn, query, &sqlitex.ExecOptions{
		ResultFunc: func(row *sqlite.Stmt) error { tables = append(tables, row.ColumnText(0)); return nil },
	})
	for _, table := range tables {
		err = errors.Join(err, sqlitex.ExecuteTransient(conn, `SELECT * FROM "`+table+`"`, &sqlitex.ExecOptions{
			ResultFunc: func(row *sqlite.Stmt) error {
				all.WriteString(table)
				for i := range row.ColumnCount() {
					fmt.Fprintf(&all, " %s=%s", row.ColumnName(i), row.ColumnText(i))
				}
				all.WriteByte('\n')
				return nil
			},
		}))
	}
	if err := errors.Join(err, conn.Close()); err != nil || len(tables) < 4 {
		t.Fatalf("tables %q, %v", tables, err)
	}
	return all.String()
}

// extracted returns what `moviola export` and `moviola analytics snapshot` write, with what is about people.
func extracted(t *testing.T, data string) map[string]string {
	t.Helper()
	dir, all := t.TempDir(), map[string]string{}
	for _, table := range []string{"movies", "ledger", "deliveries", "usage"} {
		path := filepath.Join(dir, table)
		moviola(t, "export", table, "--data", data, "--format", "jsonl", "--with-personal", "--to", path)
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all[table] = string(content)
	}
	path := filepath.Join(dir, "snapshot.db")
	moviola(t, "analytics", "snapshot", "--data", data, "--with-personal", "--to", path)
	all["snapshot"] = rowsOf(t, path)
	return all
}

// anchored is an anchor that was taken of the log.
type anchored struct{ file, key string }

func anchor(t *testing.T, data, name string) anchored {
	t.Helper()
	a := anchored{file: filepath.Join(t.TempDir(), name)}
	said := moviola(t, "audit", "anchor", "--data", data, "--to", a.file)
	_, key, found := strings.Cut(said, "public key ")
	if a.key = strings.TrimSpace(key); !found {
		t.Fatalf("the anchor said %s", said)
	}
	return a
}

// holds checks that the log is what the anchor says.
func (a anchored) holds(t *testing.T, data string) {
	t.Helper()
	said := moviola(t, "audit", "verify", "--data", data, "--against", a.file, "--public-key", a.key)
	if !strings.Contains(said, `"anchor": "anchored"`) || !strings.Contains(said, `"difference": null`) {
		t.Errorf("the anchor %s: %s", filepath.Base(a.file), said)
	}
}

// answersTo are the bodies of the answers of a service, without what they say of the moment.
func answersTo(c *harness.Client, paths []string) string {
	var all strings.Builder
	for _, path := range paths {
		answer := c.Do(http.MethodGet, path, nil)
		fmt.Fprintf(&all, "%s: %d %s\n", path, answer.Status, passing.ReplaceAll(answer.Body, []byte(`"$1":""`)))
	}
	return all.String()
}

// tried waits until the delivery of a movie has ended.
func tried(t *testing.T, c *harness.Client, project string) {
	t.Helper()
	harness.Eventually(t, "the delivery has ended", func() bool {
		return bytes.Contains(c.Do(http.MethodGet, "/movies/events?project="+project, nil).Body, []byte(`"DeliveryFinished"`))
	})
}

// closeAndErase closes an account of a running service, erases it when what was stored for it is removed, and ends the service.
func closeAndErase(t *testing.T, service *harness.Service, account string) {
	t.Helper()
	operator := http.Header{"X-Admin-Token": {harness.AdminToken}}
	if answer := service.Client("").Send(http.MethodDelete, "/admin/accounts?account="+account, nil, operator); answer.Status != http.StatusOK {
		t.Fatalf("close the account: %d %s", answer.Status, answer.Body)
	}
	harness.Eventually(t, "the account is erased", func() bool {
		args := []string{"accounts", "erase", account, "--yes", "--data", service.Data}
		out, err := exec.CommandContext(t.Context(), harness.Binary(t), args...).CombinedOutput()
		if err != nil && !bytes.Contains(out, []byte("still being removed")) {
			t.Fatalf("%v: %s", err, out)
		}
		return err == nil
	})
	service.API.Terminate()
}

// compareSaid compares answers and extracts with those from before.
func compareSaid(t *testing.T, data, when, want, got string, extracts map[string]string) {
	t.Helper()
	if got != want {
		t.Errorf("%s the answers are\n%s\nwere\n%s", when, got, want)
	}
	for name, got := range extracted(t, data) {
		if got != extracts[name] {
			t.Errorf("%s %s is\n%s\nwas\n%s", when, name, got, extracts[name])
		}
	}
}

// TestHistory_encrypted archives the movies of an account whose data is encrypted. What they say is in no archive file, and is
// answered and exported as before; anchors that were taken before hold. Check names an archive file that is damaged or missing.
// After the account was erased, its archived events are read without what they said, and the anchors still hold.
func TestHistory_encrypted(t *testing.T) {
	t.Parallel()
	service := harness.NewService(t, "--encrypt-accounts")
	base := service.Client("").Base
	service.StartAPI("--public-url", base)
	account, c := service.OpenAccount(canary+"-name", 600)
	movie := object{"resolution": "custom", "width": 64, "height": 64, "scenes": list{object{"duration": 1}},
		"exports": list{object{"format": list{canary + "-format"}, "destinations": list{
			object{"type": "webhook", "endpoint": "https://" + canary + "-hook.invalid"},
		}}}}
	film := c.Submit(movie)
	failed := c.Submit(object{"resolution": "custom", "width": 64, "height": 64,
		"elements": list{object{"type": "image", "src": "https://" + canary + "-host.invalid/a.png", "duration": 1}}})
	c.WaitFor(film, "done")
	c.WaitFor(failed, "error")
	tried(t, c, film)
	paths := []string{"/movies", "/credits/ledger"}
	for _, project := range []string{film, failed} {
		paths = append(paths, "/movies?project="+project, "/movies/events?project="+project)
	}
	seal := settle(t, service.Data)
	harness.CaughtUp(t, base)
	answers, extracts := answersTo(c, paths), extracted(t, service.Data)
	if n := strings.Count(answers, canary); n < 3 {
		t.Fatalf("%d planted texts are answered: %s", n, answers)
	}
	service.API.Terminate()
	before := anchor(t, service.Data, "before.anchor")

	if inLog := archiveAll(t, service.Data); inLog["movie-"+film] != 0 || inLog["movie-"+failed] != 0 {
		t.Fatalf("the log has %v", inLog)
	}
	events, files := decoded(t, service.Data)
	if strings.Contains(events, canary) || strings.Count(events, `\"personal\":`) < 2 || strings.Count(events, film) < 3 {
		t.Errorf("the archive has %s", events)
	}
	before.holds(t, service.Data)
	longAgo := time.Now().Add(-48 * time.Hour) // as old as a file that may be nobody's
	if err := os.Chtimes(files[0], longAgo, longAgo); err != nil {
		t.Fatal(err)
	}
	service.StartAPI("--public-url", base)
	same := func(when string) {
		t.Helper()
		harness.CaughtUp(t, base)
		compareSaid(t, service.Data, when, answers, answersTo(c, paths), extracts)
	}
	same("archived,")
	moviola(t, "rebuild", "--data", service.Data)
	same("made again,")
	if got := settle(t, service.Data); got != seal {
		t.Errorf("the audits differ: %s, archived %s", seal, got)
	}
	again := c.Submit(object{"project": film})
	c.WaitFor(again, "done")
	tried(t, c, again)
	service.API.Terminate()
	flawedArchive(t, service.Data, files[0])

	last := anchor(t, service.Data, "last.anchor")
	service.StartAPI("--sweep-every", "1s", "--clear-again", "1s")
	closeAndErase(t, service, account)
	before.holds(t, service.Data)
	last.holds(t, service.Data)
	settle(t, service.Data)
	erasedMovies(t, service.Data, film, failed)
	for name, got := range extracted(t, service.Data) {
		if strings.Contains(got, canary) {
			t.Errorf("after the erasure, %s is %s", name, got)
		}
	}
	checked(t, service.Data, 0)
}

// flawedArchive damages and removes an archive file: check names it, whatever else it could say. It is brought back at the end.
func flawedArchive(t *testing.T, data, path string) {
	t.Helper()
	key, err := filepath.Rel(filepath.Join(data, "files"), path)
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	flawed := bytes.Clone(content)
	flawed[len(flawed)/2] ^= 1
	if err := os.WriteFile(path, flawed, 0o600); err != nil {
		t.Fatal(err)
	}
	out := checked(t, data, 1)
	if !strings.Contains(out, "damaged   archive file: "+filepath.ToSlash(key)) || !strings.Contains(out, ": 1 findings") {
		t.Errorf("with a damaged archive file check says %s", out)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{nil, {"--repair"}, {"--quick", "--files-only"}} {
		if out := checked(t, data, 1, flags...); !strings.Contains(out, "missing   archive file: "+filepath.ToSlash(key)) {
			t.Errorf("without an archive file check %q says %s", flags, out)
		}
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	checked(t, data, 0)
}

// erasedMovies reads archived movies of an erased account in a stopped installation, as a service does: everything that happened
// is there, and nothing of what it said.
func erasedMovies(t *testing.T, data string, projects ...string) {
	t.Helper()
	logger := logrus.New()
	logger.SetOutput(io.Discard)
	s, err := stores.Open(t.Context(), config.Config{Data: data, EncryptAccounts: true}, logger)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	for _, project := range projects {
		var types []string
		_, err := s.Log.Fold(t.Context(), "movie-"+project, func(event domain.Event) {
			types = append(types, event.EventType())
			if said := fmt.Sprintf("%+v", event); strings.Contains(said, canary) {
				t.Errorf("%s says %s", event.EventType(), said)
			}
		})
		if err != nil || !slices.Contains(types, "MovieSubmitted") || !slices.Contains(types, "RenderFinished") {
			t.Errorf("movie %s: %q, %v", project, types, err)
		}
	}
}
