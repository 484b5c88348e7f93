package api_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"moviola/tests/harness"
)

// badText is a JSON text that is not UTF-8.
const badText = "\"x\xff\xc3\""

// badMovies are movies in which one text, or the name of one property, is not UTF-8: every kind of place that a movie has. % is the text.
var badMovies = []string{
	`{"id":%,"scenes":[{}]}`, `{"comment":%,"scenes":[{}]}`, `{"resolution":%,"scenes":[{}]}`, `{"template":%}`, `{"project":%}`, `{"$schema":%,"scenes":[{}]}`,
	`{"scenes":[{}],%:1}`, `{"scenes":[{}],"unknown":%}`, `{"scenes":[{}],"unknown":{"deep":[[{"a":%}]]}}`, `{"scenes":[{}],"unknown":{"deep":[[{%:1}]]}}`,
	`{"client-data":%,"scenes":[{}]}`, `{"client-data":{"a":{"b":[%]}},"scenes":[{}]}`, `{"client-data":{%:{}},"scenes":[{}]}`,
	`{"variables":{"a":%},"scenes":[{}]}`, `{"variables":{%:1},"scenes":[{}]}`, `{"variables":{"a":{"b":[{"c":%}]}},"scenes":[{}]}`,
	`{"settings":{"a":%},"scenes":[{}]}`, `{"thumbnail":{"scene":%},"scenes":[{}]}`, `{"preload":[{"id":%}],"scenes":[{}]}`,
	`{"scenes":[{"id":%}]}`, `{"scenes":[{"comment":%}]}`, `{"scenes":[{"condition":%}]}`, `{"scenes":[{"iterate":%}]}`, `{"scenes":[{"variables":{%:1}}]}`,
	`{"scenes":[{"transition":{"style":%}}]}`, `{"scenes":[{"background-color":%}]}`, `{"scenes":[{%:1}]}`,
	`{"elements":[{"type":%}]}`, `{"elements":[{"type":"text","text":%}]}`, `{"elements":[{"type":"text","text":"x","settings":{"font-family":%}}]}`,
	`{"elements":[{"type":"text","text":"x","settings":{%:1}}]}`, `{"elements":[{"type":"image","src":%}]}`, `{"elements":[{"type":"image","prompt":%}]}`,
	`{"elements":[{"type":"image","prompt":"x","model-settings":{"a":[%]}}]}`, `{"elements":[{"type":"html","html":%}]}`,
	`{"elements":[{"type":"voice","text":"x","voice":%}]}`, `{"elements":[{"type":"component","component":"basic/125","settings":{"data":{"rows":[[%]]}}}]}`,
	`{"elements":[{"type":"template","template":%}]}`, `{"elements":[{"type":"template","template":"a","variables":{"a":%}}]}`,
	`{"elements":[{"type":"subtitles","captions":%}]}`, `{"elements":[{%:%}]}`,
	`{"exports":[{"destinations":[{"type":"webhook","endpoint":%}]}],"scenes":[{}]}`, `{"exports":[{"destinations":[{"type":"ftp","password":%}]}],"scenes":[{}]}`,
	`{"exports":[{"destinations":[{"id":%}]}],"scenes":[{}]}`, `{"exports":[{"destinations":[{%:1}]}],"scenes":[{}]}`,
	`[%]`, `%`, `{"scenes":[{}]} %`,
}

// badBodies are bodies of the other endpoints in which one text, or one name, is not UTF-8.
var badBodies = map[string][]string{
	"POST /templates": {`{"name":%}`, `{"description":%,"name":"a"}`, `{"name":"a","tags":[%]}`, `{"name":"a",%:1}`, `{"name":"a","variables":{"a":%}}`,
		`{"name":"a","schema":{"a":{%:1}}}`, `{"id":%,"name":"a"}`, `{"name":"a","movie":{"scenes":[{%:1}]}}`},
	"POST /preloads":     {`{"preload":[{"type":"image","src":%}]}`, `{"preload":[{%:1}]}`, `{"preload":[{"id":%}]}`, `{"comment":%,"preload":[]}`},
	"POST /keys":         {`{"name":%,"role":"render"}`, `{"name":"a","role":%}`, `{"name":"a","role":"render",%:1}`},
	"POST /connections":  {`{"id":%,"type":"ftp"}`, `{"id":"a","type":%}`, `{"id":"a","type":"ftp","host":%}`, `{"id":"a","type":"ftp","host":"h","password":%}`, `{"id":"a","type":"ftp",%:1}`},
	"POST /media/folder": {`{"folder":%}`, `{"folder":"a",%:1}`},
	"POST /media/file":   {`{"name":%,"contentType":"image/png","size":1}`, `{"name":"a","contentType":%,"size":1}`, `{"name":"a","folder":%,"contentType":"image/png","size":1}`},
	"PUT /media/file":    {`{"name":%,"destination":"b"}`, `{"name":"a","destination":%}`},
}

// operatorBodies are those of the operator's calls.
var operatorBodies = map[string][]string{
	"POST /admin/accounts":      {`{"name":%,"plan":"paid"}`, `{"name":"a","plan":%}`, `{"name":"a",%:1}`},
	"POST /admin/credits":       {`{"account":%,"amount":1,"reference":"a"}`, `{"account":"a","amount":1,"reference":%}`},
	"POST /admin/keys":          {`{"account":%,"role":"render"}`, `{"account":"a","name":%,"role":"render"}`},
	"POST /admin/accounts/plan": {`{"account":"a","plan":%}`},
	"POST /admin/work/retry":    {`{"work":%}`},
	"POST /admin/work/drop":     {`{"work":%}`},
}

// notUTF8: a text that is not UTF-8 refuses its body, wherever it is, and leaves nothing behind. Decision 58.
func notUTF8(t *testing.T, w *world) {
	c := w.idle.open(t, 10)
	for _, form := range badMovies {
		movie := strings.ReplaceAll(form, "%", badText)
		c.refused(t, "POST", "/movies", movie, 400, "movie_json_invalid", "Error parsing movie JSON or the movie was empty")
		got := c.checked(t, movie)
		problems, _ := got["problems"].([]any)
		if errs, _ := got["errors"].([]any); got["valid"] != false || len(errs) != 1 || len(problems) != 1 || problems[0].(object)["code"] != "json_syntax" {
			t.Errorf("validate %q: %v", form, got)
		}
	}
	for call, forms := range badBodies {
		method, path, _ := strings.Cut(call, " ")
		code := "body_invalid"
		if path == "/preloads" {
			code = "payload_invalid"
		}
		for _, form := range forms {
			c.refused(t, method, path, strings.ReplaceAll(form, "%", badText), 400, code, "")
		}
	}
	for call, forms := range operatorBodies {
		method, path, _ := strings.Cut(call, " ")
		for _, form := range forms {
			answer := w.idle.send(t, method, path, strings.ReplaceAll(form, "%", badText), "X-Admin-Token", harness.AdminToken)
			if answer.Status != 400 || !strings.Contains(string(answer.Body), `"body_invalid"`) {
				t.Errorf("%s %q: %d %s", call, form, answer.Status, answer.Body)
			}
		}
	}
	for _, path := range []string{"/movies", "/templates", "/preloads", "/connections"} {
		if answer := c.call(t, "GET", path, ""); answer.Status == 200 && !strings.Contains(string(answer.Body), `"count":0`) {
			t.Errorf("%s lists what was refused: %s", path, answer.Body)
		}
	}
	badHeaders(t, w, c)
}

// badHeaders: headers are no JSON. A name in one may have any bytes, and whatever echoes it stays UTF-8.
func badHeaders(t *testing.T, w *world, c *client) {
	t.Helper()
	const movie = `{"scenes":[{"duration":1}]}`
	project := c.submit(t, movie, "Idempotency-Key", "a\xff")
	if again := c.submit(t, movie, "Idempotency-Key", "a\xff"); again != project {
		t.Errorf("the same key: %s, then %s", project, again)
	}
	if other := c.submit(t, movie, "Idempotency-Key", "a\xfe"); other == project {
		t.Error("another key has the movie of the first one")
	}
	answer := c.call(t, "GET", "/movies", "", "X-Request-Id", "a\xff")
	if id := answer.Header.Get("X-Request-Id"); !utf8.ValidString(id) || !utf8.Valid(answer.Body) {
		t.Errorf("request id %q", id)
	}
	if answer := w.idle.send(t, "GET", "/v2/movies", "", "X-Api-Key", "a\xff"); answer.Status != 401 {
		t.Errorf("a key that is not UTF-8: %d", answer.Status)
	}
	grant := fmt.Sprintf(`{"account":%q,"amount":1,"reference":"not UTF-8"}`, c.account)
	w.idle.send(t, "POST", "/admin/credits", grant, "X-Admin-Token", harness.AdminToken, "X-Operator", "a\xff")
	if acts := w.idle.send(t, "GET", "/admin/acts", "", "X-Admin-Token", harness.AdminToken); acts.Status != 200 || !utf8.Valid(acts.Body) {
		t.Errorf("acts: %d %q", acts.Status, acts.Body)
	}
}
