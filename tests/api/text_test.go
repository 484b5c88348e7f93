package api_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"moviola/tests/harness"
)

// textRows: what is text and what is not. Decision 58.
var textRows = []row{
	{"text-not-utf8", notUTF8},
	{"text-half-characters", func(t *testing.T, w *world) {
		c := w.idle.open(t, 10)
		project := c.submit(t, `{"client-data":{"a":"\ud800 \ud83c\udfac","\udfac":1},"comment":"\udfac","scenes":[{"duration":1}]}`)
		answer := c.call(t, "GET", "/movies?project="+project, "")
		for _, half := range []string{`\ud800`, `"\udfac`} {
			if strings.Contains(string(answer.Body), half) {
				t.Errorf("half a character is answered: %s", answer.Body)
			}
		}
		var got harness.Single
		answer.Into(t, &got)
		if !utf8.Valid(answer.Body) || string(got.Movie.ClientData) != `{"a":"\ufffd \ud83c\udfac","\ufffd":1}` {
			t.Errorf("client data %s", got.Movie.ClientData)
		}
	}},
	{"text-byte-order-mark", func(t *testing.T, w *world) {
		c := w.plain.open(t, 10)
		const mark = "\xef\xbb\xbf"
		movie := mark + `{"width":64,"height":64,"client-data":{"a":1},"scenes":[{"duration":1}]}`
		if got := c.checked(t, movie); got["valid"] != true {
			t.Errorf("validate: %v", got)
		}
		c.until(t, c.submit(t, movie), "done")
		c.template(t, mark+`{"name":"Marked"}`)
		c.into(t, "POST", "/keys", mark+`{"name":"marked","role":"render"}`)
	}},
	{"text-query-string", func(t *testing.T, w *world) {
		c := w.idle.open(t, 10)
		for _, query := range []string{"project=%zz", "project=%FF", "limit=1&%", "x=%C3%28"} {
			for _, path := range []string{"/movies", "/keys", "/media", "/connections", "/credits", "/credits/ledger", "/templates"} {
				c.refused(t, "GET", path+"?"+query, "", 400, "query_invalid", "Invalid query string")
			}
			c.refused(t, "POST", "/movies?"+query, `{"scenes":[{"duration":1}]}`, 400, "query_invalid", "Invalid query string")
		}
		for _, query := range []string{"tags=%zz", "tags=%FF"} {
			c.refused(t, "GET", "/templates/library?"+query, "", 400, "tags_invalid", "Tags could not be parsed")
		}
		for call, method := range map[string]string{"/admin/work": "GET", "/admin/capacity": "GET", "/admin/templates/Abcdefghij0123456789/unpublish": "POST"} {
			answer := w.plain.send(t, method, call+"?a=%zz", "", "X-Admin-Token", harness.AdminToken)
			if answer.Status != 400 || !strings.Contains(string(answer.Body), `"query_invalid"`) {
				t.Errorf("%s: %d %s", call, answer.Status, answer.Body)
			}
		}
		if answer := w.idle.send(t, "GET", "/v2/movies?project=%zz", ""); answer.Status != 401 {
			t.Errorf("without a key: %d", answer.Status)
		}
	}},
}
