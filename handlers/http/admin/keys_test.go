package admin_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sirupsen/logrus"

	"moviola/commands/accounts"
	"moviola/domain"
	"moviola/domain/key"
	"moviola/eventstore"
	"moviola/handlers/http/admin"
	"moviola/handlers/http/web"
	"moviola/projections"
)

const keyID = "0123456789abcdef0123456789abcdef"

// keyWorld is what the operator does with keys.
type keyWorld struct {
	*world
	issued  []accounts.IssueKey
	revoked []accounts.RevokeKey
	listed  []string
}

type (
	keyLister  struct{ *keyWorld }
	keyIssuer  struct{ *keyWorld }
	keyRevoker struct{ *keyWorld }
)

func (w keyLister) List(out http.ResponseWriter, _ *http.Request, account domain.AccountID, query url.Values) error {
	w.listed = append(w.listed, string(account)+" "+query.Get("limit"))
	return web.Write(out, http.StatusOK, "a page")
}

func (w keyIssuer) Handle(_ context.Context, cmd accounts.IssueKey) (accounts.IssuedKey, error) {
	if w.broken {
		return accounts.IssuedKey{}, errors.New("dial 10.0.0.7: no route")
	}
	events, err := key.New().Issue(key.Issued{Account: cmd.Account, Name: cmd.Name, Role: cmd.Role, Legacy: cmd.Legacy, Hash: "h", ExpiresAt: cmd.ExpiresAt})
	if err != nil {
		return accounts.IssuedKey{}, err
	}
	w.issued = append(w.issued, cmd)
	issued := events[0].(key.Issued)
	return accounts.IssuedKey{Value: "mv_secret", ID: keyID, Role: issued.Role, ExpiresAt: issued.ExpiresAt, Position: eventstore.Position{Commit: 9}}, nil
}

func (w keyRevoker) Handle(_ context.Context, cmd accounts.RevokeKey) (accounts.Revocation, error) {
	if cmd.ID != keyID {
		return accounts.Revocation{}, domain.Errorf(domain.NotFound, "key_not_found", "Key %s not found", cmd.ID)
	}
	w.revoked = append(w.revoked, cmd)
	return accounts.Revocation{Account: "alice", At: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC), Position: eventstore.Position{Commit: 11}}, nil
}

// keyAccounts has one account: alice.
type keyAccounts struct{ admin.AccountPages }

func (keyAccounts) Get(_ context.Context, id domain.AccountID) (projections.Account, bool, error) {
	return projections.Account{Account: string(id)}, id == "alice", nil
}

func newKeyWorld(t *testing.T) (*keyWorld, http.Handler) {
	t.Helper()
	w := &keyWorld{world: &world{}}
	log := logrus.New()
	log.SetOutput(&w.log)
	router := web.NewRouter()
	admin.New(admin.Config{
		Acts: admin.ActCalls{Record: trail{w.world}}, Books: admin.Books{Accounts: keyAccounts{}},
		Operator: web.NewOperatorToken(token, 0, nil), Keys: admin.KeyCalls{List: keyLister{w}, Issue: keyIssuer{w}, Revoke: keyRevoker{w}}, Projected: projected{w.world}, Log: log,
	}).Routes(router)
	return w, web.Wrap(router, log)
}

// TestKeys: the operator's calls for keys. Decisions "Roles" and 49.
func TestKeys(t *testing.T) {
	t.Parallel()
	const path = "/admin/keys"
	refused := func(message, code string) string {
		return `{"success":false,"message":"` + message + `","code":"` + code + `"}`
	}
	noToken := refused("Invalid token", "token_invalid")
	noAccount := refused("account is required", "account_missing")
	noID := refused("A 32-character key ID must be provided in the 'id' query parameter", "key_id_invalid")
	both := refused("A legacy key has no role of its own: leave out role or legacy", "legacy_invalid")
	issued := func(role, legacy string) string {
		return `{"success":true,"account":"alice","id":"` + keyID + `","key":"mv_secret","role":"` + role + `","legacy":` + legacy + `,"expires_at":null}`
	}
	tests := []struct {
		name, method, query, body string
		token                     string
		status                    int
		want                      string
	}{
		{"list without token", "GET", "?account=alice", "", "", 403, noToken},
		{"issue without token", "POST", "", `{"account":"alice","name":"a","role":"viewer"}`, "", 403, noToken},
		{"revoke without token", "DELETE", "?id=" + keyID, "", "guess", 403, noToken},
		{"list", "GET", "?account=alice&limit=5", "", token, 200, `"a page"`},
		{"list of nobody", "GET", "", "", token, 400, noAccount},
		{"list of an unknown account", "GET", "?account=nobody", "", token, 404, refused("Account nobody not found", "account_not_found")},
		{"list of two", "GET", "?account=alice&account=bob", "", token, 400, noAccount},
		{"issue", "POST", "", `{"account":"alice","name":"a","role":"viewer"}`, token, 200, issued("viewer", "null")},
		{"issue primary", "POST", "", `{"account":"alice","name":"a","legacy":"primary"}`, token, 200, issued("admin", `"primary"`)},
		{"issue secondary", "POST", "", `{"account":"alice","name":"a","legacy":"secondary"}`, token, 200, issued("render", `"secondary"`)},
		{"issue another kind", "POST", "", `{"account":"alice","name":"a","legacy":"third"}`, token, 400, refused("legacy must be primary or secondary", "legacy_invalid")},
		{"issue a kind with a role", "POST", "", `{"account":"alice","name":"a","legacy":"primary","role":"viewer"}`, token, 400, both},
		{"issue for nobody", "POST", "", `{"name":"a","role":"viewer"}`, token, 400, noAccount},
		{"issue without role", "POST", "", `{"account":"alice","name":"a"}`, token, 400, refused("role must be viewer, render, editor, manager or admin", "role_invalid")},
		{"issue without name", "POST", "", `{"account":"alice","role":"viewer"}`, token, 400, refused("name is required", "name_required")},
		{"issue nothing", "POST", "", "", token, 400, refused("No payload provided", "body_missing")},
		{"issue until never", "POST", "", `{"account":"alice","name":"a","role":"viewer","expires_at":"never"}`, token, 400,
			refused("expires_at must be a date-time such as 2030-01-31T12:00:00Z, or left out", "expires_at_invalid")},
		{"revoke", "DELETE", "?id=" + keyID, "", token, 200, `{"success":true,"account":"alice","id":"` + keyID + `","revoked_at":"2026-11-21T09:00:00.000Z"}`},
		{"revoke nothing", "DELETE", "", "", token, 400, noID},
		{"revoke an unknown one", "DELETE", "?id=" + keyID[:31] + "0", "", token, 404, refused("Key "+keyID[:31]+"0 not found", "key_not_found")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w, handler := newKeyWorld(t)
			answer := call(handler, tt.method, path+tt.query, tt.body, tt.token)
			if answer.Code != tt.status || answer.Body.String() != tt.want {
				t.Errorf("%d %s, want %d %s", answer.Code, answer.Body, tt.status, tt.want)
			}
			if tt.status != 200 && len(w.issued)+len(w.revoked)+len(w.listed) > 0 {
				t.Error("a refused request had an effect")
			}
			if tt.status == 200 && tt.method != "GET" && len(w.waited) != 1 {
				t.Errorf("waited for %v", w.waited)
			}
			if strings.Contains(w.log.String(), "mv_secret") || strings.Contains(w.log.String(), token) {
				t.Error("a secret is in the log")
			}
		})
	}
}

func TestKeys_PassesOn(t *testing.T) {
	t.Parallel()
	w, handler := newKeyWorld(t)
	at := time.Date(2027, 1, 31, 12, 0, 0, 0, time.UTC)
	call(handler, "POST", "/admin/keys", `{"account":"alice","name":"old","legacy":"primary","expires_at":"2027-01-31T12:00:00Z"}`, token)
	call(handler, "DELETE", "/admin/keys?id="+keyID, "", token)
	call(handler, "GET", "/admin/keys?account=alice&limit=5", "", token)
	if diff := cmp.Diff([]accounts.IssueKey{{Account: "alice", Name: "old", Legacy: key.Primary, ExpiresAt: &at}}, w.issued); diff != "" {
		t.Errorf("issued (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]accounts.RevokeKey{{ID: keyID}}, w.revoked); diff != "" {
		t.Errorf("revoked (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"alice 5"}, w.listed); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
	w.broken = true
	var answer *httptest.ResponseRecorder
	if answer = call(handler, "POST", "/admin/keys", `{"account":"alice","name":"a","role":"viewer"}`, token); answer.Code != 500 || strings.Contains(answer.Body.String(), "10.0.0.7") {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
}
