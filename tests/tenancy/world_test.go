package tenancy_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"moviola/domain"
	"moviola/eventstore/eventstoredb"
	"moviola/tests/harness"
)

func TestMain(m *testing.M) {
	code := m.Run()
	harness.RemoveBinaries()
	os.Exit(code)
}

// world is an installation with its accounts, and a receiver of their webhooks.
type world struct {
	service  *harness.Service
	http     *harness.Client
	store    *eventstoredb.Store
	accounts []*account

	mu      sync.Mutex
	hooks   map[string]int // deliveries, by the tag in their query
	secrets map[string]string
}

// account is one of them. Its tag stands in all that it writes, its name in the ids that it chooses itself.
type account struct {
	*world
	id, key   string
	tag, name string

	mu       sync.Mutex
	projects []string
	keys     []string // ids of the account's keys
	template string
	said     map[string]bool // texts of others that it has sent itself: these may come back
}

func newWorld(t *testing.T, accounts int) *world {
	t.Helper()
	w := &world{hooks: map[string]int{}, secrets: map[string]string{"the operator's token": harness.AdminToken}}
	receiver := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) { w.receive(t, r) }))
	t.Cleanup(receiver.Close)
	store := harness.FreeAddr(t)
	w.service = harness.NewService(t, "--eventstore-listen", store, "--log-level", "debug", "--render-slots", "2",
		"--allow-host", strings.TrimPrefix(receiver.URL, "http://"))
	w.service.StartAPI()
	w.http = w.service.Client("")
	var err error
	if w.store, err = eventstoredb.Open(eventstoredb.Config{Addr: store}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), harness.Patience)
		defer cancel()
		if err := w.store.Close(ctx); err != nil {
			t.Errorf("close the event store client: %v", err)
		}
	})
	for range accounts {
		a := &account{world: w, said: map[string]bool{}, tag: "canary" + random(t, 14), name: "own" + random(t, 8)}
		var opened struct{ Account, Key string }
		body := fmt.Sprintf(`{"name":%q,"plan":"paid","credits":100000}`, a.tag)
		answer := w.http.Send(http.MethodPost, "/admin/accounts", []byte(body), http.Header{"X-Admin-Token": {harness.AdminToken}})
		answer.Into(t, &opened)
		a.id, a.key = opened.Account, opened.Key
		w.secret("the key of an account", a.key)
		w.accounts = append(w.accounts, a)
	}
	for _, a := range w.accounts {
		a.plant(t, receiver.URL)
	}
	return w
}

func random(t *testing.T, n int) string {
	t.Helper()
	text, err := domain.RandomText(rand.Reader, n)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// secret remembers what must stand nowhere.
func (w *world) secret(what, value string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.secrets[value] = what
}

// receive takes a webhook: what arrives at the address of one account holds nothing of another's.
func (w *world) receive(t *testing.T, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	tag := r.URL.Query().Get("secret")
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hooks[tag]++
	for _, a := range w.accounts {
		if a.tag != tag && bytes.Contains(body, []byte(a.tag)) {
			t.Errorf("a webhook of %s holds the texts of %s: %s", tag, a.tag, body)
		}
	}
	if tag != "" && !bytes.Contains(body, []byte(tag)) {
		t.Errorf("a webhook of %s does not hold its own texts: %s", tag, body)
	}
}

// send makes a request with the account's key, and looks for the texts of others in the answer. What the request itself names of
// theirs may come back.
func (a *account) send(t *testing.T, method, path, body string) harness.Answer {
	t.Helper()
	header := http.Header{"X-Api-Key": {a.key}}
	if body != "" {
		header.Set("Content-Type", "application/json")
	}
	a.say(path + body)
	answer := a.http.Send(method, "/v2"+path, []byte(body), header)
	a.look(t, method+" "+path, answer)
	return answer
}

// say remembers which names of others a request holds.
func (a *account) say(request string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, other := range a.accounts {
		if strings.Contains(request, other.name) {
			a.said[other.name] = true
		}
	}
}

// look searches an answer to the account.
func (a *account) look(t *testing.T, what string, answer harness.Answer) {
	t.Helper()
	shown := new(strings.Builder)
	if err := answer.Header.Write(shown); err != nil {
		t.Error(err)
	}
	shown.Write(answer.Body)
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, other := range a.accounts {
		if other == a {
			continue
		}
		for _, text := range []string{other.tag, other.name, other.key, other.id} {
			if strings.Contains(shown.String(), text) && !a.said[text] {
				t.Errorf("%s shows another account's %s: %.600s", what, text, shown)
			}
		}
	}
}

// must is send for a request that has to succeed, and decodes its answer.
func (a *account) must(t *testing.T, method, path, body string) map[string]any {
	t.Helper()
	answer := a.send(t, method, path, body)
	var got map[string]any
	answer.Into(t, &got)
	if answer.Status != http.StatusOK {
		t.Fatalf("%s %s: %d %s", method, path, answer.Status, answer.Body)
	}
	return got
}

// encode is a value as JSON.
func encode(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
