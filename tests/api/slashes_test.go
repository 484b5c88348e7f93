package api_test

import (
	"net/http"
	"testing"
)

// slashRows: what clients of other services do differently. Decision 65.
var slashRows = []row{
	{"media-delete-query", func(t *testing.T, w *world) {
		c := w.plain.open(t, 10)
		c.into(t, "POST", "/media/folder", `{"folder":"a"}`)
		if answer := c.call(t, "DELETE", "/media/folder?folder=a", `{"folder":"b"}`); answer.Status != 400 {
			t.Errorf("another folder in the body: %d %s", answer.Status, answer.Body)
		}
		c.into(t, "DELETE", "/media/folder?folder=a", "")
		for _, path := range []string{"/media?path=none.png", "/media/file?name=none.png&folder=a"} {
			if answer := c.call(t, "DELETE", path, ""); answer.Status != 404 {
				t.Errorf("%s: %d %s", path, answer.Status, answer.Body)
			}
		}
	}},
	{"answers-slashes", func(t *testing.T, w *world) {
		c := w.idle.open(t, 10)
		for _, path := range []string{"/movies/", "//movies", "//movies//"} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.base+"/v2"+path, nil) // such a path is not described
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("X-Api-Key", c.key)
			answer, err := c.http.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			if err := answer.Body.Close(); answer.StatusCode != 200 || answer.Request.URL.Path != "/v2"+path || err != nil {
				t.Errorf("%s: %d at %s, %v", path, answer.StatusCode, answer.Request.URL.Path, err)
			}
		}
		for _, path := range []string{"/v2/renders//x/y.mp4", "/v2/library/x/y/", "/admin/accounts/"} {
			if answer := c.send(t, "GET", path, ""); answer.Status != 404 {
				t.Errorf("%s: %d %s", path, answer.Status, answer.Body)
			}
		}
	}},
}
