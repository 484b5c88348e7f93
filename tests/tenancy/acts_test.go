package tenancy_test

import (
	"math/rand/v2"
	"net/http"
	"testing"
)

// act is something that an account does about something of another's, which may be itself.
type act struct {
	name  string
	about func(other *account) (method, path, body string)
	// open says that it is fine to succeed about another's: what is named belongs to the caller's own space then.
	open bool
}

// any is one of the movies of an account.
func (a *account) any() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.projects[rand.IntN(len(a.projects))]
}

func byProject(method, path string) func(*account) (string, string, string) {
	return func(o *account) (string, string, string) { return method, path + "?project=" + o.any(), "" }
}

// acts are done in any order by every account about every account.
var acts = []act{
	{name: "movie", about: byProject(http.MethodGet, "/movies")},
	{name: "history", about: byProject(http.MethodGet, "/movies/events")},
	{name: "cancel", about: byProject(http.MethodPost, "/movies/cancel")},
	{name: "redeliver", about: byProject(http.MethodPost, "/movies/redeliver")},
	{name: "delete a movie", about: byProject(http.MethodDelete, "/movies")},
	{name: "render again", about: func(o *account) (string, string, string) {
		return http.MethodPost, "/movies", `{"project":"` + o.any() + `"}`
	}},
	{name: "render a template", about: func(o *account) (string, string, string) {
		return http.MethodPost, "/movies", `{"template":"` + o.template + `"}`
	}},
	{name: "template", about: func(o *account) (string, string, string) { return http.MethodGet, "/templates?id=" + o.template, "" }},
	{name: "fields of a template", about: func(o *account) (string, string, string) {
		return http.MethodGet, "/templates?format=make&id=" + o.template, ""
	}},
	{name: "update a template", about: func(o *account) (string, string, string) {
		return http.MethodPost, "/templates?id=" + o.template, `{"prompt":"mine"}`
	}},
	{name: "duplicate a template", about: func(o *account) (string, string, string) {
		return http.MethodPost, "/templates?action=duplicate&id=" + o.template, `{}`
	}},
	{name: "revoke a key", about: func(o *account) (string, string, string) { return http.MethodDelete, "/keys?id=" + o.keys[0], "" }},
	{name: "file", about: func(o *account) (string, string, string) {
		return http.MethodGet, "/media/file?path=" + o.name + "/" + o.name + ".txt", ""
	}},
	{name: "folder", about: func(o *account) (string, string, string) { return http.MethodGet, "/media?path=" + o.name, "" }},
	{name: "delete a folder", about: func(o *account) (string, string, string) {
		return http.MethodDelete, "/media/folder", `{"folder":"` + o.name + `"}`
	}},
	{name: "test a connection", about: func(o *account) (string, string, string) {
		return http.MethodPost, "/connections/test?id=" + o.name, ""
	}},
	{name: "send to a connection", open: true, about: func(o *account) (string, string, string) {
		return http.MethodPost, "/movies", `{"scenes":[{"duration":1,"elements":[{"type":"video"}]}],"exports":[{"destinations":[{"id":"` + o.name + `"}]}]}`
	}},
}

// lists are what an account reads of its own.
var lists = []string{
	"/movies", "/movies?format=simple", "/keys", "/connections", "/deliveries", "/media", "/media/folder?tree=true", "/templates", "/templates?tag=shared",
	"/templates/library", "/templates/library?tags=shared", "/credits", "/credits/ledger", "/credits/ledger?format=csv",
}

// once does one act, or reads one list.
func (a *account) once(t *testing.T, random *rand.Rand) {
	t.Helper()
	if random.IntN(3) == 0 {
		path := lists[random.IntN(len(lists))]
		if answer := a.send(t, http.MethodGet, path, ""); answer.Status != http.StatusOK {
			t.Errorf("GET %s: %d %s", path, answer.Status, answer.Body)
		}
		return
	}
	do, other := acts[random.IntN(len(acts))], a.accounts[random.IntN(len(a.accounts))]
	method, path, body := do.about(other)
	answer := a.send(t, method, path, body)
	if other != a && !do.open && answer.Status < 400 {
		t.Errorf("%s of another account: %d %s", do.name, answer.Status, answer.Body)
	}
	var made struct{ Project string }
	if method == http.MethodPost && path == "/movies" && answer.Status == http.StatusOK {
		answer.Into(t, &made)
		a.mu.Lock()
		a.projects = append(a.projects, made.Project)
		a.mu.Unlock()
	}
}

// steal reads the next page of another's list.
func (a *account) steal(t *testing.T, other *account) {
	t.Helper()
	for _, path := range []string{"/movies?limit=1", "/keys?limit=1", "/credits/ledger?limit=1"} {
		token, ok := other.must(t, http.MethodGet, path, "")["next_token"].(string)
		if !ok {
			t.Errorf("GET %s has no second page", path)
			continue
		}
		if answer := a.send(t, http.MethodGet, path+"&next_token="+token, ""); answer.Status != http.StatusBadRequest {
			t.Errorf("GET %s with the cursor of another account: %d %s", path, answer.Status, answer.Body)
		}
	}
}
