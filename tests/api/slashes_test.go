package api_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"moviola/tests/harness"
)

// slashRows: what clients of other services do differently. Decision 65.
var slashRows = []row{
	{"media-delete-query", func(t *testing.T, w *world) {
		c := w.plain.open(t, 10)
		for _, d := range []struct{ path, query, same, other, twice string }{
			{"/media/file", "name=x&folder=a", `{"name":"x","folder":"a"}`, `{"name":"y","folder":"a"}`, "name=x&name=y&folder=a"},
			{"/media/file", "name=x&folder=a", `{"folder":"a"}`, `{"name":"x","folder":"b"}`, "name=x&folder=a&folder=b"},
			{"/media", "path=a/x", `{"path":"a/x"}`, `{"path":"a/y"}`, "path=a/x&path=a/y"},
			{"/media/folder", "folder=a", `{"folder":"a"}`, `{"folder":"b"}`, "folder=a&folder=b"},
		} {
			for _, body := range []string{"", d.same} {
				if d.path != "/media/folder" {
					c.upload(t, "a", "x", "a/b", "1")
				} else if answer := c.call(t, "POST", "/media/folder", `{"folder":"a"}`); answer.Status != 200 && answer.Status != 409 {
					t.Errorf("the folder: %d %s", answer.Status, answer.Body)
				}
				c.refused(t, "DELETE", d.path+"?"+d.query, d.other, 400, "parameter_differs", "")
				c.refused(t, "DELETE", d.path+"?"+d.twice, "", 400, "parameter_differs", "")
				c.into(t, "DELETE", d.path+"?"+d.query, body)
				if answer := c.call(t, "DELETE", d.path+"?"+d.query, body); answer.Status != 404 {
					t.Errorf("%s?%s %s again: %d %s", d.path, d.query, body, answer.Status, answer.Body)
				}
			}
		}
	}},
	{"delete-no-body", func(t *testing.T, w *world) {
		c := w.plain.open(t, 10)
		for _, body := range []string{"", `{"project":"` + unknown + `"}`, "no JSON"} { // what is sent nevertheless is not read
			project := c.until(t, c.submit(t, quick("")), "error")["project"].(string)
			if got := c.into(t, "DELETE", "/movies?project="+project, body); got["project"] != project {
				t.Errorf("%q: %v", body, got)
			}
		}
		c.refused(t, "DELETE", "/movies", `{"project":"`+unknown+`"}`, 400, "project_invalid", "")
	}},
	{"answers-slashes", func(t *testing.T, w *world) {
		c := w.plain.open(t, 10)
		for _, call := range []string{
			"GET /v2/movies/", "GET //v2//movies", "GET /v2//movies//", "GET /v2/movies/?limit=1", "POST //v2/movies/",
			"GET /v2/media/folder/", "GET /v2//media//folder", "GET /v2/credits/ledger/", "GET /v2//templates/",
		} {
			method, path, _ := strings.Cut(call, " ")
			status, at, body := c.undescribed(t, method, path, quick(""))
			if status != 200 || at != c.base+path || !strings.Contains(body, `"success":true`) {
				t.Errorf("%s: %d at %s, %s", call, status, at, body)
			}
		}
		upload, file := c.register(t, "a", "x", "a/b", 1)
		for _, exact := range []string{"PUT " + upload, "GET " + file, "GET /admin/accounts", "GET /console", "GET /llms.txt"} {
			method, path, _ := strings.Cut(exact, " ")
			slash := strings.LastIndex(path, "/")
			for _, wrong := range []string{path + "/", "/" + path, path[:slash] + "/" + path[slash:]} {
				if path == "/console" && wrong == "/console/" {
					continue // the page's own address
				}
				if status, at, body := c.undescribed(t, method, wrong, "1"); status != 404 || at != c.base+wrong {
					t.Errorf("%s %s: %d at %s, %s", method, wrong, status, at, body)
				}
			}
			if status, _, body := c.undescribed(t, method, path, "1"); status != 200 {
				t.Errorf("%s: %d %s", exact, status, body)
			}
		}
	}},
}

// undescribed sends a request to a path that the interface's description does not have. at is where it was answered.
func (c *client) undescribed(t *testing.T, method, path, body string) (status int, at, answered string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, c.base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Api-Key", c.key)
	r.Header.Set("X-Admin-Token", harness.AdminToken)
	r.Header.Set("Content-Type", "a/b")
	answer, err := c.http.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, answer.Request.URL.String(), string(data)
}
