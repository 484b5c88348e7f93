package matrix_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"moviola/domain/key"
	"moviola/internal/app"
	"moviola/tests/harness"
)

var badToken = want{403, "token_invalid", "Invalid token"}

// TestOperatorRoutes: no key opens the operator's interface, whatever its role; only the token does. Decision "Roles".
func TestOperatorRoutes(t *testing.T) {
	w := newWorld(t)
	all := callers(t, w, w.open(t, "alice"), w.open(t, "bob"))
	asked := 0
	for _, route := range w.routes {
		if route.Guard != app.GuardOperator {
			continue
		}
		for _, c := range all {
			for name, tokens := range map[string][]string{
				"no token": nil, "an empty token": {""}, "a wrong token": {"guess"}, "a token with a tail": {harness.AdminToken + "x"},
				"two tokens": {harness.AdminToken, harness.AdminToken},
			} {
				header := maps.Clone(c.header)
				header["X-Admin-Token"] = tokens
				before := w.state(t)
				answer := w.http.Send(route.Method, parameter.ReplaceAllLiteralString(route.Path, "x"), []byte(`{}`), header)
				if wrong := check(answer, badToken); wrong != "" {
					t.Errorf("%s, %s, %s: %s: %d %s", route.Name(), c.name, name, wrong, answer.Status, answer.Body)
				}
				if after := w.state(t); after != before {
					t.Errorf("%s, %s, %s: something has changed", route.Name(), c.name, name)
				}
				asked++
			}
		}
		header := http.Header{"X-Admin-Token": {harness.AdminToken}}
		if answer := w.http.Send(route.Method, parameter.ReplaceAllLiteralString(route.Path, "x"), []byte(`{}`), header); answer.Status == 403 || answer.Status == 401 {
			t.Errorf("%s with the token: %d %s", route.Name(), answer.Status, answer.Body)
		}
	}
	t.Logf("%d cells", asked)
}

// TestOperatorRoles: every route of the operator's interface asks for the role that decision 77 says, and refuses those below it
// before anything changes.
func TestOperatorRoles(t *testing.T) {
	w := newWorld(t)
	send := func(token, method, path, body string) harness.Answer {
		return w.http.Send(method, path, []byte(body), http.Header{"X-Admin-Token": {token}})
	}
	order := []string{"observer", "operator", "owner"}
	tokens := make([]string, len(order))
	for i, role := range order {
		var added struct{ Token string }
		send(harness.AdminToken, "POST", "/admin/operators", `{"name":"the.`+role+`","role":"`+role+`"}`).Into(t, &added)
		if tokens[i] = added.Token; added.Token == "" {
			t.Fatalf("no token for %s", role)
		}
	}
	refused := 0
	for _, route := range w.routes {
		if route.Guard != app.GuardOperator {
			continue
		}
		least := 1
		switch {
		case route.Method == http.MethodGet:
			least = 0
		case strings.HasPrefix(route.Path, "/admin/operators"):
			least = 2
		}
		for i, token := range tokens {
			before := w.state(t)
			answer := send(token, route.Method, parameter.ReplaceAllLiteralString(route.Path, "x"), `{}`)
			if i >= least {
				if answer.Status == 401 || answer.Status == 403 {
					t.Errorf("%s as %s: %d %s", route.Name(), order[i], answer.Status, answer.Body)
				}
				continue
			}
			refused++
			if answer.Status != 403 || !strings.Contains(string(answer.Body), `"operator_role"`) {
				t.Errorf("%s as %s: %d %s", route.Name(), order[i], answer.Status, answer.Body)
			}
			if after := w.state(t); after != before {
				t.Errorf("%s as %s: something has changed", route.Name(), order[i])
			}
		}
	}
	if refused == 0 {
		t.Error("nothing was refused")
	}
}

// open are the routes that need neither key nor token, and why.
var open = map[string]string{
	"GET /docs":                                "the description of the interface",
	"GET /docs/{part}":                         "the description of the interface",
	"GET /llms.txt":                            "the description of the interface",
	"GET /v2/llms-full.txt":                    "the description of the interface",
	"GET /v2/openapi.json":                     "the description of the interface",
	"GET /v2/movie.schema.json":                "the description of the interface",
	"GET /v2/renders/{token}/{name}":           "its address cannot be guessed",
	"GET /v2/renders/{token}/{project}/{name}": "its address cannot be guessed",
	"GET /v2/media/{token}/files/{path:.+}":    "its address cannot be guessed",
	"GET /v2/media/{token}/cache/{path:.+}":    "its address cannot be guessed",
	"GET /v2/library/{id}/{name}":              "examples of published templates are for everybody",
	"GET /library/photographs/{name}":          "photographs of published templates are for everybody",
	"PUT /v2/media/upload/{ticket}":            "its address is signed",
	"GET /console":                             "the page by which somebody signs in",
	"GET /console/{page:.*}":                   "the page by which somebody signs in",
	"GET /console/assets/{name}":               "the page by which somebody signs in",
	"GET /console/api/session":                 "answers by the cookie of a session",
	"POST /console/api/session":                "begins a session with a key",
	"DELETE /console/api/session":              "ends the session of the cookie",
	"GET /operator":                            "the page by which an operator signs in",
	"GET /operator/{page:.*}":                  "the page by which an operator signs in",
	"GET /operator/assets/{name}":              "the page by which an operator signs in",
	"GET /operator/api/session":                "answers by the cookie of a session",
	"POST /operator/api/session":               "begins a session with an operator's token",
	"DELETE /operator/api/session":             "ends the session of the cookie",
	"GET /operator/api/oidc":                   "says which identity provider the page may offer",
	"POST /operator/api/oidc":                  "begins a sign-in through the identity provider",
	"GET /operator/oidc":                       "takes the identity provider's answer, bound to a cookie",
}

// TestOpenRoutes: every route that needs neither key nor token is in open.
func TestOpenRoutes(t *testing.T) {
	t.Parallel()
	for _, route := range routes(t) {
		if _, known := open[route.Name()]; route.Guard == app.GuardNone && !known {
			t.Errorf("%s asks neither for a key nor for the operator's token: say why in tests/matrix", route.Name())
		}
	}
}

// TestOperatorParameter: what takes the parameter account shows another account to whoever has the token beside a key, and to nobody
// else. Spec: Authentication 7; decision "Roles".
func TestOperatorParameter(t *testing.T) {
	w := newWorld(t)
	m := &matrix{world: w, alice: w.open(t, "alice"), bob: w.open(t, "bob")}
	_, viewer := m.bob.issue(t, key.Viewer)
	asked := 0
	for _, r := range rows() {
		at := slices.IndexFunc(w.routes, func(route app.Route) bool { return route.Name() == r.route })
		if at < 0 || !slices.Contains(w.routes[at].Query, "account") {
			continue
		}
		route, id := w.routes[at], m.subject(t, r, own)
		ask := func(name, value string, tokens []string, want want) {
			t.Helper()
			asked++
			before := w.state(t)
			answer := m.ask(route, m.naming(r), caller{header: http.Header{"X-Api-Key": {value}, "X-Admin-Token": tokens}}, id)
			if wrong := check(answer, want.about(id)); wrong != "" {
				t.Errorf("%s, %s: %s: %d %.300s", r, name, wrong, answer.Status, answer.Body)
			}
			if after := w.state(t); after != before {
				t.Errorf("%s, %s: something has changed", r, name)
			}
		}
		shown := r.own
		if route.Method != http.MethodGet { // account is for reading only
			shown = want{400, "account_read_only", "account is for reading only."}
		}
		least := m.bob.key
		if route.Role == key.Viewer {
			least = viewer
		}
		ask("with the token", least, []string{harness.AdminToken}, shown)
		ask("without it", m.bob.key, nil, badToken)
		ask("with a wrong one", m.bob.key, []string{"guess"}, badToken)
		ask("with two", m.bob.key, []string{harness.AdminToken, harness.AdminToken}, badToken)
		ask("its own account, without it", m.alice.key, nil, badToken)
		ask("without a key", "", []string{harness.AdminToken}, r.refusal("api_key_missing"))
		ask("with an invented key", generate(t), []string{harness.AdminToken}, r.refusal("api_key_invalid"))
		ask("its own account, with it", m.alice.key, []string{harness.AdminToken}, shown)
	}
	if asked == 0 {
		t.Error("no route takes the parameter")
	}
	t.Logf("%d cells", asked)
}

// naming is a row whose requests name alice's account.
func (m *matrix) naming(r row) row {
	request := r.request
	r.request = func(id string) (query, body string) {
		if request != nil {
			query, body = request(id)
		}
		if query != "" {
			query += "&"
		}
		return query + "account=" + m.alice.account, body
	}
	return r
}
