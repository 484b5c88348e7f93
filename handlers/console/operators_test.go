package console_test

import (
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/mux"
	"github.com/sirupsen/logrus"

	"moviola/commands/accounts"
	"moviola/domain/operator"
	"moviola/eventstore"
	"moviola/eventstore/memory"
	"moviola/handlers/console"
	"moviola/handlers/http/web"
)

// desk is a console of operators before two operations, with a real roster in memory.
type desk struct {
	t         *testing.T
	handler   http.Handler
	operators *accounts.Operators
	tokens    map[operator.Role]string
	acting    []web.Acting // who has called
	headers   []http.Header
}

const configured = "the configured token"

func newDesk(t *testing.T, forOneRun bool, publicURL string) *desk {
	t.Helper()
	return newDeskWith(t, func(cfg *console.OperatorConfig) { cfg.ForOneRun, cfg.PublicURL = forOneRun, publicURL })
}

func newDeskWith(t *testing.T, change func(*console.OperatorConfig)) *desk {
	t.Helper()
	log := logrus.New()
	log.SetOutput(io.Discard)
	d := &desk{t: t, tokens: map[operator.Role]string{}}
	d.operators = accounts.NewOperators(eventstore.NewLog(memory.New(), eventstore.NewCodec()), rand.Reader, time.Now)
	for _, role := range []operator.Role{operator.Observer, operator.Acting, operator.Owner} {
		added, err := d.operators.Add(context.Background(), accounts.AddOperator{Name: "an." + string(role), Role: role})
		if err != nil {
			t.Fatal(err)
		}
		d.tokens[role] = added.Token
	}
	token := web.NewOperatorToken(configured, 0, d.operators)
	router := web.NewRouter()
	serve := func(out http.ResponseWriter, r *http.Request) {
		acting, err := token.Admit(r, web.RoleFor(r.Method))
		if err != nil {
			web.Fail(out, r, log, err)
			return
		}
		d.acting, d.headers = append(d.acting, acting), append(d.headers, r.Header)
		_ = web.Write(out, http.StatusOK, "in")
	}
	router.Handle("/admin/credits", web.Methods{http.MethodGet: serve, http.MethodPost: serve})
	router.Handle("/v2/movies", web.Methods{http.MethodGet: func(http.ResponseWriter, *http.Request) { t.Error("an operation of accounts was reached") }})
	cfg := console.OperatorConfig{
		Operators: d.operators, Token: token,
		Shared: console.Shared{Calls: router, SealKey: make([]byte, 32), Log: log, Serves: func(r *http.Request) bool {
			var match mux.RouteMatch
			return router.Match(r, &match) && match.Route != nil && strings.HasPrefix(r.URL.Path, "/admin/")
		}},
	}
	change(&cfg)
	page, err := console.NewOperators(cfg)
	if err != nil {
		t.Fatal(err)
	}
	page.Routes(router)
	d.handler = web.Wrap(router, log)
	return d
}

// call sends a request as the page at http://localhost:9464 does, unless change makes it another one.
func (d *desk) call(method, path, body string, cookies []*http.Cookie, change func(*http.Request)) *httptest.ResponseRecorder {
	d.t.Helper()
	r := httptest.NewRequest(method, "http://localhost:9464"+path, strings.NewReader(body))
	r.Header.Set(console.MarkHeader, "1")
	r.Header.Set("Origin", "http://localhost:9464")
	for _, one := range cookies {
		r.AddCookie(one)
	}
	if change != nil {
		change(r)
	}
	answer := httptest.NewRecorder()
	d.handler.ServeHTTP(answer, r)
	return answer
}

func (d *desk) signIn(token string) []*http.Cookie {
	d.t.Helper()
	answer := d.call(http.MethodPost, "/operator/api/session", `{"token":"`+token+`"}`, nil, nil)
	if answer.Code != http.StatusOK {
		d.t.Fatalf("sign in: %d %s", answer.Code, answer.Body)
	}
	return answer.Result().Cookies()
}

// TestOperators: who has a token gets a session, whose calls are made in their name and with their role, whatever the headers say.
func TestOperators(t *testing.T) {
	t.Parallel()
	d := newDesk(t, false, "")
	for token, row := range map[string]struct {
		name          string
		reads, writes int
	}{
		d.tokens[operator.Observer]: {"an.observer", 200, 403}, d.tokens[operator.Acting]: {"an.operator", 200, 200}, configured: {"", 200, 200},
	} {
		cookies := d.signIn(token)
		if len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode || cookies[0].Name != "moviola-operator-9464" ||
			strings.Contains(cookies[0].Value, token) {
			t.Fatalf("cookies %v", cookies)
		}
		strange := func(r *http.Request) {
			r.Header.Set("X-Operator", "somebody else")
			r.Header.Set("X-Admin-Token", "guess")
		}
		d.acting, d.headers = nil, nil
		if answer := d.call(http.MethodGet, "/operator/api/admin/credits", "", cookies, strange); answer.Code != row.reads {
			t.Errorf("%s reads: %d %s", row.name, answer.Code, answer.Body)
		}
		if answer := d.call(http.MethodPost, "/operator/api/admin/credits", "{}", cookies, strange); answer.Code != row.writes {
			t.Errorf("%s writes: %d %s", row.name, answer.Code, answer.Body)
		}
		for i, acting := range d.acting {
			if acting.Name != row.name || d.headers[i].Get("X-Operator") != "" || d.headers[i].Get("Cookie") != "" {
				t.Errorf("called as %q, headers %v", acting.Name, d.headers[i])
			}
		}
	}
}

// TestOperators_refused: nobody else is let in, and nothing else is reached.
func TestOperators_refused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, method, path, body string
		cookies                  func(d *desk, own []*http.Cookie) []*http.Cookie
		change                   func(r *http.Request)
		status                   int
		code                     string
	}{
		{name: "no session", path: "/operator/api/admin/credits", cookies: func(*desk, []*http.Cookie) []*http.Cookie { return nil }, status: 401, code: "session_missing"},
		{name: "a forged session", path: "/operator/api/admin/credits", status: 401, code: "session_missing", cookies: changed(func(c *http.Cookie) { c.Value = damaged(c.Value, 0) })},
		{name: "a session of the other console", path: "/operator/api/admin/credits", status: 401, code: "session_missing", cookies: func(*desk, []*http.Cookie) []*http.Cookie {
			w := newWorld(t, "http://localhost:9464", "x")
			answer := w.call(http.MethodPost, "/console/api/session", `{"key":"`+w.key+`"}`, nil, func(r *http.Request) { r.Header.Set("Origin", "http://localhost:9464") })
			other := answer.Result().Cookies()[0]
			other.Name = "moviola-operator-9464"
			return []*http.Cookie{other}
		}},
		{name: "two cookies", path: "/operator/api/admin/credits", status: 401, code: "session_missing", cookies: func(_ *desk, own []*http.Cookie) []*http.Cookie { return append(own, own[0]) }},
		{name: "after a revocation", path: "/operator/api/admin/credits", status: 401, code: "session_missing", cookies: func(d *desk, own []*http.Cookie) []*http.Cookie {
			if err := d.operators.Revoke(t.Context(), "an.owner"); err != nil {
				t.Fatal(err)
			}
			return own
		}},
		{name: "after a renewal", path: "/operator/api/admin/credits", status: 401, code: "session_missing", cookies: func(d *desk, own []*http.Cookie) []*http.Cookie {
			if _, err := d.operators.Renew(t.Context(), "an.owner"); err != nil {
				t.Fatal(err)
			}
			return own
		}},
		{name: "after signing out", path: "/operator/api/admin/credits", status: 401, code: "session_missing", cookies: func(d *desk, own []*http.Cookie) []*http.Cookie {
			if answer := d.call(http.MethodDelete, "/operator/api/session", "", own, nil); answer.Code != 200 {
				t.Fatalf("%d %s", answer.Code, answer.Body)
			}
			return own
		}},
		{name: "a foreign origin", method: http.MethodPost, path: "/operator/api/admin/credits", body: "{}", status: 403, code: "console_origin",
			change: func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }},
		{name: "another port of this host", method: http.MethodPost, path: "/operator/api/admin/credits", body: "{}", status: 403, code: "console_origin",
			change: func(r *http.Request) { r.Header.Set("Origin", "http://localhost:8080") }},
		{name: "no origin", method: http.MethodPost, path: "/operator/api/admin/credits", body: "{}", status: 403, code: "console_origin", change: func(r *http.Request) { r.Header.Del("Origin") }},
		{name: "a form", method: http.MethodPost, path: "/operator/api/admin/credits", body: "{}", status: 403, code: "console_origin", change: func(r *http.Request) { r.Header.Del(console.MarkHeader) }},
		{name: "another site", path: "/operator/api/admin/credits", status: 403, code: "console_origin", change: func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") }},
		{name: "an operation of accounts", path: "/operator/api/v2/movies", status: 404},
		{name: "up to one", path: "/operator/api/admin/../v2/movies", status: 404},
		{name: "what is no operation", path: "/operator/api/admin/none", status: 404},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, false, "")
			cookies := d.signIn(d.tokens[operator.Owner])
			if tt.cookies != nil {
				cookies = tt.cookies(d, cookies)
			}
			method := tt.method
			if method == "" {
				method = http.MethodGet
			}
			answer := d.call(method, tt.path, tt.body, cookies, tt.change)
			if answer.Code != tt.status || !strings.Contains(answer.Body.String(), tt.code) || len(d.acting) > 0 {
				t.Errorf("%d %s, %d calls came through", answer.Code, answer.Body, len(d.acting))
			}
		})
	}
}

// changed changes the session's own cookie.
func changed(change func(c *http.Cookie)) func(*desk, []*http.Cookie) []*http.Cookie {
	return func(_ *desk, own []*http.Cookie) []*http.Cookie {
		other := *own[0]
		change(&other)
		return []*http.Cookie{&other}
	}
}

// damaged is value with another character at a place: any other one would, by chance, be the same now and then.
func damaged(value string, at int) string {
	other := "A"
	if value[at] == 'A' {
		other = "B"
	}
	return value[:at] + other + value[at+1:]
}

// TestOperators_signIn: a token opens the console unless it is wrong, was made for one run, or comes where no cookie is safe.
func TestOperators_signIn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, token, publicURL, host, origin string
		forOneRun                            bool
		status                               int
		code, cookie                         string
	}{
		{name: "the configured token", token: configured, status: 200, cookie: "moviola-operator-9464"},
		{name: "a token made for one run", token: configured, forOneRun: true, status: 403, code: "operator_token_generated"},
		{name: "a token of somebody, beside one made for one run", forOneRun: true, status: 200, cookie: "moviola-operator-9464"},
		{name: "a guess", token: "guess", status: 403, code: "token_invalid"},
		{name: "none", token: " ", status: 403, code: "token_invalid"},
		{name: "plain http on a network", host: "10.0.0.7:9464", origin: "http://10.0.0.7:9464", status: 403, code: "console_insecure"},
		{name: "https by a proxy", host: "ops.example", origin: "https://ops.example", status: 200, cookie: "__Host-moviola-operator"},
		{name: "https by a proxy, another site's page", host: "ops.example", origin: "https://evil.example", status: 403, code: "console_origin"},
		{name: "the public address", publicURL: public, host: "video.example", origin: public, status: 200, cookie: "__Host-moviola-operator"},
		{name: "elsewhere than at the public address", publicURL: public, status: 403, code: "console_origin"},
	} {
		d := newDesk(t, tt.forOneRun, tt.publicURL)
		if tt.token == "" {
			tt.token = d.tokens[operator.Acting]
		}
		answer := d.call(http.MethodPost, "/operator/api/session", `{"token":"`+tt.token+`"}`, nil, func(r *http.Request) {
			if tt.host != "" {
				r.Host = tt.host
				r.Header.Set("Origin", tt.origin)
			}
		})
		cookie := ""
		if all := answer.Result().Cookies(); len(all) == 1 {
			cookie = all[0].Name
			if all[0].Secure != strings.HasPrefix(cookie, "__Host-") {
				t.Errorf("%s: %v", tt.name, all[0])
			}
		}
		if answer.Code != tt.status || !strings.Contains(answer.Body.String(), tt.code) || cookie != tt.cookie {
			t.Errorf("%s: %d %s, cookie %q", tt.name, answer.Code, answer.Body, cookie)
		}
	}
}

// TestOperators_page: the page is the operators', and nobody may frame it.
func TestOperators_page(t *testing.T) {
	t.Parallel()
	d := newDesk(t, false, "")
	for path, status := range map[string]int{
		"/operator": 200, "/operator/accounts/a1": 200, "/operator/assets/operator.js": 200, "/operator/assets/operator.html": 404, "/operator/api/other": 404, "/operators": 404,
	} {
		if answer := d.call(http.MethodGet, path, "", nil, nil); answer.Code != status {
			t.Errorf("%s: %d", path, answer.Code)
		}
	}
	answer := d.call(http.MethodGet, "/operator", "", nil, nil)
	policy := answer.Header().Get("Content-Security-Policy")
	if !strings.Contains(policy, "connect-src 'self';") || !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "unsafe") ||
		answer.Header().Get("X-Frame-Options") != "DENY" || !strings.Contains(answer.Body.String(), "/operator/assets/operator.js") {
		t.Errorf("%v %s", answer.Header(), answer.Body)
	}
}
