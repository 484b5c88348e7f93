package connections_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/adapters/vault"
	"moviola/commands"
	connectioncommands "moviola/commands/connections"
	"moviola/domain/connection"
	"moviola/domain/key"
	"moviola/eventstore"
	"moviola/eventstore/memory"
	"moviola/handlers/http/access"
	"moviola/handlers/http/connections"
	"moviola/handlers/http/web"
	"moviola/projections/keyring"
	"moviola/tests/harness"
)

// world is the interface over real commands. Every caller is a manager of alice's.
type world struct {
	t       *testing.T
	vault   *damaging
	handler http.Handler
	key     string
}

// damaging is a vault whose next ciphertexts may be damaged.
type damaging struct {
	commands.Vault
	on bool
}

func (d *damaging) Seal(place string, content []byte) (connection.Sealed, error) {
	sealed, err := d.Vault.Seal(place, content)
	if d.on {
		sealed.Data[len(sealed.Data)-1] ^= 1
	}
	return sealed, err
}

type (
	holders   struct{}
	projected struct{}
)

func (holders) Holder(context.Context, string) (keyring.Holder, bool, error) {
	return keyring.Holder{Account: "alice", Role: key.Manager}, true, nil
}

func (projected) WaitFor(context.Context, eventstore.Position) error { return nil }

func newWorld(t *testing.T) *world {
	t.Helper()
	sealing, err := vault.New(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, vault: &damaging{Vault: sealing}}
	events := eventstore.NewLog(memory.New(), eventstore.NewCodec())
	log := logrus.New()
	log.SetOutput(io.Discard)
	api, err := connections.New(connections.Config{
		Connections: struct{ connections.Lister }{},
		Save:        connectioncommands.NewSaveConnectionHandler(events, w.vault, rand.Reader, time.Now),
		Delete:      connectioncommands.NewDeleteConnectionHandler(events, time.Now),
		Test:        connectioncommands.NewTestConnectionHandler(events, w.vault, connectioncommands.TestRoads{}, time.Now),
		Projected:   projected{}, CursorKey: make([]byte, 16), Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	router := web.NewRouter()
	access.New(access.Config{Keys: holders{}, Log: log}).Routes(router, api.Operations()...)
	w.handler = web.Wrap(router, log)
	if w.key, err = key.Generate(rand.Reader); err != nil {
		t.Fatal(err)
	}
	return w
}

// call makes a request, which has to be answered as it is described, and returns the status and what the answer says.
func (w *world) call(method, path, body string) (status int, says struct{ Code, Message, Secret string }) {
	w.t.Helper()
	r := httptest.NewRequest(method, "/v2"+path, strings.NewReader(body))
	r.Header.Set("X-Api-Key", w.key)
	recorded := httptest.NewRecorder()
	w.handler.ServeHTTP(recorded, r)
	answer := recorded.Body.Bytes()
	harness.LoadContract(w.t).Check(w.t, method, r.URL.String(), harness.Answer{Status: recorded.Code, Header: recorded.Header(), Body: answer})
	if err := json.Unmarshal(answer, &says); err != nil {
		w.t.Fatalf("%s %s: %v in %s", method, path, err, answer)
	}
	return recorded.Code, says
}

// TestUnreadable: a connection whose ciphertext is damaged is saved over like any other. What would need the old secrets says that they
// have to be sent again.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const whole = `{"id":"hook","type":"webhook","endpoint":"https://a.example/hush","signed":true}`
	w.vault.on = true
	if status, says := w.call("POST", "/connections", whole); status != http.StatusOK || says.Secret == "" {
		t.Fatalf("saved: %d %+v", status, says)
	}
	w.vault.on = false
	for _, tt := range []struct{ method, path, body, says string }{
		{"POST", "/connections", `{"id":"hook","type":"webhook","signed":true}`, "send endpoint again"},
		{"POST", "/connections", `{"id":"hook","type":"webhook","endpoint":"***"}`, "send endpoint again"},
		{"POST", "/connections/test?id=hook", "", "save it again"},
		{"POST", "/connections/secret?id=hook", "", "save it again"},
		{"DELETE", "/connections/secret?id=hook", "", "save it again"},
	} {
		want := "The secrets of connection hook cannot be read any more: " + tt.says
		if status, says := w.call(tt.method, tt.path, tt.body); status != http.StatusConflict || says.Code != "connection_unreadable" || says.Message != want {
			t.Errorf("%s %s %s: %d %+v", tt.method, tt.path, tt.body, status, says)
		}
	}
	for _, body := range []string{whole, `{"id":"hook","type":"webhook","signed":true}`} {
		status, says := w.call("POST", "/connections", body)
		if status != http.StatusOK || (says.Secret != "") != (body == whole) {
			t.Errorf("%s: %d %+v", body, status, says)
		}
	}
}
