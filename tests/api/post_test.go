package api_test

import (
	"fmt"
	"strings"
	"testing"

	"moviola/tests/harness"
)

// movieLimit is the largest movie JSON, in bytes.
const movieLimit = 2 << 20

// sized is a movie of exactly n bytes.
func sized(n int) string {
	head, tail := `{"scenes":[{"elements":[{"type":"video"}]}],"comment":"`, `"}`
	return head + strings.Repeat("x", n-len(head)-len(tail)) + tail
}

// postRows: POST /movies and what it accepts.
var postRows = []row{
	{"post-response", func(t *testing.T, w *world) {
		got := w.plain.open(t, 600).into(t, "POST", "/movies", quick(""))
		if keys(got) != "project success timestamp" || got["success"] != true || len(got["project"].(string)) != 16 {
			t.Errorf("%v", got)
		}
	}},
	{"post-minimum", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		for _, movie := range []string{`{"scenes":[]}`, `{"elements":[]}`, `{"scenes":[{"elements":[]}]}`} {
			c.submit(t, movie)
		}
	}},
	{"post-visible-at-once", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		for range 10 {
			project := c.submit(t, quick(""))
			if list := projects(c.into(t, "GET", "/movies?limit=1", "")); len(list) != 1 || list[0] != project {
				t.Fatalf("the list does not show %s: %v", project, list)
			}
			c.movie(t, project)
		}
	}},
	{"post-not-idempotent", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		if a, b := c.submit(t, quick("")), c.submit(t, quick("")); a == b {
			t.Errorf("two movies are %s", a)
		}
	}},
	{"post-idempotency-key", func(t *testing.T, w *world) {
		c, other := w.plain.open(t, 600), w.plain.open(t, 600)
		first := c.call(t, "POST", "/movies", quick(""), "Idempotency-Key", "order-1")
		again := c.call(t, "POST", "/movies", quick(""), "Idempotency-Key", "order-1")
		if string(first.Body) != string(again.Body) || again.Status != 200 {
			t.Errorf("first %s, again %d %s", first.Body, again.Status, again.Body)
		}
		if got := c.into(t, "GET", "/movies", "")["count"]; got != 1.0 {
			t.Errorf("%v movies", got)
		}
		c.refused(t, "POST", "/movies", quick(`,"a":1`), 409, "idempotency_key_reused", "", "Idempotency-Key", "order-1")
		if foreign := other.call(t, "POST", "/movies", quick(""), "Idempotency-Key", "order-1"); foreign.Status != 200 || string(foreign.Body) == string(first.Body) {
			t.Errorf("another account: %d %s", foreign.Status, foreign.Body)
		}
		// Only a 200 is remembered.
		c.refused(t, "POST", "/movies", "{", 400, "movie_json_invalid", "", "Idempotency-Key", "order-2")
		c.submit(t, quick(""), "Idempotency-Key", "order-2")
	}},
	{"post-idempotency-key-length", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		c.submit(t, quick(""), "Idempotency-Key", strings.Repeat("k", 255))
		for _, value := range []string{"", strings.Repeat("k", 256)} {
			c.refused(t, "POST", "/movies", quick(""), 400, "idempotency_key_invalid", "", "Idempotency-Key", value)
		}
		c.refused(t, "POST", "/movies", quick(""), 400, "idempotency_key_invalid", "", "Idempotency-Key", "a", "Idempotency-Key", "b")
	}},
	{"post-by-reference", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		first := c.until(t, c.submit(t, quick(`,"comment":"the original"`)), "error")["project"].(string)
		again := c.submit(t, `{"project":"`+first+`"}`)
		if got := c.movie(t, again); again == first || got["json"].(object)["comment"] != "the original" {
			t.Errorf("%s of %s: %v", again, first, got["json"])
		}
	}},
	{"post-project-beside-scenes", func(t *testing.T, w *world) {
		c := w.idle.open(t, 600)
		first := c.submit(t, short(`,"comment":"first"`))
		again := c.submit(t, short(`,"comment":"second","project":"`+first+`"`))
		if got := c.movie(t, again); again == first || got["json"].(object)["comment"] != "second" {
			t.Errorf("%s after %s: %v", again, first, got["json"])
		}
	}},
	{"post-movie-json-size", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		c.submit(t, sized(movieLimit))
		answer := c.call(t, "POST", "/movies", sized(movieLimit+1))
		if answer.Status != 413 || !strings.Contains(string(answer.Body), "movie_json_too_large") || !strings.Contains(string(answer.Body), "2097152") {
			t.Errorf("%d %s", answer.Status, answer.Body)
		}
	}},
}

// refusalRows: the table of errors of POST /movies.
var refusalRows = []row{
	refusal("post-empty-body", "", 400, "movie_json_missing", "No movie JSON received"),
	refusal("post-invalid-json", `{"scenes":[`, 400, "movie_json_invalid", "Error parsing movie JSON or the movie was empty"),
	{"post-no-object", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		for _, body := range []string{"null", "[]", `"text"`, "1", "true"} {
			c.refused(t, "POST", "/movies", body, 400, "movie_json_not_object", "No valid movie JSON received")
		}
	}},
	{"post-empty-movie", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		for _, body := range []string{`{}`, `{"resolution":"full-hd"}`, `{"scenes":{}}`, `{"elements":"x"}`, `{"scenes":null}`} {
			c.refused(t, "POST", "/movies", body, 400, "movie_json_invalid", "Error parsing movie JSON or the movie was empty")
		}
	}},
	{"post-cloud-keys", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		for field, code := range map[string]string{
			`"credentials":{"type":"service_account"}`: "google_keys_in_movie", `"note":"{\"private_key_id\":\"x\"}"`: "google_keys_in_movie",
			`"account-key":"x"`: "azure_keys_in_movie", `"more":[{"SAS_token":"x"}]`: "azure_keys_in_movie",
		} {
			for _, kind := range []string{"gcs", "azure-blob"} {
				c.refused(t, "POST", "/movies", `{"scenes":[],"exports":[{"destinations":[{"type":"`+kind+`","id":"x",`+field+`}]}]}`, 400, code, "")
			}
		}
	}},
	{"post-aws-keys", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		for _, field := range []string{`"access-key":"x"`, `"AWS_Secret_Access_Key":"x"`, `"sessionToken":"x"`, `"accessKeyId":1`, `"more":{"deep":[{"secret-key":""}]}`,
			`"note":"AKIAIOSFODNN7EXAMPLE"`, `"endpoint":"https://example.com/?k=ASIAIOSFODNN7EXAMPLE"`} {
			c.refused(t, "POST", "/movies", `{"scenes":[],"exports":[{"destinations":[{"type":"aws-s3","id":"x",`+field+`}]}]}`, 400, "aws_keys_in_movie", "")
		}
		// Only destinations carry keys; elsewhere a name is a name.
		c.submit(t, quick(`,"client-data":{"access-key":"x"},"exports":[{"destinations":[{"type":"webhook","endpoint":"https://example.com/access-key"}]}]`))
	}},
	refusal("post-too-deep", `{"scenes":[`+strings.Repeat(`[`, 63)+strings.Repeat(`]`, 63)+`]}`, 400, "movie_json_too_deep", ""),
	refusal("post-too-many-elements", `{"elements":[`+strings.TrimSuffix(strings.Repeat(`{"type":"text"},`, 5001), ",")+`]}`, 400, "movie_too_many_elements", ""),
	{"post-insufficient-credits", func(t *testing.T, w *world) {
		c := w.idle.open(t, 5)
		c.refused(t, "POST", "/movies", `{"scenes":[{"duration":6}]}`, 400, "insufficient_credits", "Insufficient credits")
		c.submit(t, short(""))
		c.refused(t, "POST", "/movies", `{"scenes":[{"duration":4.1}]}`, 400, "insufficient_credits", "Insufficient credits")
	}},
	{"post-max-credits", func(t *testing.T, w *world) {
		c := w.idle.open(t, 600)
		c.refused(t, "POST", "/movies?max_credits=5", `{"scenes":[{"duration":5.1}]}`, 400, "max_credits_exceeded",
			"The movie costs 6 credits, more than max_credits (5). Make it shorter, or raise max_credits.")
		if answer := c.call(t, "POST", "/movies?max_credits=6", `{"scenes":[{"duration":5.1}]}`); answer.Status != 200 {
			t.Errorf("as much as it costs: %d %s", answer.Status, answer.Body)
		}
		for _, value := range []string{"0", "-1", "1.5", "many", "5&max_credits=6"} {
			c.refused(t, "POST", "/movies?max_credits="+value, `{"scenes":[{"duration":1}]}`, 400, "max_credits_invalid", "")
		}
	}},
	{"post-never-had-credits", func(t *testing.T, w *world) {
		w.plain.open(t, 0).refused(t, "POST", "/movies", quick(""), 401, "not_enough_credits", "The account does not have enough credits. Add credits to continue.")
	}},
	{"post-suspended", func(t *testing.T, w *world) {
		c := w.plain.open(t, 1)
		c.until(t, c.submit(t, short("")), "done")
		c.settled(t, 0)
		answer := c.call(t, "POST", "/movies", quick(""))
		var got struct{ Code, Message string }
		answer.Into(t, &got)
		if answer.Status != 403 || got.Code != "account_suspended" || !strings.HasPrefix(got.Message, "account_suspended: ") {
			t.Errorf("%d %s", answer.Status, answer.Body)
		}
		// Only POST /movies is refused, and credits lift it at once.
		c.into(t, "GET", "/movies", "")
		c.grant(t, 1)
		c.submit(t, quick(""))
	}},
	{"post-movie-quota", func(t *testing.T, w *world) { quota(t, w, "", "movie_quota_exceeded", "movies", 100) }},
	{"post-draft-quota", func(t *testing.T, w *world) { quota(t, w, `,"draft":true`, "draft_quota_exceeded", "drafts", 400) }},
	{"post-larger-than-plan", func(t *testing.T, w *world) {
		c := w.plain.openOn(t, "free", 600)
		size := func(width, height int) string {
			return fmt.Sprintf(`{"resolution":"custom","width":%d,"height":%d,"scenes":[{"elements":[{"type":"video"}]}]}`, width, height)
		}
		c.refused(t, "POST", "/movies", size(1922, 1080), 401, "movie_too_large", "Movie is larger (1922x1080) than the service plan allowance (1920x1080)")
		c.refused(t, "POST", "/movies", size(1082, 1082), 401, "movie_too_large", "Movie is larger (1082x1082) than the service plan allowance (1920x1080)")
		c.submit(t, size(1080, 1920))
		paid := w.plain.open(t, 600)
		paid.submit(t, size(3840, 2160))
		paid.refused(t, "POST", "/movies", size(3842, 2160), 401, "movie_too_large", "")
	}},
	{"post-longer-than-plan", func(t *testing.T, w *world) {
		c := w.plain.openOn(t, "free", 5000)
		length := func(seconds string) string {
			return `{"scenes":[{"duration":` + seconds + `,"elements":[{"type":"video"}]}]}`
		}
		c.refused(t, "POST", "/movies", length("60.1"), 400, "movie_too_long", "")
		c.submit(t, length("60"))
		paid := w.plain.open(t, 5000)
		paid.submit(t, length("1800"))
		paid.refused(t, "POST", "/movies", length("1801"), 400, "movie_too_long", "")
		if left := c.left(t); left < 5000-60 {
			t.Errorf("a refusal has cost something: %v are left", left)
		}
	}},
	refusal("post-template-not-found", `{"template":"Abcdefghij0123456789","variables":{}}`, 404, "template_not_found", "Template not found"),
	{"post-movie-not-found", func(t *testing.T, w *world) {
		foreign := w.plain.open(t, 600).submit(t, quick(""))
		c := w.plain.open(t, 600)
		for _, id := range []string{unknown, foreign} {
			c.refused(t, "POST", "/movies", `{"project":"`+id+`"}`, 404, "movie_not_found", "Movie ID "+id+" not found")
		}
	}},
	{"post-invalid-movie-status", func(t *testing.T, w *world) {
		c := w.idle.open(t, 600)
		c.refused(t, "POST", "/movies", `{"project":"`+c.submit(t, short(""))+`"}`, 400, "invalid_movie_status", "Invalid movie status")
	}},
	{"post-not-stored", notStored},
	{"post-not-created", notCreated},
	{"post-refusals-have-no-effect", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		for _, body := range []string{"", "{", "null", "{}", `{"project":"` + unknown + `"}`, sized(movieLimit + 1)} {
			if answer := c.call(t, "POST", "/movies", body); answer.Status < 400 {
				t.Errorf("%.20s: %d", body, answer.Status)
			}
		}
		if got := c.into(t, "GET", "/movies", ""); got["count"] != 0.0 || got["remaining_quota"].(object)["time"] != 600.0 {
			t.Errorf("%v", got)
		}
	}},
}

// refusal is a row for one body that is refused.
func refusal(rule, body string, status int, code, message string) row {
	return row{rule, func(t *testing.T, w *world) {
		w.plain.open(t, 600).refused(t, "POST", "/movies", body, status, code, message)
	}}
}

// quota uses up what a counted plan allows in a month, where no movie fails, so that nothing is given back.
func quota(t *testing.T, w *world, rest, code, kind string, allowed int) {
	t.Helper()
	c, movie := w.idle.openOn(t, "counted", 0), short(rest)
	for range allowed {
		c.submit(t, movie)
	}
	c.refused(t, "POST", "/movies", movie, 401, code, "You exceeded the quota of "+kind+" in the service plan. Please upgrade the service plan to continue.")
	harness.Eventually(t, "the quota is used up", func() bool {
		return c.into(t, "GET", "/movies?limit=1&format=simple", "")["remaining_quota"].(object)[kind] == 0.0
	})
}
