package movies_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"moviola/projections"
)

// fuzzWorld is a world whose log is not kept.
func fuzzWorld(f *testing.F) *world {
	f.Helper()
	w := newWorld(f)
	w.logger.SetOutput(io.Discard)
	stock(w)
	return w
}

// serveFuzzed serves a request that cannot be written as text, and checks what holds for every answer: no failure of the service, one
// JSON body that says whether it is a success.
func (w *world) serveFuzzed(t *testing.T, r *http.Request) (int, map[string]any) {
	t.Helper()
	answer := httptest.NewRecorder()
	w.handler.ServeHTTP(answer, r)
	if answer.Code >= 500 {
		t.Fatalf("%d %s", answer.Code, answer.Body)
	}
	if got := answer.Header().Get("Content-Length"); got != strconv.Itoa(answer.Body.Len()) {
		t.Fatalf("%d bytes, Content-Length %s", answer.Body.Len(), got)
	}
	var body map[string]any
	if err := json.Unmarshal(answer.Body.Bytes(), &body); err != nil {
		t.Fatalf("%d, no JSON: %v: %.300s", answer.Code, err, answer.Body)
	}
	if success, ok := body["success"].(bool); !ok || success != (answer.Code == http.StatusOK) {
		t.Fatalf("%d, success %v", answer.Code, body["success"])
	}
	if answer.Code != http.StatusOK && (body["message"] == "" || body["code"] == "" || len(body) != 3) {
		t.Fatalf("%d %v", answer.Code, body)
	}
	return answer.Code, body
}

// FuzzQuery: dates, limits, cursors, ids in any combination.
func FuzzQuery(f *testing.F) {
	w := fuzzWorld(f)
	token, err := firstToken(w)
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		"", "project=" + project, "id=%FF%FE", "from=2026-11-01&to=2026-11-30", "date_start=2026-02-28T23:59:60Z", "from=0000-01-01", "to=9999-12-31T23:59:59.999999999-23:59",
		"limit=00001", "limit=%2B5", "next_token=" + token, "next_token=" + token + "&limit=1", "format=simple", "account=x", "index=0", "from=2026-11-01 00:00:00 02:00",
		"project=%00%00%00%00%00%00%00%00%00%00%00%00%00%00%00%00", "a=%zz&limit=5;from=x", strings.Repeat("limit=1&", 200),
	} {
		f.Add(seed)
	}
	paths := map[string]string{"GET /v2/movies": "viewer", "DELETE /v2/movies": "render", "GET /v2/movies/events": "viewer", "POST /v2/movies/cancel": "render", "POST /v2/movies/redeliver": "render"}
	untouched := w.effects()
	f.Fuzz(func(t *testing.T, query string) {
		for at, key := range paths {
			method, path, _ := strings.Cut(at, " ")
			r := httptest.NewRequest(method, path, nil)
			r.URL.RawQuery = query
			r.Header.Set("X-Api-Key", w.values[key])
			status, _ := w.serveFuzzed(t, r)
			if after := w.effects(); status != 200 && after != untouched {
				t.Fatalf("a refusal of %s with %d had an effect:\n%s\n%s", at, status, untouched, after)
			}
			if status == 200 { // the next request finds the world as it was
				clear(w.movies)
				w.again = nil
				stock(w)
			}
		}
	})
}

// effects is what the commands behind the interface have done.
func (w *world) effects() string {
	var done []string
	for project, m := range w.movies {
		done = append(done, fmt.Sprint(project, m.Status, m.Gone, m.DeletedAt, m.Revision))
	}
	slices.Sort(done)
	return fmt.Sprint(done, len(w.submitted), w.again)
}

// FuzzDates: the ends of a range in any form are refused with the code of the one that is wrong, or bound a range of three months at most.
func FuzzDates(f *testing.F) {
	w := fuzzWorld(f)
	for _, seed := range [][2]string{
		{"", ""}, {"2026-11-01", "2026-11-30"}, {"2024-02-29", "2024-05-29"}, {"2024-02-29", "2024-05-30"}, {"2025-11-30", "2026-02-28"}, {"2025-11-30", "2026-03-01"},
		{"2026-02-29", ""}, {"2026-11-21T10:00", "2026-11-21T10:00:00.0000001Z"}, {"2026-11-21 10:00:00 02:00", "2026-11-21T10:00:00-23:59"}, {"0000-01-01", "0000-02-30"},
		{"9999-12-31", "9999-12-31T23:59:60Z"}, {"2026-11-21T24:00:00Z", "\x00"}, {"٢٠٢٦-11-21", "2026-W47-6"}, {"1763683200", "-1"}, {"2026-12-01", "2026-11-01"},
		{"", "2026-05-31"}, {"", "0000-01-01"}, {"", "0001-01-01T00:00:00+01:00"}, {"", "\xff"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, from, to string) {
		query := url.Values{"from": {from}, "to": {to}, "format": {"simple"}}
		r := httptest.NewRequest(http.MethodGet, "/v2/movies?"+query.Encode(), nil)
		r.Header.Set("X-Api-Key", w.values["viewer"])
		status, body := w.serveFuzzed(t, r)
		first, noFirst := time.Parse(time.DateOnly, from)
		last, noLast := time.Parse(time.DateOnly, to)
		days := last.Sub(first).Hours() / 24
		switch code, _ := body["code"].(string); {
		case noFirst == nil && noLast == nil && days >= 0 && days <= 88 && status != 200:
			t.Fatalf("%q to %q: %s", from, to, code)
		case status == 400 && code == "query_invalid" && !(utf8.ValidString(from) && utf8.ValidString(to)):
			return
		case status != 200 && !slices.Contains([]string{"start_date_invalid", "end_date_invalid", "date_range_too_long"}, code):
			t.Fatalf("%q to %q: %d %s", from, to, status, code)
		case status != 200:
			return
		}
		begin, badBegin := time.Parse(time.RFC3339, body["from"].(string))
		end, badEnd := time.Parse(time.RFC3339, body["to"].(string))
		if badBegin != nil || badEnd != nil || end.Before(begin) || end.Sub(begin) > 93*24*time.Hour {
			t.Fatalf("%q to %q came to %s to %s", from, to, body["from"], body["to"])
		}
	})
}

// firstToken is the cursor of a list of one movie a page.
func firstToken(w *world) (string, error) {
	var page struct {
		Token string `json:"next_token"`
	}
	err := json.Unmarshal(w.call("GET", "/v2/movies?limit=1", "viewer", "").Body.Bytes(), &page)
	return page.Token, err
}

// FuzzCursor: a cursor that was changed anywhere is refused.
func FuzzCursor(f *testing.F) {
	w := fuzzWorld(f)
	token, err := firstToken(w)
	if err != nil || token == "" {
		f.Fatalf("no cursor: %v", err)
	}
	f.Add(0, byte('A'))
	f.Add(len(token)-1, byte('='))
	f.Fuzz(func(t *testing.T, at int, with byte) {
		changed := []byte(token)
		at = max(at, -at) % (len(changed) + 1)
		if at < 0 {
			return // the smallest integer has no opposite
		}
		if at == len(changed) {
			changed = append(changed, with)
		} else {
			changed[at] = with
		}
		r := httptest.NewRequest(http.MethodGet, "/v2/movies", nil)
		query := r.URL.Query()
		query.Set("next_token", string(changed))
		r.URL.RawQuery = query.Encode()
		r.Header.Set("X-Api-Key", w.values["viewer"])
		if status, _ := w.serveFuzzed(t, r); (status == 200) != (string(changed) == token) {
			t.Errorf("%q: %d", changed, status)
		}
	})
}

// FuzzBody: any body gets an answer from POST /movies and from validate, and a refusal makes nothing.
func FuzzBody(f *testing.F) {
	w := fuzzWorld(f)
	for _, seed := range []string{
		"", scenes, "null", "[]", `{"elements":[{"type":"text","text":"a","start":-1,"duration":-2}]}`, `{"scenes":[{"duration":1e308},{"duration":"-1"}]}`, "\xef\xbb\xbf{\"scenes\":[]}",
		`{"scenes":[{"elements":[{"type":"video","src":"https://example.com/a.mp4","seek":-5,"loop":-1,"crop":{"width":0}}]}],"fps":0.0001}`,
		`{"resolution":"custom","width":-1,"height":1e9,"elements":[{"type":"image","src":"x","extra-time":1e30}]}`, `{"project":"x","template":{}}`,
		`{"scenes":[{"elements":[{"type":"component","component":"basic/001","settings":{"a":[{}]}},{"type":"subtitles"},{"type":"voice","text":"a"},{"type":"html","html":"<p>"},{"type":"audiogram"}]}]}`,
		`{"exports":[{"destinations":[null,1,{"accesskey":[]}]}],"scenes":[]}`, `{"scenes":[{"elements":[{"type":"template"}]}]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		w.submitted = nil
		post := func(path string) (int, map[string]any) {
			r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
			r.Header.Set("X-Api-Key", w.values["render"])
			return w.serveFuzzed(t, r)
		}
		_, report := post("/v2/movies/validate")
		if len(w.submitted) > 0 {
			t.Error("a question had an effect")
		}
		status, _ := post("/v2/movies")
		if (status == 200) != (len(w.submitted) == 1) {
			t.Errorf("%d, and %d movies", status, len(w.submitted))
		}
		if report["valid"] == true && status != 200 {
			t.Errorf("valid, and refused with %d", status)
		}
		for project, m := range w.movies { // the next input finds the world as it was
			if m.Status == projections.StatusPending {
				delete(w.movies, project)
			}
		}
	})
}
