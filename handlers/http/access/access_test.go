package access_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sirupsen/logrus"

	"moviola/domain"
	"moviola/domain/key"
	"moviola/handlers/http/access"
	"moviola/handlers/http/operation"
	"moviola/handlers/http/web"
	"moviola/projections/keyring"
)

const (
	alice         = domain.AccountID("alice")
	operatorToken = "operator's token"
)

// world is a gate before one operation for each role.
type world struct {
	holders map[string]keyring.Holder // by hash
	looked  int                       // how often a key was looked up
	broken  bool
	calls   []access.Call // calls that were let in
	gate    *access.Gate
	handler http.Handler
	log     bytes.Buffer
}

// Holder implements access.Keys.
func (w *world) Holder(_ context.Context, hash string) (keyring.Holder, bool, error) {
	w.looked++
	if w.broken {
		return keyring.Holder{}, false, errors.New("dial 10.0.0.7: no route")
	}
	holder, ok := w.holders[hash]
	return holder, ok, nil
}

func newWorld(t *testing.T, operations ...access.Operation) *world {
	t.Helper()
	w := &world{holders: map[string]keyring.Holder{}}
	log := logrus.New()
	log.SetOutput(&w.log)
	w.gate = access.New(access.Config{Keys: w, Operator: web.NewOperatorToken(operatorToken, 0, nil), Log: log})
	for _, role := range []key.Role{key.Viewer, key.Render, key.Editor, key.Manager, key.Admin} {
		operations = append(operations, access.Operation{
			Operation: operation.Operation{Method: http.MethodGet, Path: "/" + string(role), Role: role, Parameters: []operation.Parameter{
				operation.Query("named", ""), operation.Account,
			}},
			Serve: w.serve,
		})
	}
	router := web.NewRouter()
	w.gate.Routes(router, operations...)
	w.handler = web.Wrap(router, log)
	return w
}

func (w *world) serve(out http.ResponseWriter, r *http.Request, c access.Call) error {
	c, err := w.gate.ActFor(r, c)
	if err != nil {
		return err
	}
	w.calls = append(w.calls, c)
	return web.Write(out, http.StatusOK, "in")
}

// issue makes a key that is known.
func (w *world) issue(t *testing.T, holder keyring.Holder) string {
	t.Helper()
	value, err := key.Generate(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	w.holders[key.Hash(value)] = holder
	return value
}

func (w *world) get(path string, header http.Header) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Header = header
	answer := httptest.NewRecorder()
	w.handler.ServeHTTP(answer, r)
	return answer
}

func withKey(values ...string) http.Header { return http.Header{"X-Api-Key": values} }

const (
	noKey    = `{"success":false,"message":"Invalid or missing API key","code":"api_key_missing"}`
	badKey   = `{"success":false,"message":"Invalid or missing API key","code":"api_key_invalid"}`
	badRole  = `{"success":false,"message":"Insufficient permissions","code":"insufficient_permissions"}`
	badToken = `{"success":false,"message":"Invalid token","code":"token_invalid"}`
)

// TestKey: who is let in at all, and what costs a lookup. Decision 3.
func TestKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	good := w.issue(t, keyring.Holder{Account: alice, Role: key.Viewer})
	other := w.issue(t, keyring.Holder{Account: alice, Role: key.Viewer})
	delete(w.holders, key.Hash(other))
	tests := []struct {
		name   string
		header http.Header
		status int
		body   string
		looked int
	}{
		{"a key", withKey(good), 200, `"in"`, 1},
		{"none", http.Header{}, 401, noKey, 0},
		{"an empty one", withKey(""), 401, noKey, 0},
		{"a key that nobody has", withKey(other), 401, badKey, 1},
		{"no key at all", withKey("letmein"), 401, badKey, 0},
		{"a wrong checksum", withKey(good[:len(good)-1] + "!"), 401, badKey, 0},
		{"two keys", withKey(good, good), 401, badKey, 0},
		{"a key and an empty one", withKey(good, ""), 401, badKey, 0},
		{"blanks around it", withKey(" " + good), 401, badKey, 0},
		{"64 KB", withKey(strings.Repeat("a", 64<<10)), 401, badKey, 0},
		{"elsewhere", http.Header{"Authorization": {"Bearer " + good}}, 401, noKey, 0},
	}
	for _, tt := range tests {
		w.looked = 0
		answer := w.get("/viewer", tt.header)
		if answer.Code != tt.status || answer.Body.String() != tt.body || w.looked != tt.looked {
			t.Errorf("%s: %d %s, %d lookups; want %d %s, %d", tt.name, answer.Code, answer.Body, w.looked, tt.status, tt.body, tt.looked)
		}
	}
	if answer := w.get("/viewer?x-api-key="+good+"&api_key="+good, http.Header{}); answer.Code != 401 {
		t.Errorf("a key in the query: %d", answer.Code)
	}
	if strings.Contains(w.log.String(), good) {
		t.Error("the key is in the log")
	}
}

// TestRole: each role may do what those below it may. Spec: Authentication 3.
func TestRole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	roles := []key.Role{key.Viewer, key.Render, key.Editor, key.Manager, key.Admin}
	for i, has := range roles {
		header := withKey(w.issue(t, keyring.Holder{Account: alice, Role: has}))
		for j, needed := range roles {
			answer := w.get("/"+string(needed), header)
			if in := i >= j; in && answer.Code != 200 || !in && (answer.Code != 403 || answer.Body.String() != badRole) {
				t.Errorf("%s where %s is needed: %d %s", has, needed, answer.Code, answer.Body)
			}
		}
	}
	if answer := w.get("/viewer", withKey(w.issue(t, keyring.Holder{Account: alice, Role: "owner"}))); answer.Code != 403 {
		t.Errorf("an unknown role: %d", answer.Code)
	}
}

// TestLegacy: every answer to a legacy key says that it will go, refusals included. Decision "Roles".
func TestLegacy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	legacy := withKey(w.issue(t, keyring.Holder{Account: alice, Role: key.Render, Legacy: true}))
	modern := withKey(w.issue(t, keyring.Holder{Account: alice, Role: key.Render}))
	for path, status := range map[string]int{"/viewer": 200, "/render": 200, "/editor": 403} {
		answer := w.get(path, legacy)
		if answer.Code != status || !strings.HasPrefix(answer.Header().Get("Deprecation"), "@") || !strings.Contains(answer.Header().Get("Link"), `rel="deprecation"`) {
			t.Errorf("%s with a legacy key: %d %v", path, answer.Code, answer.Header())
		}
		if answer := w.get(path, modern); answer.Code != status || answer.Header().Get("Deprecation") != "" {
			t.Errorf("%s with a key: %d %v", path, answer.Code, answer.Header())
		}
	}
}

// TestCall: an operation sees the caller, and the parameters that it names.
func TestCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	header := withKey(w.issue(t, keyring.Holder{Account: alice, Role: key.Editor}))
	w.get("/editor?named=1&named=2&other=3", header)
	want := []access.Call{{Account: alice, Role: key.Editor, Query: url.Values{"named": {"1", "2"}}}}
	if diff := cmp.Diff(want, w.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if value, ok := w.calls[0].One("named"); ok || value != "1" {
		t.Errorf("a parameter given twice: %q, %v", value, ok)
	}
	if value, ok := w.calls[0].One("absent"); !ok || value != "" {
		t.Errorf("a parameter that is not given: %q, %v", value, ok)
	}
}

// TestActFor: the operator's parameter. Spec: Authentication 7; decision "Roles".
func TestActFor(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, query string
		tokens      []string
		status      int
		account     domain.AccountID
		body        string
	}{
		{name: "without it", status: 200, account: alice},
		{name: "without it, with a wrong token", tokens: []string{"guess"}, status: 200, account: alice},
		{name: "empty", query: "?account=", status: 200, account: alice},
		{name: "with the token", query: "?account=bob", tokens: []string{operatorToken}, status: 200, account: "bob"},
		{name: "without the token", query: "?account=bob", status: 403, body: badToken},
		{name: "with a wrong one", query: "?account=bob", tokens: []string{"guess"}, status: 403, body: badToken},
		{name: "with two", query: "?account=bob", tokens: []string{operatorToken, operatorToken}, status: 403, body: badToken},
		{name: "one's own, without the token", query: "?account=alice", status: 403, body: badToken},
		{name: "twice the same", query: "?account=bob&account=bob", tokens: []string{operatorToken}, status: 200, account: "bob"},
		{name: "two accounts", query: "?account=bob&account=eve", tokens: []string{operatorToken}, status: 400},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for _, role := range []key.Role{key.Viewer, key.Admin} {
				header := withKey(w.issue(t, keyring.Holder{Account: alice, Role: role}))
				header["X-Admin-Token"] = tt.tokens
				w.calls = nil
				answer := w.get("/viewer"+tt.query, header)
				if answer.Code != tt.status || tt.body != "" && answer.Body.String() != tt.body {
					t.Errorf("%s: %d %s", role, answer.Code, answer.Body)
				}
				if tt.status == 200 && (len(w.calls) != 1 || w.calls[0].Account != tt.account) || tt.status != 200 && len(w.calls) > 0 {
					t.Errorf("%s: acts as %+v", role, w.calls)
				}
			}
			if answer := w.get("/viewer"+tt.query, http.Header{"X-Admin-Token": {operatorToken}}); answer.Code != 401 {
				t.Errorf("the token without a key: %d", answer.Code)
			}
		})
	}
}

// TestFault: a lookup that fails is the service's failure, and says nothing of why.
func TestFault(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	header := withKey(w.issue(t, keyring.Holder{Account: alice, Role: key.Admin}))
	w.broken = true
	answer := w.get("/viewer", header)
	if answer.Code != 500 || strings.Contains(answer.Body.String(), "10.0.0.7") || !strings.Contains(w.log.String(), "10.0.0.7") {
		t.Errorf("%d %s; log %s", answer.Code, answer.Body, &w.log)
	}
	if len(w.calls) > 0 {
		t.Error("a caller was let in unseen")
	}
}

// TestFail: an operation may have its own answers to those who are not let in.
func TestFail(t *testing.T) {
	t.Parallel()
	var failed []error
	w := newWorld(t, access.Operation{
		Operation: operation.Operation{Method: http.MethodDelete, Path: "/own", Role: key.Admin},
		Serve: func(http.ResponseWriter, *http.Request, access.Call) error {
			return domain.Errorf(domain.NotFound, "gone", "gone")
		},
		Fail: func(w http.ResponseWriter, _ *http.Request, err error) {
			failed = append(failed, err)
			w.WriteHeader(http.StatusTeapot)
		},
	})
	admin, viewer := w.issue(t, keyring.Holder{Role: key.Admin}), w.issue(t, keyring.Holder{Role: key.Viewer})
	for _, values := range [][]string{nil, {"bad"}, {viewer}, {admin}} {
		r := httptest.NewRequest(http.MethodDelete, "/own", nil)
		r.Header["X-Api-Key"] = values
		answer := httptest.NewRecorder()
		w.handler.ServeHTTP(answer, r)
		if answer.Code != http.StatusTeapot {
			t.Errorf("%q: %d", values, answer.Code)
		}
	}
	if len(failed) != 4 || !errors.Is(failed[0], access.ErrKeyMissing) || !errors.Is(failed[1], access.ErrKeyInvalid) {
		t.Errorf("errors %v", failed)
	}
}

// TestRoutes: methods of one path are one route, and the others are refused before the key is looked at.
func TestRoutes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := httptest.NewRequest(http.MethodPost, "/viewer", nil)
	answer := httptest.NewRecorder()
	w.handler.ServeHTTP(answer, r)
	if answer.Code != 405 || answer.Header().Get("Allow") != "GET, HEAD" || w.looked > 0 {
		t.Errorf("%d, Allow %q, %d lookups", answer.Code, answer.Header().Get("Allow"), w.looked)
	}
}
