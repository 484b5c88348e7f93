package api_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"moviola/tests/harness"
)

// stateRows: the table of states and transitions of a movie, and what its files live.
var stateRows = []row{
	{"state-pending", func(t *testing.T, w *world) {
		c := w.idle.open(t, 600)
		got := c.movie(t, c.submit(t, short("")))
		if got["status"] != "pending" || got["success"] != true || got["started_at"] != nil || got["url"] != nil {
			t.Errorf("%v", got)
		}
	}},
	{"state-running", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		movie, release := w.web.held(t, "")
		got := c.until(t, c.submit(t, movie), "running")
		if got["success"] != true || got["started_at"] == nil || got["ended_at"] != nil {
			t.Errorf("%v", got)
		}
		release()
	}},
	{"state-pending-while-sources-are-fetched", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		gate := "fetched-" + c.account
		movie := `{"resolution":"custom","width":64,"height":64,"scenes":[{"duration":1,"elements":[{"type":"image","src":"` + w.web.base + "/held/" + gate + `"}]}]}`
		cancelled, fetched := c.submit(t, movie), c.submit(t, movie)
		for _, project := range []string{cancelled, fetched} {
			harness.Eventually(t, "the sources of a movie are asked for", func() bool {
				return strings.Contains(string(c.call(t, "GET", "/movies/events?project="+project, "").Body), "SourcesFetchStarted")
			})
			if got := c.movie(t, project); got["status"] != "pending" || got["started_at"] != nil {
				t.Errorf("%v", got)
			}
		}
		c.into(t, "POST", "/movies/cancel?project="+cancelled, "")
		if got := c.movie(t, cancelled); got["status"] != "error" || got["message"] != "Movie was cancelled" {
			t.Errorf("%v", got)
		}
		close(w.web.gate(gate))
		c.until(t, fetched, "done")
	}},
	{"state-timeout", func(t *testing.T, w *world) {
		c := w.hasty.open(t, 600)
		movie, _ := w.web.held(t, "")
		got := c.until(t, c.submit(t, movie), "timeout")
		if got["message"] != "Movie took too long to render" || got["success"] != false || got["url"] != nil {
			t.Errorf("%v", got)
		}
		c.settled(t, 600)
	}},
	{"state-late-success", func(t *testing.T, w *world) {
		c, late := w.hasty.open(t, 600), false
		for try := 0; try < 5 && !late; try++ {
			if try == 2 { // a machine with much other work renders nothing in eight seconds
				c = install(t, w.web, "--render-timeout", "1m").open(t, 600)
			}
			t.Run(fmt.Sprint(try), func(t *testing.T) { late = endsLate(t, w, c) })
		}
		if !late {
			t.Error("no render has ended between its limit and twice that")
		}
		c.settled(t, 600)
	}},
	{"state-done", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		got := c.until(t, c.submit(t, short("")), "done")
		answer := c.send(t, "GET", strings.TrimPrefix(got["url"].(string), publicURL), "")
		if answer.Status != 200 || float64(len(answer.Body)) != got["size"] {
			t.Errorf("the file: %d, %d bytes of %v", answer.Status, len(answer.Body), got["size"])
		}
	}},
	{"state-error", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		got := c.until(t, c.submit(t, `{"scenes":[{"duration":7,"elements":[{"type":"image","src":"`+w.web.base+`/status/404/x"}]}]}`), "error")
		if got["success"] != false || got["message"] == "" || got["url"] != nil || got["consumed_credits"] != 0.0 {
			t.Errorf("%v", got)
		}
		c.settled(t, 600)
	}},
	{"state-deleted", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		done := c.until(t, c.submit(t, short("")), "done")
		c.into(t, "DELETE", "/movies?project="+done["project"].(string), "")
		got := c.movie(t, done["project"].(string))
		if got["status"] != "done" || got["url"] != nil || got["thumbnail"] != nil || got["deleted_at"] == nil || got["consumed_credits"] != 1.0 {
			t.Errorf("%v", got)
		}
		for _, name := range []string{"url", "thumbnail"} {
			if answer := c.send(t, "GET", strings.TrimPrefix(done[name].(string), publicURL), ""); answer.Status != 404 {
				t.Errorf("the deleted %s answers %d", name, answer.Status)
			}
		}
		failed := c.until(t, c.submit(t, quick("")), "error")["project"].(string)
		c.into(t, "DELETE", "/movies?project="+failed, "")
		if got := c.movie(t, failed); got["status"] != "error" || got["deleted_at"] == nil {
			t.Errorf("a failed movie: %v", got)
		}
	}},
	{"state-delete-does-not-cancel", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		movie, release := w.web.held(t, "")
		project := c.submit(t, movie)
		c.until(t, project, "running")
		c.refused(t, "DELETE", "/movies?project="+project, "", 400, "movie_still_rendering", "")
		release()
		c.until(t, project, "done")
	}},
	{"state-retention", func(t *testing.T, w *world) {
		c := w.forgetful.open(t, 600)
		done := c.until(t, c.submit(t, short(`,"cache":false`)), "done")
		project, address := done["project"].(string), done["url"].(string)
		harness.Eventually(t, "the file has expired", func() bool { return c.movie(t, project)["url"] == nil })
		got := c.movie(t, project)
		if got["status"] != "done" || got["deleted_at"] != nil || got["json"] == nil {
			t.Errorf("%v", got)
		}
		if answer := c.send(t, "GET", strings.TrimPrefix(address, publicURL), ""); answer.Status != 404 {
			t.Errorf("the expired file answers %d", answer.Status)
		}
		first := c.into(t, "DELETE", "/movies?project="+project, "")
		if got := c.movie(t, project); got["deleted_at"] != first["deleted_at"] || first["deleted_at"] == nil {
			t.Errorf("DELETE after expiry: %v, %v", first, got["deleted_at"])
		}
	}},
}

// endsLate lets a movie time out and end later, and says whether it did: on a busy machine it may be stopped at twice the limit.
func endsLate(t *testing.T, w *world, c *client) bool {
	t.Helper()
	path := "/status/200/late-" + c.account + t.Name()[strings.LastIndex(t.Name(), "/")+1:]
	movie, release := w.web.held(t, `,"exports":[{"destinations":[`+hook(w.web.base+path, "")+`]}]`)
	project := c.submit(t, movie)
	c.until(t, project, "timeout")
	if len(w.web.received(path)) > 0 {
		t.Error("a webhook went out at the timeout")
	}
	release()
	harness.Eventually(t, "the webhook of the end", func() bool { return len(w.web.received(path)) == 1 })
	got := c.movie(t, project)
	if got["status"] == "timeout" && strings.Contains(w.web.received(path)[0].body, `"success":false`) {
		return false
	}
	if got["status"] != "done" || got["consumed_credits"] != 0.0 || got["message"] != "" || got["success"] != true {
		t.Errorf("%v", got)
	}
	if body := w.web.received(path)[0].body; !strings.Contains(body, `"success":true`) {
		t.Errorf("%s", body)
	}
	return true
}

// deleteRows: DELETE /movies, every failure 400.
var deleteRows = []row{
	{"delete-response", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		project := c.until(t, c.submit(t, quick("")), "error")["project"].(string)
		got := c.into(t, "DELETE", "/movies?project="+project, "")
		if keys(got) != "deleted_at project success timestamp" || got["project"] != project {
			t.Errorf("%v", got)
		}
	}},
	{"delete-idempotent", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		project := c.until(t, c.submit(t, quick("")), "error")["project"].(string)
		first := c.into(t, "DELETE", "/movies?project="+project, "")
		if again := c.into(t, "DELETE", "/movies?id="+project, ""); again["deleted_at"] != first["deleted_at"] {
			t.Errorf("first %v, again %v", first, again)
		}
	}},
	{"delete-no-key", func(t *testing.T, w *world) {
		(&client{installation: w.plain}).refused(t, "DELETE", "/movies?project="+unknown, "", 400, "api_key_missing", "Error: API Key not provided")
	}},
	{"delete-bad-key", func(t *testing.T, w *world) {
		(&client{installation: w.plain, key: "letmein"}).refused(t, "DELETE", "/movies?project="+unknown, "", 400, "api_key_invalid", "Error: Invalid API key")
	}},
	{"delete-malformed", func(t *testing.T, w *world) {
		c := w.plain.open(t, 0)
		for _, query := range []string{"", "?project=", "?project=short", "?project=aaaaaaaaaaaaaaaa&id=bbbbbbbbbbbbbbbb"} {
			c.refused(t, "DELETE", "/movies"+query, "", 400, "project_invalid", "A 16-character project ID must be provided in the 'project' query parameter")
		}
	}},
	{"delete-role", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		c.as(t, "viewer", nil).refused(t, "DELETE", "/movies?project="+unknown, "", 400, "insufficient_permissions", "Insufficient permissions")
	}},
	{"delete-unknown", func(t *testing.T, w *world) {
		foreign := w.plain.open(t, 600).submit(t, quick(""))
		c := w.plain.open(t, 0)
		for _, id := range []string{unknown, foreign} {
			c.refused(t, "DELETE", "/movies?project="+id, "", 400, "movie_not_found", "Movie "+id+" not found")
		}
	}},
	{"delete-still-rendering", func(t *testing.T, w *world) {
		c := w.idle.open(t, 600)
		project := c.submit(t, short(""))
		c.refused(t, "DELETE", "/movies?project="+project, "", 400, "movie_still_rendering", "Movie "+project+" is still rendering. Wait until it finishes before deleting it.")
	}},
	{"delete-storage-error", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		project := c.until(t, c.submit(t, short(`,"cache":false`)), "done")["project"].(string)
		// A folder that is a link to itself cannot be read, whoever asks.
		dir := filepath.Join(c.data, "files", "renders", project)
		if err := os.Rename(dir, dir+".away"); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(dir, dir); err != nil {
			t.Fatal(err)
		}
		c.refused(t, "DELETE", "/movies?project="+project, "", 400, "movie_files_not_deleted", "Error deleting the movie files. Please try again.")
		if got := c.movie(t, project); got["deleted_at"] != nil || got["url"] == nil {
			t.Errorf("something was marked: %v", got)
		}
		if err := os.Remove(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(dir+".away", dir); err != nil {
			t.Fatal(err)
		}
		c.into(t, "DELETE", "/movies?project="+project, "")
	}},
}
