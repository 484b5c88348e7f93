package console_test

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/mux"
	"github.com/sirupsen/logrus"

	"moviola/commands/accounts"
	"moviola/domain/key"
	"moviola/handlers/console"
	"moviola/handlers/http/access"
	"moviola/handlers/http/operation"
	"moviola/handlers/http/web"
	"moviola/projections/keyring"
)

const public = "https://video.example"

// world is a console before one operation of the interface, with keys in memory and a clock.
type world struct {
	t       *testing.T
	handler http.Handler
	now     time.Time
	key     string
	revoked bool
	ended   map[string]bool // sessions that were signed out
	calls   []*http.Request // requests that have reached the operation
}

// Holder implements console.Keys.
func (w *world) Holder(_ context.Context, hash string) (keyring.Holder, bool, error) {
	return keyring.Holder{Account: "alice", Role: key.Render}, !w.revoked && hash == key.Hash(w.key), nil
}

// Session implements console.Keys.
func (w *world) Session(_ context.Context, id, session string, _ time.Time) (keyring.Holder, bool, error) {
	return keyring.Holder{Account: "alice", Role: key.Render}, !w.revoked && id == key.ID(key.Hash(w.key)) && !w.ended[session], nil
}

// Forget implements console.Keys.
func (w *world) Forget(string) {}

// Handle implements console.Ender.
func (w *world) Handle(_ context.Context, cmd accounts.EndSession) error {
	w.ended[cmd.Session] = true
	return nil
}

func newWorld(t *testing.T, address, secret string) *world {
	t.Helper()
	value, err := key.Generate(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, now: time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC), key: value, ended: map[string]bool{}}
	log := logrus.New()
	log.SetOutput(io.Discard)
	router := web.NewRouter()
	gate := access.New(access.Config{Keys: w, Operator: web.NewOperatorToken("operator", 0, nil), Log: log})
	serve := func(out http.ResponseWriter, r *http.Request, c access.Call) error {
		if c.Account != "alice" {
			t.Errorf("called for %q", c.Account)
		}
		w.calls = append(w.calls, r)
		return web.Write(out, http.StatusOK, "in")
	}
	gate.Routes(router,
		access.Operation{Operation: operation.Operation{
			Method: http.MethodGet, Path: "/v2/movies", Role: key.Render, Parameters: []operation.Parameter{operation.Query("id", "")},
		}, Serve: serve},
		access.Operation{Operation: operation.Operation{Method: http.MethodPost, Path: "/v2/movies", Role: key.Render}, Serve: serve})
	for _, path := range []string{"/admin/accounts", "/v2/open", "/healthz"} {
		router.Handle(path, web.Methods{http.MethodGet: func(http.ResponseWriter, *http.Request) { t.Errorf("%s was reached", path) }})
	}
	page, err := console.New(console.Config{
		Keys: w, End: w, PublicURL: address, UploadOrigin: "https://bucket.example",
		Shared: console.Shared{Calls: router, SealKey: []byte(strings.Repeat(secret, 32)[:32]), Now: func() time.Time { return w.now }, Log: log, Serves: func(r *http.Request) bool {
			var match mux.RouteMatch
			if !router.Match(r, &match) || match.Route == nil {
				return false
			}
			path, err := match.Route.GetPathTemplate()
			return err == nil && path == "/v2/movies"
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	page.Routes(router)
	w.handler = web.Wrap(router, log)
	return w
}

// call sends a request as the page does, unless change makes it another one.
func (w *world) call(method, path, body string, cookies []*http.Cookie, change func(r *http.Request)) *httptest.ResponseRecorder {
	w.t.Helper()
	r := httptest.NewRequest(method, "/", strings.NewReader(body))
	target, err := url.ParseRequestURI(path) // as it is sent, with dots
	if err != nil {
		w.t.Fatal(err)
	}
	r.URL = target
	r.Header.Set(console.MarkHeader, "1")
	r.Header.Set("Origin", public)
	for _, one := range cookies {
		r.AddCookie(one)
	}
	if change != nil {
		change(r)
	}
	answer := httptest.NewRecorder()
	w.handler.ServeHTTP(answer, r)
	return answer
}

// signIn returns the cookies of a new session.
func (w *world) signIn() []*http.Cookie {
	w.t.Helper()
	answer := w.call(http.MethodPost, "/console/api/session", `{"key":"`+w.key+`"}`, nil, nil)
	cookies := answer.Result().Cookies()
	if answer.Code != http.StatusOK || len(cookies) != 1 {
		w.t.Fatalf("sign in: %d %s", answer.Code, answer.Body)
	}
	return cookies
}

// TestSession: a session does what its key does, and its cookie is one that only this host gets to see.
func TestSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, public, "a")
	cookies := w.signIn()
	c := cookies[0]
	if !strings.HasPrefix(c.Name, "__Host-") || !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Domain != "" {
		t.Errorf("the cookie is %v", c)
	}
	plain, err := base64.RawURLEncoding.DecodeString(c.Value)
	if err != nil || strings.Contains(c.Value+string(plain), w.key) || strings.Contains(c.Value+string(plain), key.ID(key.Hash(w.key))) {
		t.Errorf("the cookie tells %q, %v", plain, err)
	}
	if answer := w.call(http.MethodGet, "/console/api/v2/movies?id=1", "", cookies, nil); answer.Code != http.StatusOK || answer.Body.String() != `"in"` {
		t.Errorf("a call: %d %s", answer.Code, answer.Body)
	}
	if answer := w.call(http.MethodPost, "/console/api/v2/movies", "{}", cookies, nil); answer.Code != http.StatusOK {
		t.Errorf("a call that writes: %d %s", answer.Code, answer.Body)
	}
	if answer := w.call(http.MethodGet, "/console/api/session", "", cookies, nil); !strings.Contains(answer.Body.String(), `"role":"render"`) {
		t.Errorf("the session: %d %s", answer.Code, answer.Body)
	}
	for _, r := range w.calls {
		if r.URL.Path != "/v2/movies" || len(r.Cookies()) > 0 || r.Header.Get("Origin") != "" {
			t.Errorf("the operation saw %s with %v", r.URL, r.Header)
		}
	}
}

// TestSession_refused has a row for each way to come in without a session of one's own, or to make somebody else's browser act.
func TestSession_refused(t *testing.T) {
	t.Parallel()
	const calls = "/console/api/v2/movies"
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	without := func(name string) func(*http.Request) { return func(r *http.Request) { r.Header.Del(name) } }
	for _, tt := range []struct {
		name, method, path string
		before             func(w *world)
		cookies            func(w *world, own []*http.Cookie) []*http.Cookie
		change             func(r *http.Request)
		status             int
		code               string
	}{
		{name: "no cookie", path: calls, cookies: func(*world, []*http.Cookie) []*http.Cookie { return nil }, status: 401, code: "session_missing"},
		{name: "a forged cookie", path: calls, cookies: named(func(_ *world, c *http.Cookie) { c.Value = damaged(c.Value, 20) }), status: 401},
		{name: "a cut cookie", path: calls, cookies: named(func(_ *world, c *http.Cookie) { c.Value = c.Value[:len(c.Value)-4] }), status: 401},
		{name: "the key as a cookie", path: calls, cookies: named(func(w *world, c *http.Cookie) { c.Value = w.key }), status: 401},
		{name: "the key's hash as a cookie", path: calls, cookies: named(func(w *world, c *http.Cookie) { c.Value = key.Hash(w.key) }), status: 401},
		{name: "64 kB of cookie", path: calls, cookies: named(func(_ *world, c *http.Cookie) { c.Value = strings.Repeat("A", 64<<10) }), status: 401},
		{name: "another name", path: calls, cookies: named(func(_ *world, c *http.Cookie) { c.Name = "moviola" }), status: 401},
		{name: "two cookies", path: calls, cookies: func(w *world, own []*http.Cookie) []*http.Cookie { return append(own, w.signIn()...) }, status: 401},
		{name: "another installation's cookie", path: calls, cookies: func(*world, []*http.Cookie) []*http.Cookie { return newWorld(t, public, "b").signIn() }, status: 401},
		{name: "after twelve hours of use", path: calls, before: (*world).useForHours, status: 401},
		{name: "after an hour without a call", path: calls, before: func(w *world) { w.now = w.now.Add(time.Hour) }, status: 401},
		{name: "a clock that was turned back", path: calls, before: func(w *world) { w.now = w.now.Add(-time.Hour) }, status: 401},
		{name: "a revoked key", path: calls, before: func(w *world) { w.revoked = true }, status: 401},
		{name: "a foreign origin", method: "POST", path: calls, change: header("Origin", "https://evil.example"), status: 403, code: "console_origin"},
		{name: "a neighbour's port", method: "POST", path: calls, change: header("Origin", public+":8443"), status: 403},
		{name: "plain http", method: "POST", path: calls, change: header("Origin", "http://video.example"), status: 403},
		{name: "the origin null", method: "POST", path: calls, change: header("Origin", "null"), status: 403},
		{name: "two origins", method: "POST", path: calls, change: func(r *http.Request) { r.Header.Add("Origin", public) }, status: 403},
		{name: "no origin", method: "POST", path: calls, change: without("Origin"), status: 403},
		{name: "a form, which has no header", method: "POST", path: calls, change: without(console.MarkHeader), status: 403},
		{name: "a page of the same site", path: calls, change: header("Sec-Fetch-Site", "same-site"), status: 403},
		{name: "a page of another site", path: calls, change: header("Sec-Fetch-Site", "cross-site"), status: 403},
		{name: "signing out from elsewhere", method: "DELETE", path: "/console/api/session", change: header("Origin", "https://evil.example"), status: 403},
		{name: "the cookie at the interface itself", path: "/v2/movies", status: 401, code: "api_key_missing"},
		{name: "up to the operator's interface", path: "/console/api/v2/../../admin/accounts", status: 404},
		{name: "up, in code", path: "/console/api/v2/%2e%2e/%2e%2e/admin/accounts", status: 404},
		{name: "up, with a slash in code", path: "/console/api/v2/..%2f..%2fadmin/accounts", status: 404},
		{name: "the operator's interface below", path: "/console/api/admin/accounts", status: 404},
		{name: "what no key opens", path: "/console/api/v2/open", status: 404},
		{name: "doubled slashes", path: "/console/api/v2//movies", status: 404},
		{name: "the console in the console", path: "/console/api/v2/console/api/v2/movies", status: 404},
		{name: "a slash in code", path: "/console/api/v2/movies%2f", status: 404},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, public, "a")
			cookies := w.signIn()
			if tt.cookies != nil {
				cookies = tt.cookies(w, cookies)
			}
			if tt.before != nil {
				tt.before(w)
			}
			w.calls = nil
			method := tt.method
			if method == "" {
				method = http.MethodGet
			}
			answer := w.call(method, tt.path, "{}", cookies, func(r *http.Request) {
				if tt.change != nil {
					tt.change(r)
				}
			})
			if answer.Code != tt.status || !strings.Contains(answer.Body.String(), tt.code) || len(w.calls) > 0 || len(w.ended) > 0 {
				t.Errorf("%d %s, %d calls came through", answer.Code, answer.Body, len(w.calls))
			}
		})
	}
}

// named changes the session's own cookie.
func named(change func(w *world, c *http.Cookie)) func(w *world, own []*http.Cookie) []*http.Cookie {
	return func(w *world, own []*http.Cookie) []*http.Cookie {
		changed := *own[0]
		change(w, &changed)
		return []*http.Cookie{&changed}
	}
}

// useForHours goes on for the life of a session, a call each half hour, with the cookie as it is renewed.
func (w *world) useForHours() {
	cookies := w.signIn()
	for w.now.Before(time.Date(2026, 11, 25, 23, 30, 0, 0, time.UTC)) {
		w.now = w.now.Add(30 * time.Minute)
		answer := w.call(http.MethodGet, "/console/api/v2/movies", "", cookies, nil)
		if answer.Code != http.StatusOK {
			w.t.Fatalf("at %s: %d %s", w.now, answer.Code, answer.Body)
		}
		if renewed := answer.Result().Cookies(); len(renewed) == 1 {
			cookies = renewed
		}
	}
	w.now = w.now.Add(30 * time.Minute)
	if answer := w.call(http.MethodGet, "/console/api/v2/movies", "", cookies, nil); answer.Code != http.StatusUnauthorized {
		w.t.Errorf("after twelve hours: %d", answer.Code)
	}
}

// TestSignOut: a session that was signed out is over for every copy of its cookie; another one goes on.
func TestSignOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, public, "a")
	mine, other := w.signIn(), w.signIn()
	answer := w.call(http.MethodDelete, "/console/api/session", "", mine, nil)
	if answer.Code != http.StatusOK || len(answer.Result().Cookies()) != 1 || answer.Result().Cookies()[0].MaxAge >= 0 {
		t.Errorf("sign out: %d %v", answer.Code, answer.Result().Cookies())
	}
	for name, row := range map[string]struct {
		cookies []*http.Cookie
		status  int
	}{"a copy": {mine, 401}, "another session": {other, 200}} {
		if answer := w.call(http.MethodGet, "/console/api/v2/movies", "", row.cookies, nil); answer.Code != row.status {
			t.Errorf("%s: %d", name, answer.Code)
		}
	}
	if answer := w.call(http.MethodDelete, "/console/api/session", "", mine, nil); answer.Code != http.StatusOK {
		t.Errorf("once more: %d %s", answer.Code, answer.Body)
	}
}

// TestSignIn_refused: without a valid key, from another page, or over plain http on a network, no session begins.
func TestSignIn_refused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, address, body string
		change              func(r *http.Request)
		status              int
		code                string
	}{
		{"another key", public, `{"key":"mv_xI7bMKJcwpS7dUkAn012vn2pUAlYsvz4PQtBeuJh4al0nP"}`, nil, 401, "api_key_invalid"},
		{"no key", public, `{"key":""}`, nil, 401, "api_key_invalid"},
		{"no JSON", public, `key=1`, nil, 400, "body_invalid"},
		{"a long body", public, `{"key":"` + strings.Repeat("a", 10_000) + `"}`, nil, 400, "body_invalid"},
		{"another page", public, "", func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, 403, "console_origin"},
		{"plain http on a network", "http://video.example", "", nil, 403, "console_insecure"},
	} {
		w := newWorld(t, tt.address, "a")
		if tt.body == "" {
			tt.body = `{"key":"` + w.key + `"}`
		}
		answer := w.call(http.MethodPost, "/console/api/session", tt.body, nil, tt.change)
		if answer.Code != tt.status || !strings.Contains(answer.Body.String(), `"code":"`+tt.code+`"`) || len(answer.Result().Cookies()) > 0 {
			t.Errorf("%s: %d %s", tt.name, answer.Code, answer.Body)
		}
	}
}

// TestCookie_loopback: on this machine plain http does, with a cookie for each port.
func TestCookie_loopback(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"http://localhost:8080", "http://127.0.0.1:8080", "http://[::1]:8080"} {
		w := newWorld(t, address, "a")
		answer := w.call(http.MethodPost, "/console/api/session", `{"key":"`+w.key+`"}`, nil, func(r *http.Request) { r.Header.Set("Origin", address) })
		cookies := answer.Result().Cookies()
		if answer.Code != http.StatusOK || len(cookies) != 1 || cookies[0].Name != "moviola-8080" || cookies[0].Secure || !cookies[0].HttpOnly {
			t.Errorf("%s: %d %v", address, answer.Code, cookies)
		}
	}
}

// TestPage: every page is the same file, which nobody may frame and which loads nothing from elsewhere.
func TestPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, public, "a")
	for path, status := range map[string]int{
		"/console": 200, "/console/": 200, "/console/movies": 200, "/console/movies/AbCd": 200, "/console/assets/main.js": 200, "/console/assets/styles.css": 200,
		"/console/assets/../main.js": 404, "/console/assets/none.js": 404, "/console/api": 404, "/console/api/": 404, "/console/api/other": 404, "/consoles": 404,
	} {
		answer := w.call(http.MethodGet, path, "", nil, nil)
		if answer.Code != status {
			t.Errorf("%s: %d", path, answer.Code)
		}
		if status == 200 && answer.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", path, answer.Header())
		}
	}
	header := w.call(http.MethodGet, "/console/movies", "", nil, nil).Header()
	policy := header.Get("Content-Security-Policy")
	for _, part := range []string{
		"default-src 'none'", "script-src 'self';", "style-src 'self';", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'",
		"connect-src 'self' " + public + " https://bucket.example;", "img-src 'self' " + public + " https://bucket.example;",
	} {
		if !strings.Contains(policy, part) {
			t.Errorf("the policy lacks %q: %s", part, policy)
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") || header.Get("X-Frame-Options") != "DENY" || header.Get("Referrer-Policy") == "" {
		t.Errorf("headers %v", header)
	}
	tag := w.call(http.MethodGet, "/console", "", nil, nil).Header().Get("Etag")
	again := w.call(http.MethodGet, "/console", "", nil, func(r *http.Request) { r.Header.Set("If-None-Match", tag) })
	if tag == "" || again.Code != http.StatusNotModified {
		t.Errorf("asked again with %s: %d", tag, again.Code)
	}
}
