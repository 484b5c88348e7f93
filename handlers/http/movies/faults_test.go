package movies_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/blobkey"
	"moviola/eventstore"
	"moviola/handlers/http/movies"
)

// Whatever fails behind the interface, the client reads a fixed text and the log the cause.
func TestFaults(t *testing.T) {
	t.Parallel()
	internal := refusal("internal_error", "Internal error")
	tests := []struct {
		broken, method, path string
		status               int
		want                 string
	}{
		{"keys", "GET", "/v2/movies", 500, internal},
		{"keys", "DELETE", "/v2/movies?project=" + project, 400, refusal("movie_files_not_deleted", "Error deleting the movie files. Please try again.")},
		{"movies", "GET", "/v2/movies", 500, internal},
		{"movies", "GET", "/v2/movies?project=" + project, 500, internal},
		{"files", "GET", "/v2/movies", 500, internal},
		{"files", "GET", "/v2/movies?project=" + project, 500, internal},
		{"balances", "GET", "/v2/movies", 500, internal},
		{"balances", "GET", "/v2/movies?project=" + project, 500, internal},
		{"submit", "POST", "/v2/movies", 500, internal},
		{"delete", "DELETE", "/v2/movies?project=" + project, 400, refusal("movie_files_not_deleted", "Error deleting the movie files. Please try again.")},
	}
	for _, tt := range tests {
		t.Run(tt.broken+" "+tt.method, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.add(done(project, now.Add(-time.Hour)), scenes)
			w.broken = tt.broken
			answer := w.call(tt.method, tt.path, "admin", scenes)
			if answer.Code != tt.status {
				t.Errorf("status %d, want %d", answer.Code, tt.status)
			}
			checkJSON(t, tt.want, answer.Body.String())
			log := w.log.String()
			if !strings.Contains(log, errStore.Error()) || !strings.Contains(log, answer.Header().Get("X-Request-Id")) {
				t.Errorf("the log does not tell the cause and the request: %s", log)
			}
			if strings.Contains(log, w.values["admin"]) || strings.Contains(log, "project=") {
				t.Errorf("the log holds the key or the query: %s", log)
			}
		})
	}
}

func TestFaults_Panic(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.panics = true
	answer := w.call("GET", "/v2/movies?project="+project, "admin", "")
	if answer.Code != 500 {
		t.Errorf("status %d", answer.Code)
	}
	checkJSON(t, refusal("internal_error", "Internal error"), answer.Body.String())
	if !strings.Contains(w.log.String(), "a bug") {
		t.Errorf("the log does not tell the panic: %s", w.log)
	}
}

func TestDocument_MissingOrOdd(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		document string
		missing  bool
		status   int
		want     string
	}{
		"removed":           {missing: true, status: 200, want: `"json":null`},
		"a byte order mark": {document: "\xef\xbb\xbf" + scenes, status: 200, want: `"json":{"scenes":[{"elements":[]}]}`},
		"broken":            {document: `{"scenes":`, status: 200, want: `"json":null`},
		"markup":            {document: `{"scenes":[],"t":"<a&b>"}`, status: 200, want: `"t":"<a&b>"`},
		"large numbers":     {document: `{"scenes":[],"n":9007199254740993.10}`, status: 200, want: `9007199254740993.10`},
	} {
		w := newWorld(t)
		w.add(done(project, now.Add(-time.Hour)), tt.document)
		if tt.missing {
			delete(w.files, blobkey.Document(alice, project))
		}
		answer := w.call("GET", "/v2/movies?project="+project, "admin", "")
		if answer.Code != tt.status || !strings.Contains(answer.Body.String(), tt.want) {
			t.Errorf("%s: %d %s", name, answer.Code, answer.Body)
		}
	}
}

// Design §4: a deletion is answered once the read models show it; a second one returns the first time.
func TestDelete_WaitsAndIsIdempotent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := done(project, now.Add(-time.Hour))
	first := now.Add(-time.Minute)
	m.Gone, m.DeletedAt = true, &first
	w.add(m, scenes)
	for range 2 {
		answer := w.call("DELETE", "/v2/movies?project="+project, "render", "")
		checkJSON(t, `{"success":true,"project":"`+project+`","deleted_at":"2026-11-21T11:59:00.000Z","timestamp":"2026-11-21T12:00:00.000Z"}`, answer.Body.String())
	}
	if diff := cmp.Diff([]eventstore.Position{{Commit: 7}, {Commit: 7}}, w.waited); diff != "" {
		t.Errorf("positions waited for (-want +got):\n%s", diff)
	}
}

// Design §4: a list never trails what this process has answered; it waits for the latest position, in whatever order they came.
func TestList_WaitsForOwnAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.call("GET", "/v2/movies", "render", "")
	w.call("POST", "/v2/movies", "render", scenes)
	w.call("POST", "/v2/movies", "render", scenes)
	w.call("GET", "/v2/movies", "render", "")
	if diff := cmp.Diff([]eventstore.Position{{}, {Commit: 99}}, w.waited); diff != "" {
		t.Errorf("positions waited for (-want +got):\n%s", diff)
	}
}

func TestKey_OneHeaderOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, header := range map[string]http.Header{
		"two keys":        {"X-Api-Key": {w.values["admin"], w.values["admin"]}},
		"authorization":   {"Authorization": {"Bearer " + w.values["admin"]}},
		"a cookie":        {"Cookie": {"x-api-key=" + w.values["admin"]}},
		"an admin's word": {"X-Admin-Token": {w.values["admin"]}},
		"64 KB":           {"X-Api-Key": {strings.Repeat(w.values["admin"], 1300)}},
	} {
		r := httptest.NewRequest("GET", "/v2/movies", nil)
		r.Header = header
		answer := httptest.NewRecorder()
		w.handler.ServeHTTP(answer, r)
		if answer.Code != 401 {
			t.Errorf("%s: %d", name, answer.Code)
		}
	}
}

func TestNew_NamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	_, err := movies.New(movies.Config{})
	if err == nil {
		t.Fatal("an empty configuration is accepted")
	}
	for _, name := range []string{"Movies", "Gate", "Balances", "Presence", "Files", "Submit", "Delete", "Projected", "PublicURL", "CursorKey", "Log"} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("the error does not name %s: %v", name, err)
		}
	}
}

// On real connections: HEAD, bodies of unknown length, bodies that are too large or end too early.
func TestOverTheWire(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.add(done(project, now.Add(-time.Hour)), scenes)
	server := httptest.NewServer(w.handler)
	t.Cleanup(server.Close)
	server.Client().Transport.(*http.Transport).ExpectContinueTimeout = patience
	send := func(method, path string, body io.Reader, change func(*http.Request)) (*http.Response, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-API-KEY", w.values["render"])
		if change != nil {
			change(r)
		}
		response, err := server.Client().Do(r)
		if err != nil {
			t.Fatalf("%s %s: %v", method, path, err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response, string(text)
	}
	get, body := send("GET", "/v2/movies?project="+project, nil, nil)
	head, empty := send("HEAD", "/v2/movies?project="+project, nil, nil)
	if head.StatusCode != 200 || empty != "" || head.ContentLength != int64(len(body)) || get.ContentLength != int64(len(body)) {
		t.Errorf("HEAD: %d, %d bytes of %d, body %q", head.StatusCode, head.ContentLength, len(body), empty)
	}
	unknown := func(r *http.Request) { r.ContentLength = -1 }
	if answer, text := send("POST", "/v2/movies", strings.NewReader(sized(2<<20)), unknown); answer.StatusCode != 200 {
		t.Errorf("2 MB in chunks: %d %s", answer.StatusCode, text)
	}
	for name, change := range map[string]func(*http.Request){
		"known length": nil, "in chunks": unknown, "asks first": func(r *http.Request) { r.Header.Set("Expect", "100-continue") },
	} {
		for _, size := range []int{2<<20 + 1, 6 << 20} {
			answer, text := send("POST", "/v2/movies", bytes.NewReader(make([]byte, size)), change)
			if answer.StatusCode != 413 || !strings.Contains(text, "movie_json_too_large") {
				t.Errorf("%d bytes, %s: %d %s", size, name, answer.StatusCode, text)
			}
		}
	}
	if answer, _ := send("GET", "/v2/movies", nil, func(r *http.Request) { r.Header.Set("X-Request-Id", "trace-1.a_B") }); answer.Header.Get("X-Request-Id") != "trace-1.a_B" {
		t.Errorf("the client's request id came back as %q", answer.Header.Get("X-Request-Id"))
	}
	for _, bad := range []string{"a b", "a\tb", strings.Repeat("a", 65), "é"} {
		answer, _ := send("GET", "/v2/movies", nil, func(r *http.Request) { r.Header.Set("X-Request-Id", bad) })
		if id := answer.Header.Get("X-Request-Id"); len(id) != 32 {
			t.Errorf("request id %q came back as %q", bad, id)
		}
	}
}
