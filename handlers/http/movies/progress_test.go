package movies_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"moviola/handlers/http/movies"
	"moviola/projections"
)

// patience is how long a test waits for what must happen; it only ends a test that hangs.
const patience = 2 * time.Minute

// follow opens a stream over a real connection and returns its lines that are not empty; the channel is closed at its end.
func follow(t *testing.T, w *world, base, project string) (status int, lines <-chan string, leave func()) {
	t.Helper()
	return followQuery(t, w, base, "project="+project)
}

func followQuery(t *testing.T, w *world, base, query string) (status int, lines <-chan string, leave func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/v2/movies/progress?"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("x-api-key", w.values["viewer"])
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); response.Body.Close() })
	out := make(chan string, 100)
	go func() {
		defer close(out)
		for scanner := bufio.NewScanner(response.Body); scanner.Scan(); {
			if scanner.Text() != "" {
				out <- scanner.Text()
			}
		}
	}()
	return response.StatusCode, out, cancel
}

func serve(t *testing.T, w *world) string {
	t.Helper()
	server := httptest.NewServer(w.handler)
	t.Cleanup(server.Close)
	t.Cleanup(w.api.Stop)
	return server.URL
}

// next waits for a line; false: the stream has ended.
func next(t *testing.T, lines <-chan string) (string, bool) {
	t.Helper()
	select {
	case line, ok := <-lines:
		return line, ok
	case <-time.After(patience):
		t.Fatal("nothing comes")
		return "", false
	}
}

func expect(t *testing.T, lines <-chan string, want ...string) {
	t.Helper()
	for _, line := range want {
		if got, _ := next(t, lines); got != line {
			t.Fatalf("got %q, want %q", got, line)
		}
	}
}

func eventData(status string, success bool, percent int, message string) string {
	data, _ := json.Marshal(message)
	ok, _ := json.Marshal(success)
	number, _ := json.Marshal(percent)
	return `data: {"project":"` + running + `","status":"` + status + `","success":` + string(ok) + `,"progress":` + string(number) + `,"message":` + string(data) + `}`
}

// Decision 32: status and percent until the movie is closed, each change once.
func TestProgress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.streams = movies.Streams{Every: time.Millisecond, Beat: time.Hour} })
	w.add(projections.Movie{Project: running, Account: string(alice), Status: projections.StatusPending, CreatedAt: now}, scenes)
	status, lines, _ := follow(t, w, serve(t, w), running)
	if status != 200 {
		t.Fatalf("status %d", status)
	}
	expect(t, lines, "id: 1", "event: progress", eventData("pending", true, 0, ""))
	w.change(running, func(m *projections.Movie) { m.Status, m.Attempt = projections.StatusRunning, 1 })
	expect(t, lines, "id: 2", "event: progress", eventData("running", true, 0, ""))
	w.change(running, func(m *projections.Movie) {
		m.Status, m.Message = projections.StatusTimeout, "Movie took too long to render"
	})
	expect(t, lines, "id: 3", "event: progress", eventData("timeout", false, 0, "Movie took too long to render"))
	w.change(running, func(m *projections.Movie) { m.Status, m.Closed, m.Message = projections.StatusDone, true, "" })
	expect(t, lines, "id: 4", "event: end", eventData("done", true, 100, ""))
	if line, open := next(t, lines); open {
		t.Errorf("after the end came %q", line)
	}
}

func TestProgress_BeatsWhenQuiet(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.streams = movies.Streams{Every: time.Hour, Beat: time.Millisecond} })
	stock(w)
	_, lines, _ := follow(t, w, serve(t, w), running)
	expect(t, lines, "id: 1", "event: progress", eventData("running", true, 0, ""), ": still here", ": still here")
}

// A stream ends at its limit and when the process stops; room that was taken is given back, also when a client just goes.
func TestProgress_EndsAndLeaves(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.streams = movies.Streams{Limit: time.Millisecond} })
	stock(w)
	base := serve(t, w)
	_, lines, _ := follow(t, w, base, running)
	expect(t, lines, "id: 1", "event: progress", eventData("running", true, 0, ""))
	if line, open := next(t, lines); open {
		t.Errorf("after the limit came %q", line)
	}

	w = newWorld(t, func(w *world) { w.streams = movies.Streams{Total: 2, Each: 1} })
	stock(w)
	base = serve(t, w)
	_, first, leave := follow(t, w, base, running)
	expect(t, first, "id: 1", "event: progress", eventData("running", true, 0, ""))
	answer := w.call("GET", "/v2/movies/progress?project="+running, "viewer", "")
	if answer.Code != 503 || answer.Header().Get("Retry-After") == "" {
		t.Errorf("one stream too many: %d", answer.Code)
	}
	checkJSON(t, refusal("too_many_streams", "Too many progress streams are open. Close some, or poll GET /movies instead."), answer.Body.String())
	leave()
	until := time.Now().Add(patience)
	for w.send("HEAD", "/v2/movies/progress?project="+running, "viewer", "", nil).Code != 200 {
		if time.Now().After(until) {
			t.Fatal("the room of a client that went is not given back")
		}
	}
	_, second, _ := follow(t, w, base, running)
	expect(t, second, "id: 1", "event: progress", eventData("running", true, 0, ""))
	w.api.Stop()
	w.api.Stop()
	if line, open := next(t, second); open {
		t.Errorf("after the stop came %q", line)
	}
}

// The server's limit for reading a request must not end a stream, and a stream must not be packed or held back.
func TestProgress_OutlivesTheReadLimit(t *testing.T) {
	t.Parallel()
	const limit = 500 * time.Millisecond
	w := newWorld(t, func(w *world) { w.streams = movies.Streams{Every: time.Hour, Beat: limit / 10} })
	stock(w)
	began := make(chan time.Time, 1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		began <- time.Now() // the request has been read: a busy machine may not have taken the limit's time for it
		_ = http.NewResponseController(out).SetReadDeadline(time.Now().Add(limit))
		w.handler.ServeHTTP(out, r)
	}))
	server.Start()
	t.Cleanup(server.Close)
	t.Cleanup(w.api.Stop)
	_, lines, _ := follow(t, w, server.URL, running)
	for end := (<-began).Add(2 * limit); time.Now().Before(end); {
		if _, open := next(t, lines); !open {
			t.Fatal("the stream ended with the read limit")
		}
	}
}

func TestProgress_HeadAndHeaders(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.add(done(project, now), scenes)
	for _, method := range []string{"HEAD", "GET"} {
		answer := w.send(method, "/v2/movies/progress?project="+project, "viewer", "", http.Header{"Accept-Encoding": {"gzip"}})
		h := answer.Header()
		if answer.Code != 200 || h.Get("Content-Type") != "text/event-stream; charset=utf-8" || h.Get("Content-Encoding") != "" || h.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %v", method, answer.Code, h)
		}
		body, _ := io.ReadAll(answer.Body)
		if ended := strings.Contains(string(body), "event: end\n"); ended != (method == "GET") {
			t.Errorf("%s: %s", method, body)
		}
	}
}

// Decision 74: several movies in one stream, which ends with the last of them.
func TestProgress_Several(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.streams = movies.Streams{Every: time.Millisecond, Beat: time.Hour} })
	stock(w)
	w.add(done(project, now), scenes)
	status, lines, _ := followQuery(t, w, serve(t, w), "project="+running+"&project="+project+"&project="+project)
	if status != 200 {
		t.Fatalf("status %d", status)
	}
	seen := map[string]bool{}
	for range 6 {
		line, _ := next(t, lines)
		seen[line] = true
	}
	if !seen["event: progress"] || !seen["event: end"] || !seen[eventData("running", true, 0, "")] {
		t.Errorf("got %v", seen)
	}
	w.change(running, func(m *projections.Movie) { m.Status, m.Closed = projections.StatusDone, true })
	expect(t, lines, "id: 3", "event: end", eventData("done", true, 100, ""))
	if line, open := next(t, lines); open {
		t.Errorf("after the end came %q", line)
	}
}

// Decision 74: all open movies of the account, those that come later too; no other account's.
func TestProgress_All(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.streams = movies.Streams{Every: time.Millisecond, Beat: time.Hour} })
	stock(w)
	w.add(done(project, now.Add(-time.Hour)), scenes)
	_, lines, _ := followQuery(t, w, serve(t, w), "all=true")
	expect(t, lines, "id: 1", "event: progress", eventData("running", true, 0, ""))
	w.change(running, func(m *projections.Movie) { m.Status, m.Closed = projections.StatusDone, true })
	expect(t, lines, "id: 2", "event: end", eventData("done", true, 100, ""))
	late := done("Late000000000000", now)
	foreign := done("Foreign000000000", now)
	foreign.Account = string(bob)
	w.change(foreign.Project, func(m *projections.Movie) { *m = foreign })
	w.change(late.Project, func(m *projections.Movie) { *m = late })
	for _, want := range []string{"id: 3", "event: end"} {
		expect(t, lines, want)
	}
	if line, _ := next(t, lines); !strings.Contains(line, late.Project) {
		t.Errorf("a new movie: %s", line)
	}
}

func TestProgress_Refusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stock(w)
	many := ""
	for n := range 101 {
		many += fmt.Sprintf("&project=Movie%011d", n)
	}
	for query, code := range map[string]string{
		"": "project_invalid", "all=yes": "all_invalid", "all=true&project=" + running: "all_invalid", "all=true&id=" + running: "all_invalid",
		many: "project_count", "project=x&project=" + running: "project_invalid", "project=" + running + "&id=" + project: "project_ambiguous",
		"project=" + running + "&project=Nobody0000000000": "movie_not_found",
	} {
		answer := w.call("GET", "/v2/movies/progress?"+query, "viewer", "")
		if !strings.Contains(answer.Body.String(), `"code":"`+code+`"`) {
			t.Errorf("%.60s: %d %s", query, answer.Code, answer.Body)
		}
	}
}
