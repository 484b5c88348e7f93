package api_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"moviola/tests/harness"
)

// delivered submits a failing movie with destinations and returns their results, once there are as many as wanted.
func delivered(t *testing.T, c *client, want int, destinations ...string) []any {
	t.Helper()
	project := c.submit(t, quick(`,"id":"mine","client-data":{"a":1},"exports":[{"destinations":[`+strings.Join(destinations, ",")+`]}]`))
	return results(t, c, project, want)
}

func results(t *testing.T, c *client, project string, want int) []any {
	t.Helper()
	var got []any
	harness.Eventually(t, fmt.Sprintf("%d results of %s", want, project), func() bool {
		got, _ = c.movie(t, project)["destinations_result"].([]any)
		return len(got) == want
	})
	return got
}

func hook(endpoint, more string) string {
	return `{"type":"webhook","endpoint":"` + endpoint + `"` + more + `}`
}

// deliveryRows: webhooks and their results.
var deliveryRows = []row{
	{"delivery-json", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		path := "/status/200/json-" + c.account
		project := c.submit(t, short(`,"id":"mine","client-data":{"a":1},"exports":[{"destinations":[`+hook(w.web.base+path, "")+`]}]`))
		got := results(t, c, project, 1)[0].(object)
		if got["status"] != "ok" || got["http_status"] != 200.0 || got["attempts"] != 1.0 || got["index"] != 0.0 || got["type"] != "webhook" {
			t.Errorf("%v", got)
		}
		hits := w.web.received(path)
		if len(hits) != 1 || !strings.HasPrefix(hits[0].contentType, "application/json") {
			t.Fatalf("%v", hits)
		}
		var payload object
		if err := json.Unmarshal([]byte(hits[0].body), &payload); err != nil {
			t.Fatal(err)
		}
		movie := c.movie(t, project)
		for name, want := range map[string]any{"success": true, "project": project, "id": "mine", "url": movie["url"], "thumbnail": movie["thumbnail"],
			"width": 64.0, "height": 64.0, "duration": 1.0, "size": movie["size"], "codec": "h264", "codec_type": "video", "frame_rate": 25.0} {
			if payload[name] != want {
				t.Errorf("%s is %v, want %v", name, payload[name], want)
			}
		}
	}},
	{"delivery-form", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		path := "/status/204/form-" + c.account
		delivered(t, c, 1, hook(w.web.base+path, `,"content-type":"application/x-www-form-urlencoded"`))
		hit := w.web.received(path)[0]
		form, err := url.ParseQuery(hit.body)
		if err != nil || hit.contentType != "application/x-www-form-urlencoded" || form.Get("success") != "false" || form.Get("client-data") != `{"a":1}` || form.Has("url") {
			t.Errorf("%s: %s", hit.contentType, hit.body)
		}
	}},
	{"delivery-malformed", malformedExports},
	{"delivery-email-plan", func(t *testing.T, w *world) {
		const refused = "E-mail destinations are not part of the service plan"
		movie := short(`,"exports":[{"destinations":[{"type":"email","to":"a@b.c","subject":"s","message":"m"}]}]`)
		for plan, want := range map[string]bool{"free": true, "paid": false} { // there is no mail server either
			c := w.plain.openOn(t, plan, 600)
			if checked := c.checked(t, movie); strings.Contains(fmt.Sprint(checked["problems"]), refused) != want || checked["valid"] == want {
				t.Errorf("validate on the plan %s: %v", plan, checked["problems"])
			}
			got := results(t, c, c.submit(t, movie), 1)[0].(object)
			if message := got["message"].(string); got["status"] != "error" || strings.Contains(message, refused) != want {
				t.Errorf("on the plan %s: %v", plan, got)
			}
		}
	}},
	{"delivery-short-content-type", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		path := "/status/200/short-" + c.account
		delivered(t, c, 1, hook(w.web.base+path, `,"content-type":"urlencoded"`))
		if hit := w.web.received(path)[0]; !strings.HasPrefix(hit.contentType, "application/json") {
			t.Errorf("%s", hit.contentType)
		}
	}},
	{"delivery-on-failure", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		path := "/status/200/failure-" + c.account
		delivered(t, c, 1, hook(w.web.base+path, ""))
		var payload object
		if err := json.Unmarshal([]byte(w.web.received(path)[0].body), &payload); err != nil {
			t.Fatal(err)
		}
		if payload["success"] != false || payload["error"] == nil || payload["url"] != nil || payload["width"] != nil {
			t.Errorf("%v", payload)
		}
	}},
	{"delivery-in-order", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		first, second := "/status/404/first-"+c.account, "/status/200/second-"+c.account
		got := delivered(t, c, 2, hook(w.web.base+first, ""), hook(w.web.base+second, ""))
		if got[0].(object)["status"] != "error" || got[1].(object)["status"] != "ok" {
			t.Errorf("%v", got)
		}
		if !w.web.received(first)[0].at.Before(w.web.received(second)[0].at) {
			t.Error("the second came first")
		}
	}},
	{"delivery-retries", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		path := "/status/503/retry-" + c.account
		got := delivered(t, c, 1, hook(w.web.base+path, ""))[0].(object)
		hits := w.web.received(path)
		if got["status"] != "error" || got["attempts"] != 3.0 || got["http_status"] != 503.0 || len(hits) != 3 {
			t.Fatalf("%v, %d tries", got, len(hits))
		}
		for i, want := range []time.Duration{time.Second, 3 * time.Second} {
			if gap := hits[i+1].at.Sub(hits[i].at); gap < want-200*time.Millisecond {
				t.Errorf("try %d came %v after the one before, want at least %v", i+2, gap, want)
			}
		}
	}},
	{"delivery-not-retried", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		redirect, refused := "/status/302/moved-"+c.account, "/status/400/refused-"+c.account
		got := delivered(t, c, 2, hook(w.web.base+redirect, ""), hook(w.web.base+refused, ""))
		for i, path := range []string{redirect, refused} {
			if result := got[i].(object); result["status"] != "error" || result["attempts"] != 1.0 || len(w.web.received(path)) != 1 {
				t.Errorf("%s: %v, %d tries", path, result, len(w.web.received(path)))
			}
		}
		if n := len(w.web.received("/status/200/elsewhere")); n > 0 {
			t.Errorf("redirects were followed %d times", n)
		}
	}},
	{"delivery-private-addresses", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		var all []string
		for _, host := range []string{"127.0.0.1:1", "10.0.0.1", "[::1]:1", "169.254.169.254", "localhost:1"} {
			all = append(all, hook("http://"+host+"/secret?token=hush", ""))
		}
		for i, got := range delivered(t, c, len(all), all...) {
			text := fmt.Sprint(got.(object)["message"])
			if got.(object)["status"] != "error" || strings.Contains(text, "secret") || strings.Contains(text, "hush") {
				t.Errorf("%s: %v", all[i], got)
			}
		}
	}},
	{"delivery-one-export", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		path := "/status/200/two-" + c.account
		one := `{"destinations":[` + hook(w.web.base+path, "") + `]}`
		got := results(t, c, c.submit(t, quick(`,"exports":[`+one+`,`+one+`]`)), 1)[0].(object)
		if got["index"] != 0.0 || got["status"] != "error" || len(w.web.received(path)) > 0 {
			t.Errorf("%v, %d webhooks", got, len(w.web.received(path)))
		}
	}},
	{"delivery-none", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		if got := c.until(t, c.submit(t, quick("")), "error"); got["destinations_result"] != nil {
			t.Errorf("%v", got["destinations_result"])
		}
	}},
}

// creditRows: what a render costs.
var creditRows = []row{
	{"credits-new-account", func(t *testing.T, w *world) {
		if left := w.plain.open(t, -1).left(t); left != 600 {
			t.Errorf("%v", left)
		}
	}},
	{"credits-per-second", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		movie := `{"resolution":"custom","width":%d,"height":64,"scenes":[{"duration":1.04}]}`
		for _, width := range []int{64, 128} { // at any resolution
			if got := c.until(t, c.submit(t, fmt.Sprintf(movie, width)), "done"); got["consumed_credits"] != 2.0 {
				t.Errorf("%d pixels wide: %v credits", width, got["consumed_credits"])
			}
		}
		c.settled(t, 596)
	}},
	{"credits-held-while-rendering", func(t *testing.T, w *world) {
		c := w.idle.open(t, 600)
		project := c.submit(t, `{"scenes":[{"duration":30}]}`)
		c.leaves(t, 570)
		if got := c.movie(t, project); got["consumed_credits"] != 0.0 {
			t.Errorf("%v", got["consumed_credits"])
		}
	}},
	{"credits-failed-is-free", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		c.until(t, c.submit(t, quick("")), "error")
		c.settled(t, 600)
	}},
	{"credits-pack-length", func(t *testing.T, w *world) {
		c := w.plain.openOn(t, "free", 600)
		movie := `{"scenes":[{"duration":90,"elements":[{"type":"video"}]}]}`
		c.refused(t, "POST", "/movies", movie, 400, "movie_too_long", "")
		body := fmt.Sprintf(`{"account":%q,"amount":600,"reference":"pack","kind":"pack"}`, c.account)
		if answer := c.send(t, "POST", "/admin/credits", body, "X-Admin-Token", harness.AdminToken); answer.Status != 200 {
			t.Fatalf("grant: %d %s", answer.Status, answer.Body)
		}
		c.submit(t, movie)
	}},
	{"credits-grant-once", func(t *testing.T, w *world) {
		c := w.plain.open(t, 10)
		c.grant(t, 5)
		c.grant(t, 5)
		c.leaves(t, 15)
	}},
}
