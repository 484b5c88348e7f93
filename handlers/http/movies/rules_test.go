package movies_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/projections"
)

const (
	project = "Abcdefgh12345678"
	running = "Running000000000"
	foreign = "Foreign000000000"
	scenes  = `{"scenes":[{"elements":[]}]}`
)

func refusal(code, message string) string {
	body, _ := json.Marshal(map[string]any{"success": false, "message": message, "code": code})
	return string(body)
}

// One row per rule of the specification and its decisions that ends in a refusal, or in a small answer.
func TestRules(t *testing.T) {
	t.Parallel()
	invalidKey := refusal("api_key_invalid", "Invalid or missing API key")
	deleteKey := refusal("api_key_invalid", "Error: Invalid API key")
	noRole := refusal("insufficient_permissions", "Insufficient permissions")
	wrongMethod := refusal("method_not_supported", "Method not supported")
	deleteProject := refusal("project_invalid", "A 16-character project ID must be provided in the 'project' query parameter")
	list := "/v2/movies?from=2026-11-01&"
	tests := []struct {
		rule, method, path, key, body string
		status                        int
		want                          string
	}{
		{"decision 5: unknown path", "GET", "/v2/films", "admin", "", 404, refusal("not_found", "Not found")},
		{"decision 5: the path is exact", "GET", "/v2/movies/", "admin", "", 404, refusal("not_found", "Not found")},
		{"decision 5: a path is not cleaned", "POST", "//v2/movies", "admin", scenes, 404, refusal("not_found", "Not found")},
		{"decision 4: the route comes before the key", "GET", "/nowhere", "", "", 404, refusal("not_found", "Not found")},
		{"errors: wrong method", "PUT", "/v2/movies", "admin", "", 405, wrongMethod},
		{"errors: wrong method before the key", "PATCH", "/v2/movies", "", "", 405, wrongMethod},
		{"decision 5: OPTIONS without CORS", "OPTIONS", "/v2/movies", "", "", 405, wrongMethod},

		{"GET /movies: no key", "GET", "/v2/movies", "", "", 401, refusal("api_key_missing", "Invalid or missing API key")},
		{"GET /movies: garbage", "GET", "/v2/movies", "garbage", "", 401, invalidKey},
		{"GET /movies: unknown key", "GET", "/v2/movies", "unknown", "", 401, invalidKey},
		{"GET /movies: mistyped key", "GET", "/v2/movies", "mistyped", "", 401, invalidKey},
		{"GET /movies: expired key", "GET", "/v2/movies", "expired", "", 401, invalidKey},
		{"GET /movies: revoked key", "GET", "/v2/movies", "revoked", "", 401, invalidKey},
		{"decision 3: not from the query", "GET", "/v2/movies?x-api-key=1&api_key=1", "", "", 401, refusal("api_key_missing", "Invalid or missing API key")},
		{"a role that does not exist may nothing", "GET", "/v2/movies", "roleless", "", 403, noRole},
		{"POST /movies: no key", "POST", "/v2/movies", "", scenes, 401, refusal("api_key_missing", "Invalid or missing API key")},
		{"POST /movies: bad key", "POST", "/v2/movies", "revoked", scenes, 401, invalidKey},
		{"POST /movies: viewer", "POST", "/v2/movies", "viewer", scenes, 403, noRole},
		{"decision 4: role before the body", "POST", "/v2/movies", "viewer", "", 403, noRole},

		{"POST /movies", "POST", "/v2/movies", "render", scenes, 200, `{"success":true,"project":"NewProject000001","timestamp":"2026-11-21T12:00:00.000Z"}`},
		{"POST /movies: role editor", "POST", "/v2/movies", "editor", scenes, 200, `{"success":true,"project":"NewProject000001","timestamp":"2026-11-21T12:00:00.000Z"}`},
		{"POST /movies: key that expires in a second", "POST", "/v2/movies", "expires soon", scenes, 200, `{"success":true,"project":"NewProject000001","timestamp":"2026-11-21T12:00:00.000Z"}`},
		{"POST /movies: empty body", "POST", "/v2/movies", "render", "", 400, refusal("movie_json_missing", "No movie JSON received")},
		{"POST /movies: blank body", "POST", "/v2/movies", "render", " \n", 400, refusal("movie_json_missing", "No movie JSON received")},
		{"POST /movies: invalid JSON", "POST", "/v2/movies", "render", "{", 400, refusal("movie_json_invalid", "Error parsing movie JSON or the movie was empty")},
		{"POST /movies: null", "POST", "/v2/movies", "render", "null", 400, refusal("movie_json_not_object", "No valid movie JSON received")},
		{"POST /movies: list", "POST", "/v2/movies", "render", "[]", 400, refusal("movie_json_not_object", "No valid movie JSON received")},
		{"POST /movies: text", "POST", "/v2/movies", "render", `"x"`, 400, refusal("movie_json_not_object", "No valid movie JSON received")},
		{"POST /movies: {}", "POST", "/v2/movies", "render", "{}", 400, refusal("movie_json_invalid", "Error parsing movie JSON or the movie was empty")},
		{"POST /movies: over 2 MB", "POST", "/v2/movies", "render", sized(2<<20 + 1), 413, refusal("movie_json_too_large", "The movie JSON is larger than the limit of 2097152 bytes (2 MB)")},
		{"POST /movies: exactly 2 MB", "POST", "/v2/movies", "render", sized(2 << 20), 200, `{"success":true,"project":"NewProject000001","timestamp":"2026-11-21T12:00:00.000Z"}`},
		{"POST /movies: suspended", "POST", "/v2/movies", "bob", sized(2<<20 + 1), 403, refusal("account_suspended", "account_suspended: add credits to go on")},

		{"GET /movies: id too short", "GET", "/v2/movies?project=short", "render", "", 400, refusal("project_invalid", "Project ID must be a 16-character string. Received ID: short (length: 5)")},
		{"GET /movies: id too long", "GET", "/v2/movies?id=Abcdefgh123456789", "render", "", 400, refusal("project_invalid", "Project ID must be a 16-character string. Received ID: Abcdefgh123456789 (length: 17)")},
		{"decision 7: length counts code points", "GET", "/v2/movies?project=%C3%A4%C3%A4", "render", "", 400, refusal("project_invalid", "Project ID must be a 16-character string. Received ID: ää (length: 2)")},
		{"decision 7: other characters are unknown", "GET", "/v2/movies?project=%C3%A4bcdefgh1234567-", "render", "", 404, refusal("movie_not_found", "Movie äbcdefgh1234567- not found")},
		{"decision 6: unknown", "GET", "/v2/movies?project=Unknown000000000", "render", "", 404, refusal("movie_not_found", "Movie Unknown000000000 not found")},
		{"decision 6: another account's", "GET", "/v2/movies?project=" + foreign, "render", "", 404, refusal("movie_not_found", "Movie "+foreign+" not found")},
		{"decision 11: project and id differ", "GET", "/v2/movies?project=" + project + "&id=" + running, "render", "", 400, refusal("project_ambiguous", "The parameters project and id name different movies")},
		{"decision 11: project twice, different", "GET", "/v2/movies?project=" + project + "&project=" + running, "render", "", 400, refusal("project_ambiguous", "The parameters project and id name different movies")},
		{"decision 11: format", "GET", "/v2/movies?format=full", "render", "", 400, refusal("format_invalid", "Invalid format")},
		{"decision 11: limit 0", "GET", list + "limit=0", "render", "", 400, refusal("limit_invalid", "Invalid limit")},
		{"decision 11: limit 101", "GET", list + "limit=101", "render", "", 400, refusal("limit_invalid", "Invalid limit")},
		{"decision 11: limit -1", "GET", list + "limit=-1", "render", "", 400, refusal("limit_invalid", "Invalid limit")},
		{"decision 11: limit 1.5", "GET", list + "limit=1.5", "render", "", 400, refusal("limit_invalid", "Invalid limit")},
		{"decision 11: limit ten", "GET", list + "limit=ten", "render", "", 400, refusal("limit_invalid", "Invalid limit")},
		{"decision 11: two limits", "GET", list + "limit=5&limit=6", "render", "", 400, refusal("limit_invalid", "Invalid limit")},
		{"GET /movies: start date", "GET", "/v2/movies?from=yesterday", "render", "", 400, refusal("start_date_invalid", "Invalid start date")},
		{"GET /movies: start date by its alias", "GET", "/v2/movies?date_start=2026-13-01", "render", "", 400, refusal("start_date_invalid", "Invalid start date")},
		{"GET /movies: end date", "GET", "/v2/movies?to=2026-02-30", "render", "", 400, refusal("end_date_invalid", "Invalid end date")},
		{"GET /movies: end date by its alias", "GET", "/v2/movies?date_end=x", "render", "", 400, refusal("end_date_invalid", "Invalid end date")},
		{"GET /movies: year 10000", "GET", "/v2/movies?to=10000-01-01", "render", "", 400, refusal("end_date_invalid", "Invalid end date")},
		{"GET /movies: the aliases disagree", "GET", "/v2/movies?from=2026-11-01&date_start=2026-11-02", "render", "", 400, refusal("start_date_invalid", "Invalid start date")},
		{"decision 14: backwards", "GET", "/v2/movies?from=2026-11-02&to=2026-11-01", "render", "", 400, refusal("start_date_invalid", "Invalid start date")},
		{"GET /movies: range", "GET", "/v2/movies?from=2026-08-20", "render", "", 400, refusal("date_range_too_long", "Maximum date range is 3 months.")},
		{"GET /movies: forged next_token", "GET", "/v2/movies?next_token=abc", "render", "", 400, refusal("next_token_invalid", "Invalid next_token")},

		{"DELETE /movies: no key", "DELETE", "/v2/movies?project=" + project, "", "", 400, refusal("api_key_missing", "Error: API Key not provided")},
		{"DELETE /movies: garbage", "DELETE", "/v2/movies?project=" + project, "garbage", "", 400, deleteKey},
		{"DELETE /movies: expired key", "DELETE", "/v2/movies?project=" + project, "expired", "", 400, deleteKey},
		{"DELETE /movies: viewer", "DELETE", "/v2/movies?project=" + project, "viewer", "", 400, noRole},
		{"decision 4: role before the id", "DELETE", "/v2/movies", "viewer", "", 400, noRole},
		{"DELETE /movies: no id", "DELETE", "/v2/movies", "render", "", 400, deleteProject},
		{"DELETE /movies: malformed id", "DELETE", "/v2/movies?project=short", "render", "", 400, deleteProject},
		{"DELETE /movies: two ids", "DELETE", "/v2/movies?project=" + project + "&id=" + running, "render", "", 400, deleteProject},
		{"DELETE /movies: unknown", "DELETE", "/v2/movies?project=Unknown000000000", "render", "", 400, refusal("movie_not_found", "Movie Unknown000000000 not found")},
		{"DELETE /movies: another account's", "DELETE", "/v2/movies?project=" + foreign, "render", "", 400, refusal("movie_not_found", "Movie "+foreign+" not found")},
		{"DELETE /movies: still rendering", "DELETE", "/v2/movies?project=" + running, "render", "", 400, refusal("movie_still_rendering", "Movie "+running+" is still rendering. Wait until it finishes before deleting it.")},
		{"DELETE /movies", "DELETE", "/v2/movies?project=" + project, "render", "", 200, `{"success":true,"project":"` + project + `","deleted_at":"2026-11-21T12:00:00.000Z","timestamp":"2026-11-21T12:00:00.000Z"}`},
		{"DELETE /movies: by its alias, both alike", "DELETE", "/v2/movies?id=" + project + "&project=" + project, "admin", "", 200, `{"success":true,"project":"` + project + `","deleted_at":"2026-11-21T12:00:00.000Z","timestamp":"2026-11-21T12:00:00.000Z"}`},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.add(done(project, now.AddDate(0, 0, -1)), scenes)
			w.add(projections.Movie{Project: running, Account: string(alice), Status: projections.StatusRunning, CreatedAt: now}, scenes)
			w.add(projections.Movie{Project: foreign, Account: string(bob), Status: projections.StatusDone, Closed: true, CreatedAt: now}, scenes)
			w.suspended[bob] = domain.Errorf(domain.Forbidden, "account_suspended", "account_suspended: add credits to go on")
			answer := w.call(tt.method, tt.path, tt.key, tt.body)
			if answer.Code != tt.status {
				t.Errorf("status %d, want %d", answer.Code, tt.status)
			}
			checkJSON(t, tt.want, answer.Body.String())
			checkHeaders(t, answer.Result().Header, answer.Body.Len())
			if answer.Code == http.StatusMethodNotAllowed && answer.Header().Get("Allow") != "DELETE, GET, HEAD, POST" {
				t.Errorf("Allow is %q", answer.Header().Get("Allow"))
			}
			if tt.status != 200 && len(w.submitted) > 0 {
				t.Error("a refused movie was submitted")
			}
		})
	}
}

// sized is a movie of exactly n bytes.
func sized(n int) string {
	const head, tail = `{"scenes":[],"comment":"`, `"}`
	return head + strings.Repeat("a", n-len(head)-len(tail)) + tail
}

func checkJSON(t *testing.T, want, got string) {
	t.Helper()
	var a, b any
	if err := json.Unmarshal([]byte(want), &a); err != nil {
		t.Fatalf("the test is wrong: %v", err)
	}
	if err := json.Unmarshal([]byte(got), &b); err != nil {
		t.Fatalf("no JSON: %v: %.200s", err, got)
	}
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
}

// checkHeaders holds for every answer. Decision 2.
func checkHeaders(t *testing.T, h http.Header, length int) {
	t.Helper()
	if got := h.Get("Content-Type"); got != "application/json; charset=utf-8" {
		t.Errorf("Content-Type is %q", got)
	}
	if got := h.Get("Content-Length"); got != jsonNumber(length) {
		t.Errorf("Content-Length is %q, the body has %d bytes", got, length)
	}
	if len(h.Get("X-Request-Id")) != 32 {
		t.Errorf("the request id is %q", h.Get("X-Request-Id"))
	}
}

func jsonNumber(n int) string {
	text, _ := json.Marshal(n)
	return string(text)
}

// Spec: Movie status object; decision 12.
func TestGetMovie(t *testing.T) {
	t.Parallel()
	created := now.Add(-time.Minute)
	const doc = `{"id":"my-id","client-data":{"a":"<b>"},"scenes":[{"elements":[]}],"n":1.50}`
	base := done(project, created)
	with := func(change func(*projections.Movie)) projections.Movie {
		m := base
		change(&m)
		return m
	}
	full := map[string]any{
		"success": true, "status": "done", "message": "", "project": project, "id": "my-id",
		"url":        "https://video.example/v2/renders/0123456789abcdef0123456789abcdef/" + project + ".mp4",
		"thumbnail":  "https://video.example/v2/renders/0123456789abcdef0123456789abcdef/" + project + ".jpg",
		"ass":        "https://video.example/v2/renders/0123456789abcdef0123456789abcdef/" + project + ".ass",
		"created_at": "2026-11-21T11:59:00.000Z", "started_at": "2026-11-21T11:59:01.000Z", "ended_at": "2026-11-21T11:59:02.122Z",
		"progress": 100.0, "duration": 10.04, "width": 1920.0, "height": 1080.0, "size": 4096.0,
		"loudness": map[string]any{"integrated": -14.2, "true_peak": -1.1}, "rendering_time": 1.122, "consumed_credits": 11.0,
		"draft": false, "client-data": map[string]any{"a": "<b>"}, "warnings": []any{}, "destinations_result": nil,
		"json": map[string]any{"id": "my-id", "client-data": map[string]any{"a": "<b>"}, "scenes": []any{map[string]any{"elements": []any{}}}, "n": 1.5},
	}
	tests := []struct {
		name  string
		movie projections.Movie
		want  map[string]any // what differs from full
	}{
		{"done", base, nil},
		{"deleted", with(func(m *projections.Movie) { m.Gone, m.DeletedAt = true, &now }),
			map[string]any{"url": nil, "thumbnail": nil, "ass": nil, "deleted_at": "2026-11-21T12:00:00.000Z"}},
		{"expired", with(func(m *projections.Movie) { m.Gone = true }), map[string]any{"url": nil, "thumbnail": nil, "ass": nil}},
		{"pending", with(func(m *projections.Movie) { unstarted(m) }), map[string]any{
			"status": "pending", "url": nil, "thumbnail": nil, "ass": nil, "started_at": nil, "ended_at": nil, "progress": 0.0, "duration": nil,
			"width": nil, "height": nil, "size": nil, "loudness": nil, "rendering_time": nil, "consumed_credits": 0.0}},
		{"failed", with(func(m *projections.Movie) {
			m.Status, m.Message, m.File, m.Credits, m.Warnings = projections.StatusError, "Scene #1: no", nil, 0, []string{"odd size"}
		}), map[string]any{"status": "error", "success": false, "message": "Scene #1: no", "url": nil, "thumbnail": nil, "ass": nil, "progress": 0.0, "duration": nil,
			"width": nil, "height": nil, "size": nil, "loudness": nil, "consumed_credits": 0.0, "warnings": []any{"odd size"}}},
		{"timed out", with(func(m *projections.Movie) {
			m.Status, m.Closed, m.Message, m.File = projections.StatusTimeout, false, "Movie took too long to render", nil
		}), map[string]any{"status": "timeout", "success": false, "message": "Movie took too long to render", "url": nil, "thumbnail": nil, "ass": nil,
			"progress": 42.0, "duration": nil, "width": nil, "height": nil, "size": nil, "loudness": nil}},
		{"delivered", with(func(m *projections.Movie) {
			m.Deliveries = []projections.DeliveryResult{{Index: 0, Type: "webhook", Status: "ok", HTTPStatus: 200, Attempts: 2, Message: "Delivered", DurationMS: 12, At: now}}
		}), map[string]any{"destinations_result": []any{map[string]any{"index": 0.0, "type": "webhook", "id": "", "status": "ok", "http_status": 200.0,
			"attempts": 2.0, "message": "Delivered", "duration_ms": 12.0, "at": "2026-11-21T12:00:00.000Z"}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.add(tt.movie, doc)
			w.presence["render/"+project] = projections.Presence{Attempt: 1, Percent: 42.9}
			want := map[string]any{}
			for _, fields := range []map[string]any{full, tt.want} {
				for name, value := range fields {
					want[name] = value
				}
			}
			// decision 11: format=simple keeps json on a single movie.
			for _, query := range []string{"?project=" + project, "?id=" + project + "&format=simple&limit=x"} {
				answer := w.call("GET", "/v2/movies"+query, "viewer", "")
				var got map[string]any
				if err := json.Unmarshal(answer.Body.Bytes(), &got); err != nil || answer.Code != 200 {
					t.Fatalf("%d, %v", answer.Code, err)
				}
				whole := map[string]any{"success": true, "movie": want, "remaining_quota": map[string]any{"time": 550.0}, "timestamp": "2026-11-21T12:00:00.000Z"}
				if diff := cmp.Diff(any(whole), any(got)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", query, diff)
				}
			}
		})
	}
}

func unstarted(m *projections.Movie) {
	*m = projections.Movie{Project: m.Project, Account: m.Account, Status: projections.StatusPending, CreatedAt: m.CreatedAt}
}
