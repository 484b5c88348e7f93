package api_test

import (
	"bufio"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"image"
	"image/png"
	"moviola/tests/harness"
)

// additionRows: validate, cancel, events, progress, redeliver.
var additionRows = []row{
	{"add-validate", func(t *testing.T, w *world) {
		c := w.plain.open(t, 0)
		got := c.checked(t, `{"resolution":"hd","scenes":[{"duration":2},{"duration":1.2,"elements":[{"type":"text","text":"a","start":0.2}]}]}`)
		if got["valid"] != true || got["exact"] != true || got["width"] != 1280.0 || got["duration"] != 3.2 || got["credits"] != 4.0 {
			t.Errorf("%v", got)
		}
		for _, body := range []string{"", "{", "null", "{}", `{"template":"Abcdefghij0123456789"}`, `{"project":"` + unknown + `"}`} {
			if got := c.checked(t, body); got["valid"] != false || len(got["errors"].([]any)) != 1 {
				t.Errorf("%q: %v", body, got)
			}
		}
		if list := c.into(t, "GET", "/movies", ""); list["count"] != 0.0 {
			t.Errorf("something is stored: %v", list)
		}
	}},
	{"add-still", func(t *testing.T, w *world) {
		c := w.plain.open(t, 60)
		movie := `{"width":320,"height":180,"scenes":[{"duration":2,"background-color":"#0000ff","elements":[{"type":"image","src":"https://198.51.100.1/photo.png","width":80}]}]}`
		answer := c.call(t, "POST", "/movies/still?time=0.5&size=160", movie)
		img, err := png.Decode(strings.NewReader(string(answer.Body)))
		if err != nil || answer.Header.Get("Content-Type") != "image/png" || img.Bounds() != image.Rect(0, 0, 160, 90) {
			t.Fatalf("%d %q %v", answer.Status, answer.Header.Get("Content-Type"), err)
		}
		if r, g, b, _ := img.At(4, 80).RGBA(); r>>8 > 8 || g>>8 > 8 || b>>8 < 240 {
			t.Errorf("the background is %d %d %d", r>>8, g>>8, b>>8)
		}
		got := c.into(t, "POST", "/movies/still?time=0,9&format=jpg", movie)
		shown := got["stills"].([]any)
		if len(shown) != 2 || shown[1].(object)["frame"] != 49.0 || shown[1].(object)["content_type"] != "image/jpeg" || got["duration"] != 2.0 || got["exact"] != false {
			t.Errorf("%.300v", got)
		}
		if missing := fmt.Sprint(got["missing"]); missing != "[Scene #1, element #1: photo.png is not loaded yet]" {
			t.Errorf("missing: %s", missing)
		}
		if list := c.into(t, "GET", "/movies", ""); list["count"] != 0.0 {
			t.Errorf("something is stored: %v", list)
		}
	}},
	{"add-still-refused", func(t *testing.T, w *world) {
		c := w.plain.open(t, 60)
		for _, r := range []struct{ query, body, code, message string }{
			{"", "", "movie_json_missing", ""},
			{"", "{", "movie_json_invalid", ""},
			{"", `{"scenes":[{"elements":[{"type":"text"}]}]}`, "element_invalid", ""},
			{"?time=x", short(""), "time_invalid", ""},
			{"?time=1,2,3,4,5,6,7,8,9,10,11,12,13", short(""), "time_invalid", "At most 12 moments can be shown at once, 13 were asked for"},
			{"?fetch=1", short(""), "fetch_invalid", "fetch must be true or false"},
			{"?format=gif", short(""), "format_invalid", "format must be png or jpg"},
			{"?size=4000", short(""), "size_invalid", "size must be the pixels of the picture's longer side: 16 to 1280"},
		} {
			c.refused(t, "POST", "/movies/still"+r.query, r.body, 400, r.code, r.message)
		}
		c.refused(t, "POST", "/movies/still", sized(movieLimit+1), 413, "movie_json_too_large", "")
		c.refused(t, "POST", "/movies/still", `{"template":"Abcdefghij0123456789"}`, 404, "template_not_found", "")
	}},
	{"add-cancel-running", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		path := "/status/200/cancel-" + c.account
		movie, _ := w.web.held(t, `,"exports":[{"destinations":[{"type":"webhook","endpoint":"`+w.web.base+path+`"}]}]`)
		project := c.submit(t, movie)
		c.until(t, project, "running")
		c.into(t, "POST", "/movies/cancel?project="+project, "")
		got := c.movie(t, project)
		if got["status"] != "error" || got["message"] != "Movie was cancelled" || got["consumed_credits"] != 0.0 {
			t.Errorf("%v", got)
		}
		c.settled(t, 600)
		harness.Eventually(t, "the webhook of the cancelled movie", func() bool { return len(w.web.received(path)) == 1 })
		if body := w.web.received(path)[0].body; !strings.Contains(body, `"success":false`) {
			t.Errorf("%s", body)
		}
		c.refused(t, "POST", "/movies/cancel?project="+project, "", 409, "movie_already_finished", "")
	}},
	{"add-cancel-pending", func(t *testing.T, w *world) {
		c := w.idle.open(t, 600)
		project := c.submit(t, short(""))
		c.into(t, "POST", "/movies/cancel?project="+project, "")
		if got := c.movie(t, project); got["status"] != "error" || got["message"] != "Movie was cancelled" {
			t.Errorf("%v", got)
		}
	}},
	{"add-cancel-finished", func(t *testing.T, w *world) {
		c, hasty := w.plain.open(t, 600), w.hasty.open(t, 600)
		c.refused(t, "POST", "/movies/cancel?project="+c.until(t, c.submit(t, short("")), "done")["project"].(string), "", 409, "movie_already_finished", "")
		movie, _ := w.web.held(t, "")
		late := hasty.submit(t, movie)
		hasty.until(t, late, "timeout")
		hasty.refused(t, "POST", "/movies/cancel?project="+late, "", 409, "movie_already_finished", "")
	}},
	{"add-unknown-404", func(t *testing.T, w *world) {
		foreign := w.plain.open(t, 600).submit(t, quick(""))
		c := w.plain.open(t, 0)
		for _, id := range []string{unknown, foreign} {
			for _, r := range []string{"POST cancel", "GET events", "GET progress", "POST redeliver"} {
				method, name, _ := strings.Cut(r, " ")
				c.refused(t, method, "/movies/"+name+"?project="+id, "", 404, "movie_not_found", "Movie "+id+" not found")
			}
		}
	}},
	{"add-project-malformed", func(t *testing.T, w *world) {
		c := w.plain.open(t, 0)
		for _, r := range []string{"POST cancel", "GET events", "GET progress", "POST redeliver"} {
			method, name, _ := strings.Cut(r, " ")
			for _, query := range []string{"", "?project=short", "?project=aaaaaaaaaaaaaaaa&id=bbbbbbbbbbbbbbbb"} {
				if answer := c.call(t, method, "/movies/"+name+query, ""); answer.Status != 400 {
					t.Errorf("%s%s: %d %s", r, query, answer.Status, answer.Body)
				}
			}
		}
	}},
	{"add-validate-too-large", func(t *testing.T, w *world) {
		w.plain.open(t, 0).refused(t, "POST", "/movies/validate", sized(movieLimit+1), 413, "movie_json_too_large", "")
	}},
	{"add-events", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		answer := c.call(t, "POST", "/movies", short(`,"cache":false`), "X-Request-Id", "request-of-mine")
		var sent struct{ Project string }
		answer.Into(t, &sent)
		c.until(t, sent.Project, "done")
		events := c.into(t, "GET", "/movies/events?project="+sent.Project, "")["events"].([]any)
		var types []string
		for _, e := range events {
			types = append(types, e.(object)["type"].(string))
		}
		if got := strings.Join(types, " "); !strings.HasPrefix(got, "MovieSubmitted RenderStarted ") || !strings.Contains(got, "RenderFinished") {
			t.Errorf("%s", got)
		}
		if first := events[0].(object); first["request"] != "request-of-mine" || first["status"] != "pending" || events[1].(object)["worker"] == nil {
			t.Errorf("%v", events)
		}
	}},
	{"add-progress", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		movie, release := w.web.held(t, "")
		project := c.submit(t, movie)
		c.until(t, project, "running")
		r, err := http.NewRequestWithContext(t.Context(), "GET", c.base+"/v2/movies/progress?project="+project, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Api-Key", c.key)
		response, err := c.http.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		var last string
		for lines := bufio.NewScanner(response.Body); lines.Scan(); {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				last = data
				release()
			}
		}
		if !strings.Contains(last, `"status":"done","success":true,"progress":100`) {
			t.Errorf("the last event: %s", last)
		}
	}},
	{"add-progress-several", func(t *testing.T, w *world) {
		c, other := w.plain.open(t, 600), w.plain.open(t, 600)
		movie, release := w.web.held(t, "")
		named := []string{c.submit(t, movie), c.submit(t, quick(""))}
		release()
		stream := func(query string) *bufio.Scanner {
			r, err := http.NewRequestWithContext(t.Context(), "GET", c.base+"/v2/movies/progress?"+query, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("X-Api-Key", c.key)
			response, err := c.http.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { response.Body.Close() })
			return bufio.NewScanner(response.Body)
		}
		ended := map[string]bool{}
		for lines, name := stream("project="+named[0]+"&project="+named[1]), ""; lines.Scan(); {
			if event, is := strings.CutPrefix(lines.Text(), "event: "); is {
				name = event
			}
			if data, is := strings.CutPrefix(lines.Text(), "data: "); is && name == "end" {
				ended[data[12:28]] = true
			}
		}
		if !ended[named[0]] || !ended[named[1]] || len(ended) != 2 {
			t.Errorf("ended: %v, want %v", ended, named)
		}
		lines := stream("all=true")
		other.submit(t, quick(""))
		later := c.submit(t, quick(""))
		// A list that is behind may still have the movies from before among the open ones: their end is told then.
		before := regexp.MustCompile(`"project":"(` + named[0] + "|" + named[1] + `)"`)
		for lines.Scan() && (!strings.HasPrefix(lines.Text(), "data: ") || before.MatchString(lines.Text())) {
		}
		if !strings.Contains(lines.Text(), later) {
			t.Errorf("the first movie of the stream of all is %s, want %s", lines.Text(), later)
		}
		c.refused(t, "GET", "/movies/progress?all=yes", "", 400, "all_invalid", "")
	}},
	{"add-redeliver", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		path := "/status/200/again-" + c.account
		project := c.submit(t, quick(`,"exports":[{"destinations":[{"type":"webhook","endpoint":"`+w.web.base+path+`"}]}]`))
		harness.Eventually(t, "the first delivery", func() bool { return c.movie(t, project)["destinations_result"] != nil })
		c.refused(t, "POST", "/movies/redeliver?project="+project+"&index=1", "", 400, "index_invalid", "")
		harness.Eventually(t, "the second delivery may begin", func() bool {
			return c.call(t, "POST", "/movies/redeliver?index=0&project="+project, "").Status == 200
		})
		harness.Eventually(t, "the second delivery", func() bool { return len(w.web.received(path)) == 2 })
	}},
	{"add-redeliver-in-progress", func(t *testing.T, w *world) {
		c := w.idle.open(t, 600)
		project := c.submit(t, short(`,"exports":[{"destinations":[{"type":"webhook","endpoint":"https://example.com/"}]}]`))
		c.into(t, "POST", "/movies/cancel?project="+project, "")
		c.refused(t, "POST", "/movies/redeliver?project="+project, "", 409, "delivery_in_progress", "")
	}},
}
