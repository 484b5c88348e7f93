package keys_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sirupsen/logrus"

	"moviola/commands/accounts"
	"moviola/domain"
	"moviola/domain/key"
	"moviola/eventstore"
	"moviola/handlers/http/access"
	"moviola/handlers/http/keys"
	"moviola/handlers/http/web"
	"moviola/projections"
	"moviola/projections/keyring"
)

var now = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

const (
	aliceKey = "0123456789abcdef0123456789abcdef"
	newKey   = "mv_secret"
)

// world is what the interface acts on. Every caller is an admin of alice's.
type world struct {
	issued  []accounts.IssueKey
	revoked []accounts.RevokeKey
	listed  []projections.KeyList
	have    []projections.Key
	waited  []eventstore.Position
	broken  bool
	handler http.Handler
	log     bytes.Buffer
	value   string
}

type (
	holders   struct{}
	lister    struct{ *world }
	issuer    struct{ *world }
	revoker   struct{ *world }
	projected struct{ *world }
)

var errStore = errors.New("dial 10.0.0.7: no route")

func (holders) Holder(context.Context, string) (keyring.Holder, bool, error) {
	return keyring.Holder{Account: "alice", Role: key.Admin}, true, nil
}

func (w lister) List(_ context.Context, list projections.KeyList) (projections.KeyPage, error) {
	if w.broken {
		return projections.KeyPage{}, errStore
	}
	w.listed = append(w.listed, list)
	from := 0
	if list.KeyCursor != nil {
		from = 1 + slices.IndexFunc(w.have, func(k projections.Key) bool { return k.ID == list.ID && k.IssuedAt.Equal(list.IssuedAt) })
	}
	to := min(from+list.Limit, len(w.have))
	return projections.KeyPage{Keys: w.have[from:to], More: to < len(w.have)}, nil
}

func (w issuer) Handle(_ context.Context, cmd accounts.IssueKey) (accounts.IssuedKey, error) {
	switch _, err := key.ParseRole(string(cmd.Role)); {
	case w.broken:
		return accounts.IssuedKey{}, errStore
	case err != nil:
		return accounts.IssuedKey{}, err
	}
	w.issued = append(w.issued, cmd)
	return accounts.IssuedKey{Value: newKey, ID: aliceKey, Name: cmd.Name, Role: cmd.Role, ExpiresAt: cmd.ExpiresAt, Position: eventstore.Position{Commit: 9}}, nil
}

func (w revoker) Handle(_ context.Context, cmd accounts.RevokeKey) (accounts.Revocation, error) {
	switch {
	case w.broken:
		return accounts.Revocation{}, errStore
	case cmd.Account != "alice" || cmd.ID != aliceKey:
		return accounts.Revocation{}, domain.Errorf(domain.NotFound, "key_not_found", "Key %s not found", cmd.ID)
	}
	w.revoked = append(w.revoked, cmd)
	return accounts.Revocation{Account: "alice", At: now.Add(-time.Hour), Position: eventstore.Position{Commit: 11}}, nil
}

func (w projected) WaitFor(_ context.Context, position eventstore.Position) error {
	w.waited = append(w.waited, position)
	return nil
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{}
	log := logrus.New()
	log.SetOutput(&w.log)
	api, err := keys.New(keys.Config{
		Keys: lister{w}, Issue: issuer{w}, Revoke: revoker{w}, Projected: projected{w}, CursorKey: []byte("0123456789abcdef"),
		Now: func() time.Time { return now }, Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	router := web.NewRouter()
	access.New(access.Config{Keys: holders{}, Log: log}).Routes(router, api.Operations()...)
	w.handler = web.Wrap(router, log)
	if w.value, err = key.Generate(rand.Reader); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) call(method, query, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "/v2/keys"+query, strings.NewReader(body))
	r.Header["X-Api-Key"] = []string{w.value}
	answer := httptest.NewRecorder()
	w.handler.ServeHTTP(answer, r)
	return answer
}

func refused(message, code string) string {
	body, err := web.JSON(map[string]any{"success": false, "message": message, "code": code})
	if err != nil {
		return err.Error()
	}
	return string(body)
}

// TestRefusals: what is not valid is refused, in the words of the interface, and does nothing.
func TestRefusals(t *testing.T) {
	t.Parallel()
	const (
		noID   = "A 32-character key ID must be provided in the 'id' query parameter"
		noDate = "expires_at must be a date-time such as 2030-01-31T12:00:00Z, or left out"
		noJSON = "The request body is not the JSON object that is expected here"
	)
	tests := []struct {
		name, method, query, body string
		status                    int
		message, code             string
	}{
		{"nothing", "POST", "", "", 400, "No payload provided", "body_missing"},
		{"no object", "POST", "", "[]", 400, noJSON, "body_invalid"},
		{"null", "POST", "", " null", 400, noJSON, "body_invalid"},
		{"no JSON", "POST", "", "{", 400, noJSON, "body_invalid"},
		{"a number for a name", "POST", "", `{"name":1,"role":"admin"}`, 400, noJSON, "body_invalid"},
		{"a large body", "POST", "", strings.Repeat(" ", 64<<10) + "{}", 413, "The request body is larger than the limit of 65536 bytes", "body_too_large"},
		{"no date", "POST", "", `{"name":"a","role":"admin","expires_at":"soon"}`, 400, noDate, "expires_at_invalid"},
		{"a number for a date", "POST", "", `{"name":"a","role":"admin","expires_at":1}`, 400, noJSON, "body_invalid"},
		{"a role that there is not", "POST", "", `{"name":"a","role":"owner"}`, 400, "role must be viewer, render, editor, manager or admin", "role_invalid"},
		{"a legacy kind", "POST", "", `{"name":"a","role":"primary"}`, 400, "role must be viewer, render, editor, manager or admin", "role_invalid"},
		{"a legacy kind beside no role", "POST", "", `{"name":"a","legacy":"primary"}`, 400, "role must be viewer, render, editor, manager or admin", "role_invalid"},
		{"no id", "DELETE", "", "", 400, noID, "key_id_invalid"},
		{"an empty id", "DELETE", "?id=", "", 400, noID, "key_id_invalid"},
		{"a short id", "DELETE", "?id=" + aliceKey[1:], "", 400, noID, "key_id_invalid"},
		{"an id in capitals", "DELETE", "?id=" + strings.ToUpper(aliceKey), "", 400, noID, "key_id_invalid"},
		{"two ids", "DELETE", "?id=" + aliceKey + "&id=" + aliceKey[:31] + "0", "", 400, noID, "key_id_invalid"},
		{"an unknown id", "DELETE", "?id=" + aliceKey[:31] + "0", "", 404, "Key " + aliceKey[:31] + "0 not found", "key_not_found"},
		{"a page of none", "GET", "?limit=0", "", 400, "Invalid limit", "limit_invalid"},
		{"a page of too many", "GET", "?limit=101", "", 400, "Invalid limit", "limit_invalid"},
		{"a made-up cursor", "GET", "?next_token=abc", "", 400, "Invalid next_token", "next_token_invalid"},
		{"two cursors", "GET", "?next_token=abc&next_token=abd", "", 400, "Invalid next_token", "next_token_invalid"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			answer := w.call(tt.method, tt.query, tt.body)
			var got, want map[string]any
			if err := errors.Join(json.Unmarshal(answer.Body.Bytes(), &got), json.Unmarshal([]byte(refused(tt.message, tt.code)), &want)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); answer.Code != tt.status || diff != "" {
				t.Errorf("%d, want %d; body (-want +got):\n%s", answer.Code, tt.status, diff)
			}
			if len(w.issued)+len(w.revoked) > 0 {
				t.Error("a refused request had an effect")
			}
		})
	}
}

func TestIssue(t *testing.T) {
	t.Parallel()
	at, day := now.Add(time.Hour), time.Date(2027, 1, 31, 23, 59, 59, 999_000_000, time.UTC)
	for body, want := range map[string]accounts.IssueKey{
		`{"name":"ci","role":"editor"}`:                                                           {Name: "ci", Role: key.Editor},
		`{"name":"ci","role":"viewer","expires_at":null,"note":"x"}`:                              {Name: "ci", Role: key.Viewer},
		`{"name":"ci","role":"viewer","expires_at":""}`:                                           {Name: "ci", Role: key.Viewer},
		`{"name":"ci","role":"viewer","expires_at":"2026-11-21T10:00:00Z"}`:                       {Name: "ci", Role: key.Viewer, ExpiresAt: &at},
		`{"name":"ci","role":"viewer","expires_at":"2026-11-21T12:00:00+02:00"}`:                  {Name: "ci", Role: key.Viewer, ExpiresAt: &at},
		`{"name":"ci","role":"viewer","expires_at":"2027-01-31"}`:                                 {Name: "ci", Role: key.Viewer, ExpiresAt: &day},
		`{"name":"ci","role":"viewer","account":"bob","legacy":"primary","hash":"0","id":"mine"}`: {Name: "ci", Role: key.Viewer},
	} {
		w := newWorld(t)
		answer := w.call("POST", "", body)
		want.Account = "alice"
		if diff := cmp.Diff([]accounts.IssueKey{want}, w.issued); diff != "" {
			t.Errorf("%s: commands (-want +got):\n%s", body, diff)
		}
		expires := "null"
		if want.ExpiresAt != nil {
			expires = `"` + web.Stamp(*want.ExpiresAt) + `"`
		}
		shown := `{"success":true,"id":"` + aliceKey + `","key":"` + newKey + `","role":"` + string(want.Role) + `","expires_at":` + expires + `}`
		if answer.Code != 200 || answer.Body.String() != shown {
			t.Errorf("%s: %d %s, want %s", body, answer.Code, answer.Body, shown)
		}
		if diff := cmp.Diff([]eventstore.Position{{Commit: 9}}, w.waited); diff != "" {
			t.Errorf("positions waited for (-want +got):\n%s", diff)
		}
		if strings.Contains(w.log.String(), newKey) {
			t.Error("the key is in the log")
		}
	}
}

func TestRevoke(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	answer := w.call("DELETE", "?id="+aliceKey, "")
	want := `{"success":true,"id":"` + aliceKey + `","revoked_at":"2026-11-21T08:00:00.000Z","timestamp":"2026-11-21T09:00:00.000Z"}`
	if answer.Code != 200 || answer.Body.String() != want {
		t.Errorf("%d %s, want %s", answer.Code, answer.Body, want)
	}
	if diff := cmp.Diff([]accounts.RevokeKey{{ID: aliceKey, Account: "alice"}}, w.revoked); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]eventstore.Position{{Commit: 11}}, w.waited); diff != "" {
		t.Errorf("positions waited for (-want +got):\n%s", diff)
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if got := w.call("GET", "", "").Body.String(); got !=
		`{"success":true,"count":0,"limit":100,"has_next":false,"next_token":null,"keys":[],"timestamp":"2026-11-21T09:00:00.000Z"}` {
		t.Errorf("no keys: %s", got)
	}
	past, future := now, now.Add(1)
	w.have = []projections.Key{
		{ID: "k3", Name: "three", Role: key.Render, Legacy: key.Secondary, Hash: "hash", IssuedAt: now, ExpiresAt: &future},
		{ID: "k2", Name: "<two>", Role: key.Viewer, Hash: "hash", IssuedAt: now.Add(-time.Hour), ExpiresAt: &past},
		{ID: "k1", Name: "one", Role: key.Admin, Hash: "hash", IssuedAt: now.Add(-2 * time.Hour)},
	}
	want := []string{
		`{"id":"k3","name":"three","role":"render","legacy":"secondary","created_at":"2026-11-21T09:00:00.000Z","expires_at":"2026-11-21T09:00:00.000Z","expired":false}`,
		`{"id":"k2","name":"<two>","role":"viewer","legacy":null,"created_at":"2026-11-21T08:00:00.000Z","expires_at":"2026-11-21T09:00:00.000Z","expired":true}`,
		`{"id":"k1","name":"one","role":"admin","legacy":null,"created_at":"2026-11-21T07:00:00.000Z","expires_at":null,"expired":false}`,
	}
	if got := w.call("GET", "", "").Body.String(); !strings.Contains(got, `"count":3,`) || !strings.Contains(got, `"keys":[`+strings.Join(want, ",")+`]`) {
		t.Errorf("all: %s", got)
	}
	var first struct {
		Count, Limit int
		HasNext      bool    `json:"has_next"`
		NextToken    *string `json:"next_token"`
	}
	answer := w.call("GET", "?limit=2", "").Body.Bytes()
	if err := json.Unmarshal(answer, &first); err != nil || first.Count != 2 || first.Limit != 2 || !first.HasNext || first.NextToken == nil {
		t.Fatalf("the first page: %s, %v", answer, err)
	}
	token := url.QueryEscape(*first.NextToken)
	for _, query := range []string{"?next_token=" + token, "?limit=2&next_token=" + token} {
		if got := w.call("GET", query, "").Body.String(); !strings.Contains(got, `"count":1,"limit":2,"has_next":false,"next_token":null,"keys":[`+want[2]+`]`) {
			t.Errorf("%s: %s", query, got)
		}
	}
	if got := w.call("GET", "?limit=3&next_token="+token, ""); got.Code != 400 {
		t.Errorf("another limit beside the cursor: %d %s", got.Code, got.Body)
	}
	for _, list := range w.listed {
		if list.Account != "alice" {
			t.Errorf("the keys of %s were listed", list.Account)
		}
	}
	if strings.Contains(w.log.String(), "hash") {
		t.Error("a hash is in the log")
	}
}

// TestCursorOfAnother: a cursor of another account's list is refused.
func TestCursorOfAnother(t *testing.T) {
	t.Parallel()
	for account, status := range map[string]int{"alice": 200, "bob": 400} {
		w := newWorld(t)
		token, err := web.NewCursors([]byte("0123456789abcdef"), "keys-cursor").Encode(map[string]any{"a": account, "l": 2, "i": now, "k": "k1"})
		if err != nil {
			t.Fatal(err)
		}
		if got := w.call("GET", "?next_token="+token, ""); got.Code != status {
			t.Errorf("a cursor of %s: %d %s", account, got.Code, got.Body)
		}
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for _, r := range [][3]string{{"GET", "", ""}, {"POST", "", `{"name":"a","role":"admin"}`}, {"DELETE", "?id=" + aliceKey, ""}} {
		w := newWorld(t)
		w.broken = true
		if answer := w.call(r[0], r[1], r[2]); answer.Code != 500 || strings.Contains(answer.Body.String(), "10.0.0.7") {
			t.Errorf("%s: %d %s", r[0], answer.Code, answer.Body)
		}
	}
}

func TestNew_Incomplete(t *testing.T) {
	t.Parallel()
	_, err := keys.New(keys.Config{})
	for _, name := range []string{"Keys", "Issue", "Revoke", "Projected", "Log", "CursorKey"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s is not missed: %v", name, err)
		}
	}
}
