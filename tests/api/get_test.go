package api_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// getRows: GET /movies of one movie.
var getRows = []row{
	{"get-project", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		project := c.submit(t, quick(""))
		if got := c.movie(t, project); got["project"] != project {
			t.Errorf("%v", got)
		}
	}},
	{"get-project-alias", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		project := c.submit(t, quick(""))
		for _, query := range []string{"id=" + project, "project=" + project + "&id=" + project} {
			if got := c.into(t, "GET", "/movies?"+query, "")["movie"].(object); got["project"] != project {
				t.Errorf("%s: %v", query, got["project"])
			}
		}
	}},
	{"get-project-and-id-differ", func(t *testing.T, w *world) {
		w.plain.open(t, 0).refused(t, "GET", "/movies?project=aaaaaaaaaaaaaaaa&id=bbbbbbbbbbbbbbbb", "", 400, "project_ambiguous", "")
	}},
	{"get-project-malformed", func(t *testing.T, w *world) {
		w.plain.open(t, 0).refused(t, "GET", "/movies?project=short", "", 400, "project_invalid", "Project ID must be a 16-character string. Received ID: short (length: 5)")
	}},
	{"get-project-unknown", func(t *testing.T, w *world) {
		w.plain.open(t, 0).refused(t, "GET", "/movies?project="+unknown, "", 404, "movie_not_found", "Movie "+unknown+" not found")
	}},
	{"get-single-shape", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		got := c.into(t, "GET", "/movies?format=simple&project="+c.submit(t, quick(`,"comment":"kept"`)), "")
		if names := keys(got); names != "movie remaining_quota success timestamp" {
			t.Errorf("fields %s", names)
		}
		if doc, _ := got["movie"].(object)["json"].(object); doc["comment"] != "kept" {
			t.Errorf("json with format=simple: %v", doc)
		}
	}},
	{"get-status-object", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		got := c.until(t, c.submit(t, short(`,"id":"mine","client-data":{"a":1},"draft":true`)), "done")
		for name, want := range map[string]any{"success": true, "message": "", "width": 64.0, "height": 64.0, "duration": 1.0, "consumed_credits": 1.0,
			"progress": 100.0, "id": "mine", "draft": true, "ass": nil, "loudness": nil, "destinations_result": nil} {
			if got[name] != want {
				t.Errorf("%s is %v, want %v", name, got[name], want)
			}
		}
		for _, name := range []string{"created_at", "started_at", "ended_at"} {
			if text, _ := got[name].(string); !stamps.MatchString(text) {
				t.Errorf("%s is %v", name, got[name])
			}
		}
		if size, _ := got["size"].(float64); size < 500 || got["rendering_time"].(float64) <= 0 {
			t.Errorf("size %v, rendering_time %v", got["size"], got["rendering_time"])
		}
		if data, _ := got["client-data"].(object); data["a"] != 1.0 {
			t.Errorf("client-data %v", got["client-data"])
		}
	}},
	{"get-json-as-posted", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		movie := quick(`,"number":1.50,"big":12345678901234567890,"text":"<&>ä\u00e4"`)
		answer := c.call(t, "GET", "/movies?project="+c.submit(t, movie), "")
		if !strings.Contains(string(answer.Body), `"json":`+movie) {
			t.Errorf("%s", answer.Body)
		}
	}},
	{"get-render-failure-is-200", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		project := c.submit(t, `{"scenes":[{"elements":[{"type":"text","text":"a"},{"type":"video"}]}]}`)
		got := c.until(t, project, "error")
		if whole := c.into(t, "GET", "/movies?project="+project, ""); whole["success"] != true || got["success"] != false {
			t.Errorf("success %v, movie.success %v", whole["success"], got["success"])
		}
	}},
	{"get-remaining-quota-time", func(t *testing.T, w *world) {
		c := w.plain.open(t, 41)
		got := c.into(t, "GET", "/movies", "")["remaining_quota"].(object)
		if got["time"] != 41.0 || len(got) != 1 {
			t.Errorf("%v", got)
		}
	}},
	{"get-remaining-quota-counted", func(t *testing.T, w *world) {
		c := w.idle.openOn(t, "counted", 0)
		before := c.into(t, "GET", "/movies", "")["remaining_quota"].(object)
		c.submit(t, quick(""))
		c.submit(t, quick(`,"draft":true`))
		after := c.into(t, "GET", "/movies", "")["remaining_quota"].(object)
		if len(after) != 2 || after["movies"] != before["movies"].(float64)-1 || after["drafts"] != before["drafts"].(float64)-1 {
			t.Errorf("before %v, after %v", before, after)
		}
	}},
}

func keys(o object) string {
	var names []string
	for name := range o {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// times are the range of a list.
func times(t *testing.T, o object) (from, to time.Time) {
	t.Helper()
	var all [2]time.Time
	for i, name := range []string{"from", "to"} {
		var err error
		if all[i], err = time.Parse(time.RFC3339, o[name].(string)); err != nil {
			t.Fatal(err)
		}
	}
	return all[0], all[1]
}

// listRows: GET /movies of a range.
var listRows = []row{
	{"list-shape", func(t *testing.T, w *world) {
		c := w.idle.open(t, 600)
		c.submit(t, short(""))
		got := c.into(t, "GET", "/movies", "")
		if names := keys(got); names != "count from has_next has_prev limit movies next_token remaining_quota success timestamp to" {
			t.Errorf("fields %s", names)
		}
		if got["count"] != 1.0 || got["has_next"] != false || got["has_prev"] != false || got["next_token"] != nil {
			t.Errorf("%v", got)
		}
	}},
	{"list-newest-first", func(t *testing.T, w *world) {
		c := w.idle.open(t, 600)
		var want []string
		for range 4 {
			want = slices.Insert(want, 0, c.submit(t, short("")))
		}
		if got := projects(c.into(t, "GET", "/movies", "")); !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}},
	{"list-own-only", func(t *testing.T, w *world) {
		w.idle.open(t, 600).submit(t, short(""))
		if got := w.idle.open(t, 600).into(t, "GET", "/movies", ""); got["count"] != 0.0 {
			t.Errorf("%v", got)
		}
	}},
	{"list-from-default", func(t *testing.T, w *world) {
		c, before := w.idle.open(t, 0), time.Now().UTC()
		from, _ := times(t, c.into(t, "GET", "/movies", ""))
		month := func(at time.Time) time.Time { return time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC) }
		if now := time.Now().UTC(); !from.Equal(month(before)) && !from.Equal(month(now)) {
			t.Errorf("from %v, want %v", from, month(now))
		}
	}},
	{"list-to-default", func(t *testing.T, w *world) {
		c, before := w.idle.open(t, 0), time.Now().UTC()
		_, to := times(t, c.into(t, "GET", "/movies", ""))
		day := func(at time.Time) time.Time {
			return time.Date(at.Year(), at.Month(), at.Day(), 23, 59, 59, 999e6, time.UTC)
		}
		if now := time.Now().UTC(); !to.Equal(day(before)) && !to.Equal(day(now)) {
			t.Errorf("to %v, want %v", to, day(now))
		}
	}},
	{"list-from-and-to", func(t *testing.T, w *world) {
		c := w.idle.open(t, 600)
		project := c.submit(t, short(""))
		created := c.movie(t, project)["created_at"].(string)
		at, err := time.Parse(time.RFC3339, created)
		if err != nil {
			t.Fatal(err)
		}
		second := func(d time.Duration) string {
			return url.QueryEscape(at.Add(d).Format("2006-01-02T15:04:05.000Z07:00"))
		}
		for query, want := range map[string]float64{
			"from=" + second(0) + "&to=" + second(0): 1, "from=" + second(-time.Second) + "&to=" + second(-time.Millisecond): 0,
			"date_start=" + second(time.Millisecond) + "&date_end=" + second(time.Second): 0, "date_start=" + created + "&date_end=" + created: 1,
		} {
			if got := c.into(t, "GET", "/movies?"+query, "")["count"]; got != want {
				t.Errorf("%s: %v movies, want %v", query, got, want)
			}
		}
	}},
	{"list-dates-and-zones", func(t *testing.T, w *world) {
		c := w.idle.open(t, 0)
		for query, want := range map[string][2]string{
			"from=2026-11-01&to=2026-11-02":                                          {"2026-11-01T00:00:00.000Z", "2026-11-02T23:59:59.999Z"},
			"from=2026-11-01T10:00:00&to=2026-11-01T12:00:00%2B02:00":                {"2026-11-01T10:00:00.000Z", "2026-11-01T10:00:00.000Z"},
			"date_start=2026-11-01T10:00:00.250Z&date_end=2026-11-01T23:00:00-05:00": {"2026-11-01T10:00:00.250Z", "2026-11-02T04:00:00.000Z"},
		} {
			got := c.into(t, "GET", "/movies?"+query, "")
			if got["from"] != want[0] || got["to"] != want[1] {
				t.Errorf("%s: %v to %v", query, got["from"], got["to"])
			}
		}
	}},
	{"list-invalid-start-date", func(t *testing.T, w *world) {
		c := w.idle.open(t, 0)
		for _, query := range []string{"from=yesterday", "date_start=2026-13-01", "from=2026-02-29", "from=2026-11-01&date_start=2026-11-02", "from=%00"} {
			c.refused(t, "GET", "/movies?"+query, "", 400, "start_date_invalid", "Invalid start date")
		}
	}},
	{"list-invalid-end-date", func(t *testing.T, w *world) {
		c := w.idle.open(t, 0)
		for _, query := range []string{"to=x", "date_end=2026-11-31", "to=1700000000"} {
			c.refused(t, "GET", "/movies?"+query, "", 400, "end_date_invalid", "Invalid end date")
		}
	}},
	{"list-from-after-to", func(t *testing.T, w *world) {
		w.idle.open(t, 0).refused(t, "GET", "/movies?from=2026-11-02&to=2026-11-01", "", 400, "start_date_invalid", "Invalid start date")
	}},
	{"list-three-months", func(t *testing.T, w *world) {
		c := w.idle.open(t, 0)
		for query, ok := range map[string]bool{
			"from=2026-01-15&to=2026-04-15": true, "from=2026-01-15&to=2026-04-16": false,
			"from=2023-11-30&to=2024-02-29": true, "from=2023-11-30&to=2024-03-01": false, // a leap year
			"from=2022-11-30&to=2023-02-28": true, "from=2022-11-30&to=2023-03-01": false,
			"from=2025-12-31&to=2026-03-31": true, "from=2025-12-31&to=2026-04-01": false, // over the end of a year
			"from=2026-11-30T23:59:59Z&to=2027-02-28T23:59:59.999Z": true,
		} {
			if !ok {
				c.refused(t, "GET", "/movies?"+query, "", 400, "date_range_too_long", "Maximum date range is 3 months.")
			} else if answer := c.call(t, "GET", "/movies?"+query, ""); answer.Status != 200 {
				t.Errorf("%s: %d %s", query, answer.Status, answer.Body)
			}
		}
	}},
	{"list-limit", func(t *testing.T, w *world) {
		c := w.idle.open(t, 600)
		c.submit(t, short(""))
		c.submit(t, short(""))
		for query, want := range map[string][2]float64{"": {100, 2}, "limit=1": {1, 1}, "limit=100": {100, 2}} {
			got := c.into(t, "GET", "/movies?"+query, "")
			if got["limit"] != want[0] || got["count"] != want[1] {
				t.Errorf("%q: limit %v, count %v", query, got["limit"], got["count"])
			}
		}
	}},
	{"list-limit-invalid", func(t *testing.T, w *world) {
		c := w.idle.open(t, 0)
		for _, limit := range []string{"0", "101", "-1", "1.5", "ten", "99999999999999999999", "5&limit=6"} {
			c.refused(t, "GET", "/movies?limit="+limit, "", 400, "limit_invalid", "Invalid limit")
		}
	}},
	{"list-next-token", func(t *testing.T, w *world) {
		c := w.idle.open(t, 600)
		var want, got []string
		for range 5 {
			want = slices.Insert(want, 0, c.submit(t, short("")))
		}
		page := c.into(t, "GET", "/movies?limit=2", "")
		for got = projects(page); page["has_next"] == true; got = append(got, projects(page)...) {
			// The token alone carries range and limit.
			page = c.into(t, "GET", "/movies?next_token="+page["next_token"].(string), "")
			if page["has_prev"] != true || page["limit"] != 2.0 {
				t.Fatalf("%v", page)
			}
		}
		if !slices.Equal(got, want) || page["next_token"] != nil {
			t.Errorf("%v, want %v", got, want)
		}
	}},
	{"list-next-token-invalid", func(t *testing.T, w *world) {
		c, other := w.idle.open(t, 600), w.idle.open(t, 600)
		for range 2 {
			c.submit(t, short(""))
		}
		token := c.into(t, "GET", "/movies?limit=1", "")["next_token"].(string)
		const code, text = "next_token_invalid", "Invalid next_token"
		for _, query := range []string{token + "&limit=2", token + "&from=2026-01-01", token[:len(token)-2], "x" + token, token + "=", "forged", strings.Repeat("A", 5000)} {
			c.refused(t, "GET", "/movies?next_token="+query, "", 400, code, text)
		}
		other.refused(t, "GET", "/movies?next_token="+token, "", 400, code, text)
		if answer := c.call(t, "GET", "/movies?limit=1&next_token="+token, ""); answer.Status != 200 {
			t.Errorf("with the same limit beside it: %d %s", answer.Status, answer.Body)
		}
	}},
	{"list-format-simple", func(t *testing.T, w *world) {
		c := w.idle.open(t, 600)
		c.submit(t, short(""))
		for query, want := range map[string]bool{"": true, "?format=simple": false} {
			movie := c.into(t, "GET", "/movies"+query, "")["movies"].([]any)[0].(object)
			if _, has := movie["json"]; has != want {
				t.Errorf("%q: json is there: %v", query, has)
			}
		}
	}},
	{"list-format-invalid", func(t *testing.T, w *world) {
		w.idle.open(t, 0).refused(t, "GET", "/movies?format=full", "", 400, "format_invalid", "Invalid format")
	}},
	{"list-filters", func(t *testing.T, w *world) {
		c := w.idle.open(t, 600)
		template, _ := c.into(t, "POST", "/templates", `{"name":"T","movie":{"scenes":[{"duration":1}]}}`)["templateId"].(string)
		want := map[string][]string{}
		for range 2 {
			c.submit(t, short(""))
			for query, movie := range map[string]string{
				"template=" + template:                `{"template":"` + template + `"}`,
				"movie_id=promo%207":                  short(`,"id":"promo 7"`),
				"client-data.order=4711":              short(`,"client-data":{"order":4711}`),
				"client-data.a=1&client-data.b=x%26y": short(`,"client-data":{"a":true,"a":1,"b":"x&y"}`),
				"client-data.c=true&status=pending":   short(`,"client-data":{"c":true}`),
				"client-data.d=" + "&movie_id=3":      short(`,"id":3,"client-data":{"d":""}`),
			} {
				want[query] = slices.Insert(want[query], 0, c.submit(t, movie))
			}
		}
		want["client-data.order=4712"], want["status=error"] = nil, nil
		for query, expected := range want {
			page := c.into(t, "GET", "/movies?format=simple&limit=1&"+query, "")
			got := projects(page)
			for page["has_next"] == true {
				page = c.into(t, "GET", "/movies?format=simple&next_token="+page["next_token"].(string), "")
				got = append(got, projects(page)...)
			}
			if !slices.Equal(got, expected) {
				t.Errorf("%s: %v, want %v", query, got, expected)
			}
		}
		token := c.into(t, "GET", "/movies?limit=1&status=pending", "")["next_token"].(string)
		c.refused(t, "GET", "/movies?status=done&next_token="+token, "", 400, "next_token_invalid", "Invalid next_token")
	}},
	{"list-filters-invalid", func(t *testing.T, w *world) {
		c := w.idle.open(t, 600)
		many := ""
		for n := range 6 {
			many += fmt.Sprintf("&client-data.n%d=1", n)
		}
		for query, code := range map[string]string{
			"status=finished": "status_invalid", "status=done&status=error": "status_invalid", "template=a&template=b": "filter_invalid",
			"movie_id=" + strings.Repeat("x", 1025): "filter_invalid", "client-data.a=1&client-data.a=1": "filter_invalid", many: "filter_invalid",
		} {
			c.refused(t, "GET", "/movies?"+query, "", 400, code, "")
		}
	}},
	{"list-short-pages", func(t *testing.T, w *world) {
		c := w.idle.open(t, 600)
		var want, got []string
		for range 4 {
			want = slices.Insert(want, 0, c.submit(t, short(`,"comment":"`+strings.Repeat("x", 2_000_000)+`"`)))
		}
		page := c.call(t, "GET", "/movies?limit=4", "")
		for pages := 1; ; pages++ {
			var body object
			page.Into(t, &body)
			if len(page.Body) > 6<<20 || body["count"].(float64) < 1 {
				t.Fatalf("page %d: %d bytes, %v movies", pages, len(page.Body), body["count"])
			}
			if got = append(got, projects(body)...); body["has_next"] != true {
				if pages < 2 {
					t.Error("the first page was not cut")
				}
				break
			}
			page = c.call(t, "GET", "/movies?next_token="+body["next_token"].(string), "")
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}},
}

func projects(list object) []string {
	var all []string
	for _, movie := range list["movies"].([]any) {
		all = append(all, movie.(object)["project"].(string))
	}
	return all
}
