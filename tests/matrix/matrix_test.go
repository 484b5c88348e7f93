package matrix_test

import (
	"bytes"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"moviola/internal/app"
	"moviola/tests/harness"
)

// matrix is one run of it.
type matrix struct {
	*world
	alice, bob *tenant
	callers    []caller
	cells      int
}

// kinds of subjects, as alice sees them.
const (
	own     = "own"
	foreign = "foreign" // bob's
	unknown = "unknown"
	deleted = "deleted"
)

var parameter = regexp.MustCompile(`\{\w+(:[^}]*)?\}`)

// TestMatrix asks every route that needs a key.
func TestMatrix(t *testing.T) {
	w := newWorld(t)
	m := &matrix{world: w, alice: w.open(t, "alice"), bob: w.open(t, "bob")}
	m.callers = callers(t, w, m.alice, m.bob)
	for _, r := range rows() {
		at := slices.IndexFunc(w.routes, func(route app.Route) bool { return route.Name() == r.route })
		if at < 0 || w.routes[at].Guard != app.GuardKey {
			t.Errorf("%s: no such route needs a key", r)
			continue
		}
		t.Run(strings.ReplaceAll(r.String(), "/", " "), func(t *testing.T) { m.row(t, w.routes[at], r) })
	}
	t.Logf("%d cells", m.cells)
}

// TestRows: every route that needs a key has a row.
func TestRows(t *testing.T) {
	t.Parallel()
	for _, route := range routes(t) {
		has := slices.ContainsFunc(rows(), func(r row) bool { return r.route == route.Name() })
		if route.Guard == app.GuardKey && !has {
			t.Errorf("%s has no row: say in tests/matrix what it answers about own, foreign, unknown and deleted subjects", route.Name())
		}
	}
}

// row asks one route, in every cell.
func (m *matrix) row(t *testing.T, route app.Route, r row) {
	kinds := []string{own}
	if r.subject != nil {
		kinds = append(kinds, foreign, unknown)
	}
	if r.deleted != nil {
		kinds = append(kinds, deleted)
	}
	subjects := map[string]string{}
	for _, kind := range kinds {
		subjects[kind] = m.subject(t, r, kind)
	}
	for _, c := range m.callers {
		in := c.role.AtLeast(route.Role)
		for _, kind := range kinds {
			id := subjects[kind]
			if in && r.changes && kind == own && c.of == m.alice {
				id = m.subject(t, r, kind)
			}
			m.cell(t, route, r, c, kind, id)
		}
	}
	if r.subject != nil {
		m.same(t, route, r, subjects[foreign], subjects[unknown])
	}
}

// subject makes one of a kind.
func (m *matrix) subject(t *testing.T, r row, kind string) string {
	t.Helper()
	switch {
	case r.subject == nil:
		return ""
	case kind == unknown:
		return r.unknown
	case kind == foreign:
		return r.subject(t, m.bob, false)
	default:
		return r.subject(t, m.alice, kind == deleted)
	}
}

// expected is the answer to a caller about a subject.
func expected(route app.Route, r row, c caller, kind string, of *tenant) want {
	code := c.code
	if code == "" && !c.role.AtLeast(route.Role) {
		code = "insufficient_permissions"
	}
	if code != "" {
		return r.refusal(code)
	}
	mine := r.subject == nil || kind == own && c.of == of || kind == foreign && c.of != of
	switch {
	case mine:
		return r.own
	case kind == deleted && c.of == of:
		return *r.deleted
	default:
		return r.foreign
	}
}

// cell asks once.
func (m *matrix) cell(t *testing.T, route app.Route, r row, c caller, kind, id string) {
	t.Helper()
	m.cells++
	want := expected(route, r, c, kind, m.alice).about(id)
	before := m.state(t)
	answer := m.ask(route, r, c, id)
	after := m.state(t)
	if wrong := check(answer, want); wrong != "" {
		t.Errorf("%s, %s subject: %s\nanswer %d %.400s", c.name, kind, wrong, answer.Status, answer.Body)
	}
	if accepted := want.code == "" && r.changes; !accepted && before != after {
		t.Errorf("%s, %s subject: something has changed: from %s to %s", c.name, kind, before, after)
	}
	if deprecated := answer.Header.Get("Deprecation") != ""; deprecated != c.legacy {
		t.Errorf("%s, %s subject: Deprecation %v", c.name, kind, deprecated)
	}
}

func (m *matrix) ask(route app.Route, r row, c caller, id string) harness.Answer {
	query, body := "", ""
	if r.request != nil {
		query, body = r.request(id)
	}
	path := parameter.ReplaceAllLiteralString(route.Path, id)
	if query != "" {
		path += "?" + query
	}
	header := maps.Clone(c.header)
	if body != "" {
		header["Content-Type"] = []string{"application/json"}
	}
	if strings.HasSuffix(route.Path, "/still") {
		return m.http.SendWhenFree(route.Method, path, []byte(body), header)
	}
	return m.http.Send(route.Method, path, []byte(body), header)
}

// same: what is another's and what does not exist are answered byte by byte alike, but for the id, headers included. Decision 6.
func (m *matrix) same(t *testing.T, route app.Route, r row, foreignID, unknownID string) {
	t.Helper()
	admin := m.callers[slices.IndexFunc(m.callers, func(c caller) bool { return c.name == "admin" })]
	hidden := m.ask(route, r, admin, foreignID)
	nothing := m.ask(route, r, admin, unknownID)
	if got := bytes.ReplaceAll(hidden.Body, []byte(foreignID), []byte(unknownID)); !bytes.Equal(got, nothing.Body) || hidden.Status != nothing.Status {
		t.Errorf("about another's: %d %s\nabout nobody's: %d %s", hidden.Status, got, nothing.Status, nothing.Body)
	}
	for _, answer := range []harness.Answer{hidden, nothing} {
		for _, name := range []string{"Date", "X-Request-Id"} {
			answer.Header.Del(name)
		}
		if len(foreignID) != len(unknownID) {
			answer.Header.Del("Content-Length")
		}
	}
	if !maps.EqualFunc(hidden.Header, nothing.Header, slices.Equal[[]string]) {
		t.Errorf("headers about another's: %v\nabout nobody's: %v", hidden.Header, nothing.Header)
	}
}

// TestMethods: a wrong method is answered before the key is looked at. Decision 4.
func TestMethods(t *testing.T) {
	w := newWorld(t)
	methods := map[string][]string{}
	for _, route := range w.routes {
		methods[route.Path] = append(methods[route.Path], route.Method)
	}
	for path, served := range methods {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch} {
			if slices.Contains(served, method) {
				continue
			}
			before := w.state(t)
			answer := w.http.Send(method, parameter.ReplaceAllLiteralString(path, "x"), nil, http.Header{})
			if wrong := check(answer, want{405, "method_not_supported", "Method not supported"}); wrong != "" {
				t.Errorf("%s %s: %s: %d %s", method, path, wrong, answer.Status, answer.Body)
			}
			if after := w.state(t); after != before {
				t.Errorf("%s %s: something has changed", method, path)
			}
		}
	}
}
