package matrix_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"moviola/domain"
	"moviola/domain/key"
	"moviola/eventstore"
	"moviola/eventstore/eventstoredb"
	"moviola/internal/app"
	"moviola/tests/harness"
)

func TestMain(m *testing.M) {
	code := m.Run()
	harness.RemoveBinaries()
	os.Exit(code)
}

// world is an installation that does no work by itself: what changes in it, a request has changed.
type world struct {
	http   *harness.Client
	data   string
	log    *eventstore.Log
	routes []app.Route
}

// tenant is an account with an admin key.
type tenant struct {
	*world
	account string
	key     string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	store := harness.FreeAddr(t)
	service := harness.NewService(t, "--eventstore-listen", store, "--roles", "api,projector")
	service.StartAPI("--console-operator=public")
	db, err := eventstoredb.Open(eventstoredb.Config{Addr: store})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), harness.Patience)
		defer cancel()
		if err := db.Close(ctx); err != nil {
			t.Errorf("close the event store client: %v", err)
		}
	})
	return &world{
		http: service.Client(""), data: service.Data, log: eventstore.NewLog(db, eventstore.NewCodec()), routes: routes(t),
	}
}

// routes are all that the program serves.
func routes(t *testing.T) []app.Route {
	t.Helper()
	routes, err := app.Routes(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if len(routes) < 12 {
		t.Fatalf("%d routes only", len(routes))
	}
	return routes
}

// open opens an account.
func (w *world) open(t *testing.T, name string) *tenant {
	t.Helper()
	var opened struct{ Account, Key string }
	w.operate(t, http.MethodPost, "/admin/accounts", fmt.Sprintf(`{"name":%q,"plan":"paid","credits":100000}`, name)).Into(t, &opened)
	return &tenant{world: w, account: opened.Account, key: opened.Key}
}

// operate makes a call of the operator that must succeed.
func (w *world) operate(t *testing.T, method, path, body string) harness.Answer {
	t.Helper()
	answer := w.http.Send(method, path, []byte(body), http.Header{"X-Admin-Token": {harness.AdminToken}})
	if answer.Status != http.StatusOK {
		t.Fatalf("%s %s: %d %s", method, path, answer.Status, answer.Body)
	}
	return answer
}

// call makes a call with the tenant's key, to a path below /v2, that must succeed.
func (a *tenant) call(t *testing.T, method, path, body string) harness.Answer {
	t.Helper()
	answer := a.http.Send(method, "/v2"+path, []byte(body), http.Header{"X-Api-Key": {a.key}})
	if answer.Status != http.StatusOK {
		t.Fatalf("%s %s: %d %s", method, path, answer.Status, answer.Body)
	}
	return answer
}

// field makes a call and returns a text field of its answer.
func (a *tenant) field(t *testing.T, method, path, body, field string) string {
	t.Helper()
	var answer map[string]any
	a.call(t, method, path, body).Into(t, &answer)
	value, ok := answer[field].(string)
	if !ok {
		t.Fatalf("%s %s: no text %q in %v", method, path, field, answer)
	}
	return value
}

// issue issues a key by the interface.
func (a *tenant) issue(t *testing.T, role key.Role) (id, value string) {
	t.Helper()
	var issued struct{ ID, Key string }
	a.call(t, http.MethodPost, "/keys", fmt.Sprintf(`{"name":"test","role":%q}`, role)).Into(t, &issued)
	return issued.ID, issued.Key
}

// expired puts a key into the log that expired a moment ago, which no interface issues.
func (a *tenant) expired(t *testing.T) string {
	t.Helper()
	value := generate(t)
	at := time.Now().UTC().Truncate(time.Millisecond)
	hash := key.Hash(value)
	issued := key.Issued{Account: domain.AccountID(a.account), Name: "expired", Role: key.Admin, Hash: hash, ExpiresAt: &at, At: at.Add(-time.Hour)}
	_, err := a.log.Append(t.Context(), key.Stream(key.ID(hash)), eventstore.NoStream, eventstore.Meta{Account: issued.Account, Time: at}, issued)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// state tells two states of the installation apart: where the log ends, and which files are stored. What is written to the database of documents
// shows in the length of its write-ahead log.
func (w *world) state(t *testing.T) string {
	t.Helper()
	end, err := w.log.End(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	var size int64
	var names strings.Builder
	err = filepath.WalkDir(filepath.Join(w.data, "files"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			files++
			size += info.Size()
			names.WriteString(path + "\n")
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return fmt.Sprintf("log %d, %d files of %d bytes: %s", end.Commit, files, size, key.Hash(names.String())[:8])
}

// refusal is the body of a refusal.
type refusal struct {
	Success       *bool
	Message, Code string
}

// check compares an answer with what it has to be, and returns what is wrong: "" for nothing.
func check(answer harness.Answer, w want) string {
	if answer.Status != w.status {
		return fmt.Sprintf("status %d, want %d", answer.Status, w.status)
	}
	if w.code == "" {
		if !strings.Contains(string(answer.Body), w.text) {
			return fmt.Sprintf("no %q in the body", w.text)
		}
		return ""
	}
	var got refusal
	if err := json.Unmarshal(answer.Body, &got); err != nil {
		return err.Error()
	}
	if got.Success == nil || *got.Success || got.Code != w.code || got.Message != w.text {
		return fmt.Sprintf("want %s %q", w.code, w.text)
	}
	return ""
}
