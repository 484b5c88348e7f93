package api_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"moviola/domain/key"
	"moviola/tests/harness"
)

// card is a template that says a name for some seconds.
const card = `{"name":"card","movie":{"resolution":"custom","width":64,"height":64,"variables":{"seconds":1,"name":"x"},
	"scenes":[{"duration":"{{seconds}}","elements":[{"type":"text","text":"{{name}}"}]}]}}`

// csvBatch posts a CSV for a template.
func (c *client) csvBatch(t *testing.T, template, csv string, headers ...string) harness.Answer {
	t.Helper()
	return c.call(t, "POST", "/batches?template="+url.QueryEscape(template), csv, append([]string{"Content-Type", "text/csv"}, headers...)...)
}

// ended waits until a batch has ended.
func (c *client) ended(t *testing.T, id string) (batch object, rows []any) {
	t.Helper()
	harness.Eventually(t, "the batch has ended", func() bool {
		answer := c.into(t, "GET", "/batches/"+id, "")
		batch, rows = answer["batch"].(object), answer["results"].([]any)
		return batch["status"] == "done" || batch["status"] == "cancelled"
	})
	return batch, rows
}

// batchRows: batches of movies.
var batchRows = []row{
	{"batch-rows", func(t *testing.T, w *world) {
		c := w.plain.open(t, 20)
		id := c.template(t, card)
		var started struct {
			Batch        string
			Rows, Movies int
			Credits      int
			Errors       []struct {
				Row          int
				Column, Code string
			}
		}
		answer := c.csvBatch(t, id, "\xef\xbb\xbfname;seconds\r\nAna;1\r\n=1+1;many\r\nBo;2\r\n", "Idempotency-Key", "k")
		answer.Into(t, &started)
		if answer.Status != 200 || started.Rows != 3 || started.Movies != 2 || started.Credits != 3 || len(started.Errors) != 1 || started.Errors[0].Row != 2 || started.Errors[0].Column != "seconds" {
			t.Fatalf("%d %s", answer.Status, answer.Body)
		}
		if again := c.csvBatch(t, id, "\xef\xbb\xbfname;seconds\r\nAna;1\r\n=1+1;many\r\nBo;2\r\n", "Idempotency-Key", "k"); !strings.Contains(string(again.Body), started.Batch) {
			t.Errorf("again: %s", again.Body)
		}
		if other := c.csvBatch(t, id, "name\nx\n", "Idempotency-Key", "k"); other.Status != 409 {
			t.Errorf("another body: %d %s", other.Status, other.Body)
		}
		batch, rows := c.ended(t, started.Batch)
		if counts := batch["counts"].(object); batch["status"] != "done" || counts["done"] != 2.0 || counts["invalid"] != 1.0 {
			t.Errorf("%v", batch)
		}
		first, second := rows[0].(object), rows[1].(object)
		if first["status"] != "done" || first["url"] == nil || first["credits"] != 1.0 || second["status"] != "invalid" || second["column"] != "seconds" {
			t.Errorf("%v", rows)
		}
		if movie := c.into(t, "GET", "/movies?project="+first["project"].(string), "")["movie"].(object); movie["url"] != first["url"] {
			t.Errorf("%v", movie)
		}
		harness.Eventually(t, "the batch is paid", func() bool { return c.into(t, "GET", "/credits", "")["balance"] == 17.0 })
	}},
	{"batch-validate", func(t *testing.T, w *world) {
		c := w.idle.open(t, 3) // less than the batch costs
		id := c.template(t, card)
		table := "name;seconds\nAna;1\nBo;many\nCleo;7\n"
		var priced struct {
			Rows, Movies, Credits int
			Errors                []struct {
				Row    int
				Column string
			}
		}
		for _, all := range []string{"", "&all_or_nothing=true"} {
			answer := c.call(t, "POST", "/batches/validate?template="+id+all, table, "Content-Type", "text/csv")
			answer.Into(t, &priced)
			if answer.Status != 200 || priced.Rows != 3 || priced.Movies != 2 || priced.Credits != 8 || len(priced.Errors) != 1 ||
				priced.Errors[0].Row != 2 || priced.Errors[0].Column != "seconds" {
				t.Errorf("%d %s", answer.Status, answer.Body)
			}
		}
		for body, want := range map[string]string{
			`{"template":"` + id + `","rows":[]}`:             "rows_count",
			`{"template":"Zz0Zz0Zz0Zz0Zz0Zz0Zz","rows":[{}]}`: "template_not_found",
			`{"rows":[{}]}`: "template_missing",
		} {
			if answer := c.call(t, "POST", "/batches/validate", body); !strings.Contains(string(answer.Body), want) {
				t.Errorf("%s: %d %s", body, answer.Status, answer.Body)
			}
		}
		large := `{"template":"` + id + `","rows":[{"a":"` + strings.Repeat("x", 2<<20) + `"}]}`
		for who, want := range map[*client]int{c: 413, w.idle.open(t, 0): 401, {installation: w.idle}: 401, c.as(t, key.Viewer, nil): 403} {
			if answer := who.call(t, "POST", "/batches/validate", large); answer.Status != want {
				t.Errorf("%d %s, want %d", answer.Status, answer.Body, want)
			}
		}
		if left := c.into(t, "GET", "/credits", ""); left["held"] != 0.0 {
			t.Errorf("held: %v", left)
		}
		if list := c.into(t, "GET", "/batches", ""); list["count"] != 0.0 {
			t.Errorf("%v", list)
		}
	}},
	{"batch-results-csv", func(t *testing.T, w *world) {
		c := w.idle.open(t, 20)
		deep := strings.Repeat("[", 63) + strings.Repeat("]", 63)
		columns := []string{"=x", "+x", "-x", "@x", "\tx", "\rx", "x", "'x"}
		rows := []string{`{"seconds":2}`}
		for _, column := range columns { // a row of each whose fault lies in the column of that name
			rows = append(rows, fmt.Sprintf(`{%q:%s}`, column, deep))
		}
		started := c.into(t, "POST", "/batches", `{"template":"`+c.template(t, card)+`","rows":[`+strings.Join(rows, ",")+`]}`)
		answer := c.call(t, "GET", fmt.Sprint("/batches/", started["batch"], "/results.csv"), "")
		read, err := csv.NewReader(bytes.NewReader(answer.Body)).ReadAll()
		if answer.Status != 200 || err != nil || len(read) != len(rows)+1 || strings.Join(read[0], " ") != "row project status url duration credits column code message" {
			t.Fatalf("%d %v %s", answer.Status, err, answer.Body)
		}
		if first := read[1]; first[0] != "1" || len(first[1]) != 16 || first[2] != "waiting" || first[6] != "" {
			t.Errorf("%q", first)
		}
		for i, column := range columns {
			want := column
			if strings.Contains("=+-@\t\r", column[:1]) {
				want = "'" + column
			}
			if got := read[i+2]; got[0] != fmt.Sprint(i+2) || got[2] != "invalid" || got[6] != want || got[7] != "movie_json_too_deep" {
				t.Errorf("column %q: %q", column, got)
			}
		}
		for _, cell := range slices.Concat(read...) {
			if cell != "" && strings.Contains("=+-@\t\r", cell[:1]) {
				t.Errorf("a cell is a formula: %q", cell)
			}
		}
		flawed := c.csvBatch(t, c.template(t, card), "seconds\n1\n1,2\n")
		flawed.Into(t, &started)
		if got := c.call(t, "GET", fmt.Sprint("/batches/", started["batch"], "/results.csv"), ""); !strings.Contains(string(got.Body), "\n2,,invalid,,,0,,csv_field_count,") {
			t.Errorf("%d %s", got.Status, got.Body)
		}
	}},
	{"batch-refused", func(t *testing.T, w *world) {
		c := w.idle.open(t, 3)
		id := c.template(t, card)
		for body, want := range map[string]string{
			`{"template":"` + id + `","rows":[{"seconds":2},{"seconds":2}]}`:                         "400 insufficient_credits",
			`{"template":"` + id + `","rows":[{"seconds":1},{"seconds":"x"}],"all_or_nothing":true}`: "400 rows_invalid",
			`{"template":"` + id + `","rows":[]}`:                                                    "400 rows_count",
			`{"template":"Zz0Zz0Zz0Zz0Zz0Zz0Zz","rows":[{}]}`:                                        "404 template_not_found",
			`{"rows":[{}]}`: "400 template_missing",
			`{"template":"` + id + `","rows":[{"a":"` + strings.Repeat("x", 2<<20) + `"}]}`: "413 batch_too_large",
		} {
			answer := c.call(t, "POST", "/batches", body)
			var got struct{ Code string }
			answer.Into(t, &got)
			if come := fmt.Sprint(answer.Status, " ", got.Code); come != want {
				t.Errorf("%.80s: %s, want %s", body, come, want)
			}
		}
		if left := c.into(t, "GET", "/credits", ""); left["held"] != 0.0 {
			t.Errorf("held: %v", left)
		}
		if list := c.into(t, "GET", "/batches", ""); list["count"] != 0.0 {
			t.Errorf("%v", list)
		}
		if none := w.idle.open(t, 0).call(t, "POST", "/batches", "{}"); none.Status != 401 {
			t.Errorf("no credits ever: %d", none.Status)
		}
		nobody := &client{installation: w.idle}
		for _, call := range []string{"GET /batches", "GET /batches/x", "GET /batches/x/results.csv", "POST /batches", "POST /batches/cancel"} {
			method, path, _ := strings.Cut(call, " ")
			nobody.refused(t, method, path, "", 401, "api_key_missing", "Invalid or missing API key")
		}
		viewer := c.as(t, key.Viewer, nil)
		for _, path := range []string{"/batches", "/batches/cancel?id=Zz0Zz0Zz0Zz0Zz0Z"} {
			if answer := viewer.call(t, "POST", path, "{}"); answer.Status != 403 {
				t.Errorf("a viewer: %d %s", answer.Status, answer.Body)
			}
		}
	}},
	{"batch-cancel", func(t *testing.T, w *world) {
		c := w.idle.open(t, 20)
		id := c.template(t, card)
		batch, _ := c.into(t, "POST", "/batches", `{"template":"`+id+`","rows":[{"seconds":2},{"name":"b"}]}`)["batch"].(string)
		if left := c.into(t, "GET", "/credits", ""); left["held"] != 3.0 {
			t.Errorf("held: %v", left)
		}
		for range 2 {
			if done := c.into(t, "POST", "/batches/cancel?id="+batch, ""); done["state"] != "cancelled" {
				t.Errorf("%v", done)
			}
		}
		shown, rows := c.ended(t, batch)
		if shown["status"] != "cancelled" || shown["cancelled_at"] == nil || rows[0].(object)["status"] != "cancelled" {
			t.Errorf("%v %v", shown, rows)
		}
		stranger := w.idle.open(t, 1)
		for _, call := range [][2]string{{"GET", "/batches/" + batch}, {"GET", "/batches/" + batch + "/results.csv"}, {"POST", "/batches/cancel?id=" + batch}} {
			if answer := stranger.call(t, call[0], call[1], ""); answer.Status != 404 {
				t.Errorf("%v: %d %s", call, answer.Status, answer.Body)
			}
		}
		for _, call := range [][2]string{{"GET", "/batches/x"}, {"GET", "/batches/x/results.csv"}, {"POST", "/batches/cancel"}, {"GET", "/batches?limit=x"}} {
			if answer := c.call(t, call[0], call[1], ""); answer.Status != 400 {
				t.Errorf("%v: %d %s", call, answer.Status, answer.Body)
			}
		}
	}},
	{"batch-lists", func(t *testing.T, w *world) {
		c := w.idle.open(t, 20)
		id := c.template(t, card)
		var ids []string
		for range 3 {
			batch, _ := c.into(t, "POST", "/batches", `{"template":"`+id+`","rows":[{},{},{}]}`)["batch"].(string)
			ids = append([]string{batch}, ids...)
			harness.NextMillisecond()
		}
		var listed []string
		for next := "/batches?limit=2"; next != ""; {
			page := c.into(t, "GET", next, "")
			for _, b := range page["batches"].([]any) {
				listed = append(listed, b.(object)["id"].(string))
			}
			next = ""
			if token, ok := page["next_token"].(string); ok {
				next = "/batches?next_token=" + token
			}
		}
		if fmt.Sprint(listed) != fmt.Sprint(ids) {
			t.Errorf("%v, want %v", listed, ids)
		}
		page := c.into(t, "GET", "/batches/"+ids[0]+"?limit=2", "")
		token, _ := page["next_token"].(string)
		rest := c.into(t, "GET", "/batches/"+ids[0]+"?next_token="+token, "")
		if len(page["results"].([]any)) != 2 || len(rest["results"].([]any)) != 1 || rest["has_next"] != false {
			t.Errorf("%v, then %v", page, rest)
		}
		if answer := c.call(t, "GET", "/batches/"+ids[1]+"?next_token="+token, ""); answer.Status != 400 {
			t.Errorf("the cursor of another batch: %d", answer.Status)
		}
	}},
}
