package movies_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"moviola/commands/deliveries"
	"moviola/eventstore"
	"moviola/projections"
)

const stamp = `"timestamp":"2026-11-21T12:00:00.000Z"`

// Decision 32, one row per refusal and small answer of the additions; decision "Roles".
func TestAdditions(t *testing.T) {
	t.Parallel()
	unknown := func(project string) string { return refusal("movie_not_found", "Movie "+project+" not found") }
	noRole := refusal("insufficient_permissions", "Insufficient permissions")
	short := refusal("project_invalid", "Project ID must be a 16-character string. Received ID: short (length: 5)")
	none := refusal("project_invalid", "Project ID must be a 16-character string. Received ID:  (length: 0)")
	noKey := refusal("api_key_missing", "Invalid or missing API key")
	token := refusal("token_invalid", "Invalid token")
	tests := []struct {
		rule, method, path, key string
		status                  int
		want                    string
	}{
		{"cancel", "POST", "/cancel?project=" + running, "render", 200, `{"success":true,"project":"` + running + `","status":"error","cancelled_at":"2026-11-21T12:00:00.000Z",` + stamp + `}`},
		{"cancel: alias", "POST", "/cancel?id=" + running, "render", 200, `{"success":true,"project":"` + running + `","status":"error","cancelled_at":"2026-11-21T12:00:00.000Z",` + stamp + `}`},
		{"cancel: finished", "POST", "/cancel?project=" + project, "render", 409, refusal("movie_already_finished", "Movie "+project+" has already finished")},
		{"cancel: unknown", "POST", "/cancel?project=Unknown000000000", "render", 404, unknown("Unknown000000000")},
		{"cancel: foreign", "POST", "/cancel?project=" + foreign, "render", 404, unknown(foreign)},
		{"cancel: malformed", "POST", "/cancel?project=short", "render", 400, short},
		{"cancel: none", "POST", "/cancel", "render", 400, none},
		{"cancel: viewer", "POST", "/cancel?project=" + running, "viewer", 403, noRole},
		{"cancel: no key", "POST", "/cancel?project=" + running, "", 401, noKey},
		{"redeliver", "POST", "/redeliver?project=" + project, "render", 200, `{"success":true,"project":"` + project + `",` + stamp + `}`},
		{"redeliver: one", "POST", "/redeliver?project=" + project + "&index=1", "render", 200, `{"success":true,"project":"` + project + `",` + stamp + `}`},
		{"redeliver: bad index", "POST", "/redeliver?project=" + project + "&index=-1", "render", 400, refusal("index_invalid", "Invalid index")},
		{"redeliver: index of words", "POST", "/redeliver?project=" + project + "&index=first", "render", 400, refusal("index_invalid", "Invalid index")},
		{"redeliver: two indexes", "POST", "/redeliver?project=" + project + "&index=1&index=2", "render", 400, refusal("index_invalid", "Invalid index")},
		{"redeliver: open", "POST", "/redeliver?project=" + running, "render", 409, refusal("delivery_in_progress", "A delivery of movie "+running+" is in progress")},
		{"redeliver: foreign", "POST", "/redeliver?project=" + foreign, "render", 404, unknown(foreign)},
		{"redeliver: viewer", "POST", "/redeliver?project=" + project, "viewer", 403, noRole},
		{"events: foreign", "GET", "/events?project=" + foreign, "viewer", 404, unknown(foreign)},
		{"events: unknown", "GET", "/events?project=Unknown000000000", "viewer", 404, unknown("Unknown000000000")},
		{"events: none yet", "GET", "/events?project=" + running, "viewer", 200, `{"success":true,"project":"` + running + `","count":0,"events":[],` + stamp + `}`},
		{"progress: foreign", "GET", "/progress?project=" + foreign, "viewer", 404, unknown(foreign)},
		{"progress: malformed", "GET", "/progress?id=short", "viewer", 400, short},
		{"progress: two ids", "GET", "/progress?id=" + running + "&project=" + project, "viewer", 400, refusal("project_ambiguous", "The parameters project and id name different movies")},
		{"validate: viewer", "POST", "/validate", "viewer", 403, noRole},
		{"account without token", "GET", "?account=" + string(bob), "admin", 403, token},
		{"account: role before token", "GET", "?account=" + string(bob), "roleless", 403, noRole},
		{"account: token before the rest", "GET", "?limit=x&account=" + string(bob), "viewer", 403, token},
		{"account twice", "GET", "?account=a&account=b", "viewer", 400, refusal("account_ambiguous", "The parameter account is given twice, with different values")},
	}
	for _, tt := range tests {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			stock(w)
			answer := w.call(tt.method, "/v2/movies"+tt.path, tt.key, scenes)
			if answer.Code != tt.status {
				t.Errorf("status %d, want %d", answer.Code, tt.status)
			}
			checkJSON(t, tt.want, answer.Body.String())
			checkHeaders(t, answer.Result().Header, answer.Body.Len())
		})
	}
}

// stock puts one finished movie, one that renders, and a foreign one into the world.
func stock(w *world) {
	w.add(done(project, now.AddDate(0, 0, -1)), scenes)
	w.add(projections.Movie{Project: running, Account: string(alice), Status: projections.StatusRunning, CreatedAt: now}, scenes)
	w.add(projections.Movie{Project: foreign, Account: string(bob), Status: projections.StatusDone, Closed: true, CreatedAt: now}, scenes)
}

func TestActions_PassOnAndWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stock(w)
	w.call("POST", "/v2/movies/redeliver?project="+project, "render", "")
	w.call("POST", "/v2/movies/redeliver?index=2&project="+project, "render", "")
	w.call("POST", "/v2/movies/cancel?project="+running, "render", "")
	two := 2
	if diff := cmp.Diff([]deliveries.RequestRedelivery{{Account: alice, Project: project}, {Account: alice, Project: project, Index: &two}}, w.again); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]eventstore.Position{{Commit: 12}, {Commit: 12}, {Commit: 8}}, w.waited); diff != "" {
		t.Errorf("positions waited for (-want +got):\n%s", diff)
	}
}

// The whole history of a render: who, when, each state, attempts, worker, deliveries. Fields that an event does not have are left out.
func TestEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stock(w)
	yes, index := true, 0
	w.histories[project] = []projections.HistoryEntry{
		{Number: 0, Event: "MovieSubmitted", At: now, Status: "pending", Correlation: "req-1"},
		{Number: 1, Event: "RenderStarted", At: now, Status: "running", Worker: "w1", Attempt: 1},
		{Number: 2, Event: "RenderFinished", At: now, Status: "done", Worker: "w1", Attempt: 1, Success: &yes, Credits: 0, CachedFrom: "Movie00000000007",
			Spent: &projections.MovieSpent{TookMS: 900, FramesEncoded: 5, FramesCached: 20, Stages: []projections.StageTime{{Stage: "window", MS: 800}}}},
		{Number: 3, Event: "DeliveryAttempted", At: now, Status: "done", Message: "Delivered", Delivery: &projections.HistoryDelivery{
			Run: 1, Index: &index, Try: 2, Type: "webhook", Result: "ok", Final: true, HTTPStatus: 200, DurationMS: 12}},
		{Number: 4, Event: "FileDeleted", At: now, Status: "done", Reason: "user"},
	}
	const at = `"at":"2026-11-21T12:00:00.000Z"`
	want := `{"success":true,"project":"` + project + `","count":5,` + stamp + `,"events":[
		{"number":0,"type":"MovieSubmitted",` + at + `,"status":"pending","request":"req-1"},
		{"number":1,"type":"RenderStarted",` + at + `,"status":"running","worker":"w1","attempt":1},
		{"number":2,"type":"RenderFinished",` + at + `,"status":"done","worker":"w1","attempt":1,"success":true,"credits":0,"cached_from":"Movie00000000007",
			"spent":{"took_ms":900,"frames_encoded":5,"frames_cached":20,"stages":[{"stage":"window","ms":800}]}},
		{"number":3,"type":"DeliveryAttempted",` + at + `,"status":"done","message":"Delivered","delivery":{"run":1,"index":0,"try":2,"final":true,"type":"webhook","status":"ok","http_status":200,"duration_ms":12}},
		{"number":4,"type":"FileDeleted",` + at + `,"status":"done","reason":"user"}]}`
	answer := w.call("GET", "/v2/movies/events?project="+project, "viewer", "")
	checkJSON(t, want, answer.Body.String())
	w.broken = "movies"
	if answer := w.call("GET", "/v2/movies/events?project="+project, "viewer", ""); answer.Code != 500 {
		t.Errorf("with the store away: %d", answer.Code)
	}
}

// Decision 25: the header has 1 to 255 characters and is given once.
func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	bad := refusal("idempotency_key_invalid", "The header Idempotency-Key must be given once, with 1 to 255 characters")
	tests := []struct {
		values []string
		status int
		passed string
	}{
		{nil, 200, ""},
		{[]string{"a"}, 200, "a"},
		{[]string{strings.Repeat("ä", 255)}, 200, strings.Repeat("ä", 255)},
		{[]string{strings.Repeat("a", 256)}, 400, ""},
		{[]string{""}, 400, ""},
		{[]string{"a", "a"}, 400, ""},
	}
	for _, tt := range tests {
		w := newWorld(t)
		answer := w.send("POST", "/v2/movies", "render", scenes, http.Header{"Idempotency-Key": tt.values})
		if answer.Code != tt.status {
			t.Errorf("%.20q: %d %s", tt.values, answer.Code, answer.Body)
		}
		if tt.status != 200 {
			checkJSON(t, bad, answer.Body.String())
		} else if len(w.submitted) != 1 || w.submitted[0].IdempotencyKey != tt.passed {
			t.Errorf("%.20q: submitted %v", tt.values, w.submitted)
		}
	}
}

// send is call with more headers.
func (w *world) send(method, path, key, body string, header http.Header) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	for name, values := range header {
		r.Header[http.CanonicalHeaderKey(name)] = values
	}
	if key != "" {
		r.Header.Set("x-api-key", w.values[key])
	}
	answer := httptest.NewRecorder()
	w.handler.ServeHTTP(answer, r)
	return answer
}

// Decision "Roles": an operator sees what an account sees, with a key of any account and the operator's token.
func TestAccount_OperatorSeesAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stock(w)
	w.available[bob] = 7
	see := func(query, token string) (int, map[string]any) {
		answer := w.send("GET", "/v2/movies?"+query, "viewer", "", http.Header{"X-Admin-Token": {token}})
		var body map[string]any
		if err := json.Unmarshal(answer.Body.Bytes(), &body); err != nil {
			t.Fatal(err)
		}
		return answer.Code, body
	}
	if status, _ := see("account="+string(bob)+"&project="+foreign, operatorToken); status != 200 {
		t.Errorf("single: %d", status)
	}
	if status, _ := see("account="+string(bob)+"&project="+project, operatorToken); status != 404 {
		t.Errorf("the key's own movie, seen as another account: %d", status)
	}
	status, list := see("account="+string(bob)+"&from=2026-11-01", operatorToken)
	if status != 200 || list["count"] != 1.0 || list["remaining_quota"].(map[string]any)["time"] != 7.0 {
		t.Errorf("list: %d %v", status, list)
	}
	if status, _ := see("account="+string(bob), operatorToken+"x"); status != 403 {
		t.Errorf("wrong token: %d", status)
	}
	if status, list := see("account=&from=2026-11-01", "nonsense"); status != 200 || list["count"] != 2.0 {
		t.Errorf("an empty account counts as none: %d %v", status, list)
	}
}

// Spec: Versioning 2: the element type template is deprecated.
func TestDeprecation(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]bool{
		`{"scenes":[{"elements":[{"type":"template"}]}]}`:                           true,
		`{"elements":[{"type":"text"},{"type":"template"}]}`:                        true,
		`{"scenes":[{"elements":[{"type":"text","text":"template"}]}]}`:             false,
		`{"scenes":[{"elements":[{"type":"text","text":"\"template\""}]}]}`:         false,
		`{"scenes":[{"elements":[{"type":["template"]}]}],"template":"template"}`:   false,
		`{"scenes":[{"elements":[{"type":"text","comment":"template","type":1}]}]}`: false,
		`{"scenes":[{"template"`: false,
	} {
		for _, path := range []string{"/v2/movies", "/v2/movies/validate"} {
			h := newWorld(t).call("POST", path, "render", body).Header()
			if got := h.Get("Deprecation") != ""; got != want {
				t.Errorf("%s %s: Deprecation %q", path, body, h.Get("Deprecation"))
			}
			if want && !strings.Contains(h.Get("Link"), `rel="deprecation"`) {
				t.Errorf("%s: no link to what is deprecated", body)
			}
		}
	}
}

// Decision 36: only the counters of the plan; what is used up is 0.
func TestQuota_OfACountedPlan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stock(w)
	w.plans[alice] = "counted"
	for _, path := range []string{"/v2/movies", "/v2/movies?project=" + project} {
		if body := w.call("GET", path, "viewer", "").Body.String(); !strings.Contains(body, `"remaining_quota":{"movies":97,"drafts":0}`) {
			t.Errorf("%s: %s", path, body)
		}
	}
	w.broken = "accounts"
	if answer := w.call("GET", "/v2/movies", "viewer", ""); answer.Code != 500 {
		t.Errorf("with the accounts away: %d", answer.Code)
	}
}

// A body that breaks off is refused like any other, wherever a movie is read.
func TestBody_BreaksOff(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/v2/movies", "/v2/movies/validate"} {
		w := newWorld(t)
		r := httptest.NewRequest("POST", path, io.MultiReader(strings.NewReader(`{"scenes":`), iotest.ErrReader(io.ErrUnexpectedEOF)))
		r.Header.Set("X-Api-Key", w.values["render"])
		answer := httptest.NewRecorder()
		w.handler.ServeHTTP(answer, r)
		if answer.Code != 400 || len(w.submitted) > 0 {
			t.Errorf("%s: %d, %d movies", path, answer.Code, len(w.submitted))
		}
		checkJSON(t, refusal("body_unreadable", "The request body ended before it was complete"), answer.Body.String())
	}
}
