package api_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"moviola/domain/connection"
	"moviola/domain/key"
	"moviola/tests/harness"
)

// saveHook saves a webhook of the world's web server and returns what the answer says.
func (c *client) saveHook(t *testing.T, w *world, id, path, more string) object {
	t.Helper()
	return c.into(t, "POST", "/connections", fmt.Sprintf(`{"id":%q,"type":"webhook","endpoint":%q%s}`, id, w.web.base+path, more))
}

// connectionRows: saved connections.
var connectionRows = []row{
	{"connections-save-and-list", func(t *testing.T, w *world) {
		c, stranger := w.plain.open(t, 0), w.plain.open(t, 0)
		stranger.saveHook(t, w, "theirs", "/x", "")
		for _, id := range []string{"b", "a", "c"} {
			c.saveHook(t, w, id, "/hook?secret=hush", "")
		}
		c.into(t, "POST", "/connections", `{"id":"b","type":"ftp","host":"files.example","port":2121,"username":"me","password":"hush","secure":true}`)
		answer := c.call(t, "GET", "/connections", "")
		if strings.Contains(string(answer.Body), "hush") {
			t.Errorf("a secret is shown: %s", answer.Body)
		}
		var list object
		answer.Into(t, &list)
		var names []string
		for _, one := range list["connections"].([]any) {
			names = append(names, one.(object)["id"].(string))
		}
		if strings.Join(names, "") != "abc" || list["count"] != 3.0 || list["has_next"] != false {
			t.Errorf("%v of %s", names, answer.Body)
		}
		hook, ftp := list["connections"].([]any)[0].(object), list["connections"].([]any)[1].(object)
		if hook["endpoint"] != w.web.base+"/***" || ftp["type"] != "ftp" || ftp["password"] != "***" || ftp["port"] != 2121.0 || ftp["secure"] != true || ftp["tested_at"] != nil {
			t.Errorf("%v, %v", hook, ftp)
		}
	}},
	{"connections-events", func(t *testing.T, w *world) {
		c := w.plain.open(t, 0)
		c.saveHook(t, w, "told", "/x", `,"events":["batch.finished","render.progress"]`)
		c.saveHook(t, w, "untold", "/x", `,"events":[]`)
		list := c.into(t, "GET", "/connections", "")["connections"].([]any)
		if told := list[0].(object)["events"]; fmt.Sprint(told) != "[batch.finished render.progress]" || list[1].(object)["events"] != nil {
			t.Errorf("%v", list)
		}
		for _, events := range []string{`["movie.finished"]`, `["render.started","render.started"]`, `7`, `{}`} {
			answer := c.call(t, "POST", "/connections", `{"id":"bad","type":"webhook","endpoint":"`+w.web.base+`","events":`+events+`}`)
			if answer.Status != 400 || !strings.Contains(string(answer.Body), `"code":"setting_invalid"`) || !strings.Contains(string(answer.Body), "events must be a list of") {
				t.Errorf("%s: %d %s", events, answer.Status, answer.Body)
			}
		}
	}},
	{"connections-pages", func(t *testing.T, w *world) {
		c := w.plain.open(t, 0)
		for _, id := range []string{"1", "2", "3"} {
			c.saveHook(t, w, id, "/x", "")
		}
		first := c.into(t, "GET", "/connections?limit=2", "")
		next := c.into(t, "GET", "/connections?next_token="+first["next_token"].(string), "")
		if first["count"] != 2.0 || first["has_next"] != true || next["count"] != 1.0 || next["next_token"] != nil {
			t.Errorf("%v, then %v", first, next)
		}
		for _, query := range []string{"?limit=0", "?limit=101", "?next_token=x", "?limit=1&next_token=" + first["next_token"].(string)} {
			if answer := c.call(t, "GET", "/connections"+query, ""); answer.Status != 400 {
				t.Errorf("%s: %d %s", query, answer.Status, answer.Body)
			}
		}
	}},
	{"connections-refusals", func(t *testing.T, w *world) {
		c := w.plain.open(t, 0)
		for body, code := range map[string]string{
			``: "body_missing", `[]`: "body_invalid", `{}`: "id_required", `{"id":"a b","type":"ftp"}`: "id_invalid", `{"id":"a"}`: "type_invalid",
			`{"id":"a","type":"pigeon"}`: "type_invalid", `{"id":"a","type":"ftp"}`: "setting_required", `{"id":"a","type":"webhook","endpoint":"x"}`: "setting_invalid",
			`{"id":"a","type":"webhook","endpoint":"https://a.example","host":"x"}`: "setting_unknown", `{"id":"` + strings.Repeat("a", 300_000) + `"}`: "body_too_large",
		} {
			answer := c.call(t, "POST", "/connections", body)
			if !strings.Contains(string(answer.Body), `"code":"`+code+`"`) {
				t.Errorf("%.80s: %d %s, want %s", body, answer.Status, answer.Body, code)
			}
		}
		for path, want := range map[string]int{"?id=": 400, "": 400, "?id=a&id=b": 400, "?id=a": 404, "?id=a%20b": 404} {
			if answer := c.call(t, "DELETE", "/connections"+path, ""); answer.Status != want {
				t.Errorf("DELETE %s: %d %s", path, answer.Status, answer.Body)
			}
		}
	}},
	{"connections-foreign-like-unknown", func(t *testing.T, w *world) {
		c, stranger := w.plain.open(t, 600), w.plain.open(t, 0)
		stranger.saveHook(t, w, "theirs", "/x", "")
		for _, call := range []string{"DELETE /connections", "POST /connections/test", "POST /connections/secret", "DELETE /connections/secret"} {
			method, path, _ := strings.Cut(call, " ")
			known, unknown := c.call(t, method, path+"?id=theirs", ""), c.call(t, method, path+"?id=nobody", "")
			if known.Status != 404 || strings.ReplaceAll(string(known.Body), "theirs", "nobody") != string(unknown.Body) {
				t.Errorf("%s: %d %s and %s", call, known.Status, known.Body, unknown.Body)
			}
		}
		got := delivered(t, c, 1, `{"id":"theirs"}`)[0].(object)
		if got["status"] != "error" || got["message"] != "Connection theirs not found" {
			t.Errorf("%v", got)
		}
	}},
	{"connections-manager", func(t *testing.T, w *world) {
		c := w.plain.open(t, 0)
		c.as(t, key.Manager, nil).saveHook(t, w, "mine", "/x", "")
		for _, call := range []string{"GET /connections", "POST /connections", "DELETE /connections?id=mine", "POST /connections/test?id=mine", "POST /connections/secret?id=mine", "DELETE /connections/secret?id=mine"} {
			method, path, _ := strings.Cut(call, " ")
			if answer := c.as(t, key.Editor, nil).call(t, method, path, `{`); answer.Status != 403 {
				t.Errorf("%s: %d %s", call, answer.Status, answer.Body)
			}
			(&client{installation: c.installation}).refused(t, method, path, "", 401, "api_key_missing", "Invalid or missing API key")
		}
	}},
	{"connections-test", func(t *testing.T, w *world) {
		c := w.plain.open(t, 0)
		good, bad := "/status/200/test-"+c.account, "/status/500/test-"+c.account
		c.saveHook(t, w, "good", good, "")
		c.saveHook(t, w, "bad", bad, "")
		if got := c.into(t, "POST", "/connections/test?id=good", ""); got["status"] != "ok" || got["http_status"] != 200.0 {
			t.Errorf("%v", got)
		}
		if got := c.into(t, "POST", "/connections/test?id=bad", ""); got["status"] != "error" || got["http_status"] != 500.0 || len(w.web.received(bad)) != 1 {
			t.Errorf("%v after %d calls", got, len(w.web.received(bad)))
		}
		for _, part := range []string{`"test":true`, `"project":"TESTtestTESTtest"`, `"id":"test"`, `"success":true`} {
			if body := w.web.received(good)[0].body; !strings.Contains(body, part) {
				t.Errorf("%s is not in %s", part, body)
			}
		}
		if list := c.into(t, "GET", "/connections", ""); list["connections"].([]any)[0].(object)["test"].(object)["status"] != "error" {
			t.Errorf("%v", list)
		}
	}},
	{"connections-signed", func(t *testing.T, w *world) {
		c := w.plain.open(t, 0)
		secret, again := c.saveHook(t, w, "s", "/x", `,"signed":true`)["secret"], c.saveHook(t, w, "s", "/y", `,"signed":true`)["secret"]
		if text, ok := secret.(string); !ok || !strings.HasPrefix(text, "whsec_") || again != nil {
			t.Errorf("secrets %v and %v", secret, again)
		}
		renewed := c.into(t, "POST", "/connections/secret?id=s", "")["secret"]
		if text, ok := renewed.(string); !ok || text == secret {
			t.Errorf("renewed %v", renewed)
		}
		valid := func() any {
			return c.into(t, "GET", "/connections", "")["connections"].([]any)[0].(object)["signing_secrets"]
		}
		if valid() != 2.0 {
			t.Errorf("%v secrets are valid", valid())
		}
		if c.into(t, "DELETE", "/connections/secret?id=s", ""); valid() != 1.0 {
			t.Errorf("%v secrets are valid", valid())
		}
		c.saveHook(t, w, "plain", "/x", "")
		if answer := c.call(t, "POST", "/connections/secret?id=plain", ""); answer.Status != 400 {
			t.Errorf("%d %s", answer.Status, answer.Body)
		}
		if answer := c.call(t, "DELETE", "/connections/secret", ""); answer.Status != 400 {
			t.Errorf("%d %s", answer.Status, answer.Body)
		}
		if answer := c.call(t, "POST", "/connections/test", ""); answer.Status != 400 {
			t.Errorf("%d %s", answer.Status, answer.Body)
		}
	}},
	{"connections-delivered", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		path, other := "/status/200/saved-"+c.account, "/status/200/other-"+c.account
		c.saveHook(t, w, "mine", path, `,"content-type":"application/x-www-form-urlencoded"`)
		got := delivered(t, c, 2, `{"id":"mine"}`, fmt.Sprintf(`{"id":"mine","endpoint":%q,"content-type":"application/json"}`, w.web.base+other))
		for i, result := range got {
			if r := result.(object); r["status"] != "ok" || r["type"] != "webhook" || r["id"] != "mine" {
				t.Errorf("%d: %v", i, r)
			}
		}
		if form, json := w.web.received(path)[0], w.web.received(other)[0]; form.contentType != "application/x-www-form-urlencoded" || json.contentType != "application/json" {
			t.Errorf("%s, %s", form.contentType, json.contentType)
		}
	}},
	{"deliveries-log", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		bad := "/status/404/secret-path-" + c.account
		project := c.submit(t, quick(`,"exports":[{"destinations":[{"type":"webhook","endpoint":"`+w.web.base+bad+`?token=secret-token"},{"id":"nowhere"}]}]`))
		harness.Eventually(t, "both were tried", func() bool { return c.into(t, "GET", "/deliveries", "")["count"] == 2.0 })
		tries := c.into(t, "GET", "/deliveries/"+project, "")
		if tries["count"] != 2.0 {
			t.Fatalf("%v", tries)
		}
		last, first := tries["tries"].([]any)[0].(object), tries["tries"].([]any)[1].(object)
		if first["address"] != w.web.base || first["http_status"] != 404.0 || first["status"] != "error" || first["content_type"] != "application/json" ||
			first["sent"] != string(w.web.received(bad)[0].body) || first["answer"] == nil || first["started_at"] == nil {
			t.Errorf("the webhook: %v", first)
		}
		if last["address"] != nil || last["sent"] != nil || last["answer"] != nil || last["message"] != "Connection nowhere not found" {
			t.Errorf("where nothing was sent: %v", last)
		}
		for _, path := range []string{"/deliveries", "/deliveries/" + project} {
			if body := string(c.call(t, "GET", path, "").Body); strings.Contains(body, "secret-") {
				t.Errorf("%s shows the address: %s", path, body)
			}
		}
		c.refused(t, "GET", "/deliveries/"+project+"?a=%zz", "", 400, "query_invalid", "")
	}},
	{"deliveries-pages", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		delivered(t, c, 3, `{"id":"a"}`, `{"id":"b"}`, `{"id":"c"}`)
		harness.Eventually(t, "all were tried", func() bool { return c.into(t, "GET", "/deliveries", "")["count"] == 3.0 })
		first := c.into(t, "GET", "/deliveries?limit=2", "")
		next := c.into(t, "GET", "/deliveries?next_token="+first["next_token"].(string), "")
		if first["count"] != 2.0 || first["has_next"] != true || next["count"] != 1.0 || next["next_token"] != nil {
			t.Errorf("%v, then %v", first, next)
		}
		for _, query := range []string{"?limit=0", "?next_token=x", "?limit=1&next_token=" + first["next_token"].(string)} {
			if answer := c.call(t, "GET", "/deliveries"+query, ""); answer.Status != 400 {
				t.Errorf("%s: %d %s", query, answer.Status, answer.Body)
			}
		}
	}},
	{"deliveries-foreign-like-unknown", func(t *testing.T, w *world) {
		c, other := w.plain.open(t, 600), w.plain.open(t, 600)
		project := c.submit(t, short(`,"exports":[{"destinations":[{"id":"nowhere"}]}]`))
		other.refused(t, "GET", "/deliveries/"+project, "", 404, "movie_not_found", "Movie "+project+" not found")
		other.refused(t, "GET", "/deliveries/..%2F..", "", 404, "not_found", "Not found")
		if list := other.into(t, "GET", "/deliveries", ""); list["count"] != 0.0 {
			t.Errorf("%v", list)
		}
	}},
	{"inboxes", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		opened := c.into(t, "POST", "/inboxes", "")["inbox"].(object)
		id, address := opened["id"].(string), opened["address"].(string)
		secret := c.into(t, "POST", "/connections", `{"id":"trial","type":"webhook","endpoint":"`+address+`","signed":true}`)["secret"].(string)
		if tested := c.into(t, "POST", "/connections/test?id=trial", ""); tested["status"] != "ok" || tested["http_status"] != 200.0 {
			t.Errorf("the test: %v", tested)
		}
		project := c.submit(t, quick(`,"exports":[{"destinations":[{"id":"trial"},{"type":"webhook","endpoint":"`+address+
			`","content-type":"application/x-www-form-urlencoded"}]}]`))
		var letters []any
		harness.Eventually(t, "all have arrived", func() bool {
			letters, _ = c.into(t, "GET", "/inboxes/"+id, "")["letters"].([]any)
			return len(letters) == 3
		})
		form, signed := letters[0].(object), letters[1].(object)
		if head := form["headers"].(object); head["Content-Type"] != "application/x-www-form-urlencoded" || head["Webhook-Signature"] != nil {
			t.Errorf("the form: %v", head)
		}
		head, body := signed["headers"].(object), signed["body"].(string)
		at, err := strconv.ParseInt(head["Webhook-Timestamp"].(string), 10, 64)
		if err != nil || !strings.Contains(body, project) ||
			head["Webhook-Signature"] != connection.Sign([]string{secret}, head["Webhook-Id"].(string), time.Unix(at, 0), []byte(body)) {
			t.Errorf("the signature of %s: %v", body, head)
		}
		list := c.into(t, "GET", "/inboxes", "")["inboxes"].([]any)
		if len(list) != 1 || list[0].(object)["id"] != id || list[0].(object)["letters"] != 3.0 {
			t.Errorf("%v", list)
		}
		c.into(t, "DELETE", "/inboxes/"+id, "")
		if tested := c.into(t, "POST", "/connections/test?id=trial", ""); tested["status"] != "error" || tested["http_status"] != 404.0 {
			t.Errorf("the test after the end of the inbox: %v", tested)
		}
	}},
	{"inboxes-refused", func(t *testing.T, w *world) {
		c, other := w.plain.open(t, 600), w.plain.open(t, 600)
		opened := c.into(t, "POST", "/inboxes", "")["inbox"].(object)
		id := opened["id"].(string)
		other.into(t, "POST", "/connections", `{"id":"theirs","type":"webhook","endpoint":"`+opened["address"].(string)+`"}`)
		if tested := other.into(t, "POST", "/connections/test?id=theirs", ""); tested["http_status"] != 404.0 {
			t.Errorf("another account's test: %v", tested)
		}
		for _, method := range []string{"GET", "DELETE"} {
			other.refused(t, method, "/inboxes/"+id, "", 404, "inbox_not_found", "Inbox "+id+" not found")
		}
		if answer := c.call(t, "POST", "/inboxes/"+id, `{"a":1}`); answer.Status != 405 {
			t.Errorf("posted to from outside: %d", answer.Status)
		}
		if read := c.into(t, "GET", "/inboxes/"+id, ""); len(read["letters"].([]any)) != 0 {
			t.Errorf("%v", read)
		}
		for _, call := range []string{"GET /inboxes", "POST /inboxes", "GET /inboxes/" + id, "DELETE /inboxes/" + id} {
			method, path, _ := strings.Cut(call, " ")
			if answer := c.as(t, key.Editor, nil).call(t, method, path, ""); answer.Status != 403 {
				t.Errorf("%s: %d %s", call, answer.Status, answer.Body)
			}
			(&client{installation: c.installation}).refused(t, method, path, "", 401, "api_key_missing", "Invalid or missing API key")
			c.refused(t, method, path+"?a=%zz", "", 400, "query_invalid", "")
		}
	}},
	{"deliveries-manager", func(t *testing.T, w *world) {
		c := w.plain.open(t, 0)
		for _, path := range []string{"/deliveries", "/deliveries/aaaaaaaaaaaaaaaa"} {
			if answer := c.as(t, key.Editor, nil).call(t, "GET", path, ""); answer.Status != 403 {
				t.Errorf("%s: %d %s", path, answer.Status, answer.Body)
			}
			(&client{installation: c.installation}).refused(t, "GET", path, "", 401, "api_key_missing", "Invalid or missing API key")
		}
	}},
	{"connections-deleted", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		c.saveHook(t, w, "mine", "/x", "")
		if got := c.into(t, "DELETE", "/connections?id=mine", ""); got["id"] != "mine" {
			t.Errorf("%v", got)
		}
		if list := c.into(t, "GET", "/connections", ""); list["count"] != 0.0 {
			t.Errorf("%v", list)
		}
		if got := delivered(t, c, 1, `{"id":"mine"}`)[0].(object); got["message"] != "Connection mine not found" {
			t.Errorf("%v", got)
		}
	}},
	{"connections-folder", func(t *testing.T, w *world) {
		c := w.plain.open(t, 0)
		c.into(t, "POST", "/connections", `{"id":"a","type":"folder","folder":"shared","remote-path":"tests","overwrite":"true"}`)
		c.into(t, "POST", "/connections", `{"id":"b","type":"folder","folder":"other"}`)
		if a := c.into(t, "GET", "/connections", "")["connections"].([]any)[0].(object); a["folder"] != "shared" || a["overwrite"] != true || a["remote-path"] != "tests" {
			t.Errorf("%v", a)
		}
		for id, want := range map[string]string{"a": "ok The connection works", "b": "error Not delivered to folder other: this server has no export folder of that name"} {
			got := c.into(t, "POST", "/connections/test?id="+id, "")
			if says := fmt.Sprint(got["status"], " ", got["message"]); !strings.HasPrefix(says, want) {
				t.Errorf("%s: %s", id, says)
			}
		}
		if left, err := os.ReadDir(filepath.Join(w.shared, "tests")); err != nil || len(left) > 0 {
			t.Errorf("a test leaves %v, %v", left, err)
		}
		for _, bad := range []string{`"folder":"/etc"`, `"folder":".."`, `"folder":"shared","file":"../x"`, `"folder":"shared","remote-path":"/etc"`, `"folder":"shared","overwrite":"perhaps"`} {
			answer := c.call(t, "POST", "/connections", `{"id":"bad","type":"folder",`+bad+`}`)
			if answer.Status != 400 || !strings.Contains(string(answer.Body), `"code":"setting_invalid"`) {
				t.Errorf("%s: %d %s", bad, answer.Status, answer.Body)
			}
		}
	}},
	{"delivery-folder", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		to := func(more string) string {
			return `{"type":"folder","folder":"shared","remote-path":"` + c.account + `",` + more + `}`
		}
		project := c.submit(t, short(`,"exports":[{"destinations":[`+strings.Join([]string{to(`"file":"a.mp4"`), to(`"file":"a.mp4","overwrite":true`), to(`"file":"../b.mp4"`)}, ",")+`]}]`))
		for i, want := range []string{"ok", "ok", "error"} {
			if r := results(t, c, project, 3)[i].(object); r["status"] != want {
				t.Errorf("%v", r)
			}
		}
		if err := os.WriteFile(filepath.Join(w.shared, c.account, "a.mp4"), []byte("another"), 0o644); err != nil {
			t.Fatal(err)
		}
		project = c.submit(t, short(`,"exports":[{"destinations":[`+to(`"file":"a.mp4"`)+`]}]`))
		if r := results(t, c, project, 1)[0].(object); r["status"] != "error" || !strings.Contains(r["message"].(string), "a file of that name is there") {
			t.Errorf("%v", r)
		}
	}},
	{"connections-clouds", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		key := `{\"type\":\"service_account\",\"client_email\":\"a@b.example\",\"private_key\":\"canary\"}`
		c.into(t, "POST", "/connections", `{"id":"g","type":"gcs","bucket":"our-movies","credentials":"`+key+`"}`)
		c.into(t, "POST", "/connections", `{"id":"z","type":"azure-blob","account":"acme1","container":"box","account-key":"Y2FuYXJ5Y2FuYXJ5Y2FuYXJ5",`+
			`"endpoint":"http://127.0.0.1:1"}`)
		for _, path := range []string{"/connections", "/connections/test?id=g", "/connections/test?id=z"} {
			method, says := "POST", `"status":"error"`
			if path == "/connections" {
				method, says = "GET", `"***"`
			}
			body := string(c.call(t, method, path, "").Body)
			if !strings.Contains(body, says) || strings.Contains(body, "canary") || strings.Contains(body, "Y2FuYXJ5") {
				t.Errorf("%s: %s", path, body)
			}
		}
		for kind, id := range map[string]string{"gcs": "g", "azure-blob": "z"} {
			project := c.submit(t, short(`,"exports":[{"destinations":[{"type":"`+kind+`"},{"type":"`+kind+`","id":"`+id+`","bucket":"other"}]}]`))
			for i, says := range []string{"needs the id of a saved connection", "remove bucket"} {
				if r := results(t, c, project, 2)[i].(object); r["status"] != "error" || !strings.Contains(r["message"].(string), says) {
					t.Errorf("%s: %v", kind, r)
				}
			}
		}
	}},
	{"delivery-aws-s3-fields", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		c.into(t, "POST", "/connections", `{"id":"b","type":"aws-s3","bucket":"b","region":"eu-west-1","access-key-id":"k","secret-access-key":"s"}`)
		project := c.submit(t, short(`,"exports":[{"destinations":[{"type":"aws-s3"},{"type":"aws-s3","id":"b","bucket":"other"}]}]`))
		for i, says := range []string{"needs the id of a saved connection", "remove bucket"} {
			if r := results(t, c, project, 2)[i].(object); r["status"] != "error" || !strings.Contains(r["message"].(string), says) {
				t.Errorf("%v", r)
			}
		}
	}},
	{"delivery-no-video", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		got := delivered(t, c, 4, `{"type":"aws-s3","id":"b"}`, `{"type":"ftp","host":"a"}`, `{"type":"sftp"}`, `{"type":"email","to":"a@b.c"}`)
		for _, result := range got {
			if r := result.(object); r["status"] != "skipped" || r["message"] != "No video was produced" {
				t.Errorf("%v", r)
			}
		}
	}},
	{"delivery-inline-passwords", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		project := c.submit(t, quick(`,"exports":[{"destinations":[{"type":"ftp","host":"a.example","username":"u","password":"hush"}]}]`))
		for _, path := range []string{"/movies?project=" + project, "/movies"} {
			if answer := c.call(t, "GET", path, ""); strings.Contains(string(answer.Body), "hush") || !strings.Contains(string(answer.Body), `"password":"***"`) {
				t.Errorf("%s: %s", path, answer.Body)
			}
		}
	}},
	{"delivery-template-passwords", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		template, _ := c.into(t, "POST", "/templates", `{"name":"T","movie":`+quick(`,"exports":[{"destinations":[{"type":"ftp","host":"a.example",
			"username":"u","password":"{{pass}}"}]}]`)+`}`)["templateId"].(string)
		project := c.submit(t, `{"template":"`+template+`","variables":{"pass":"hush"}}`)
		for _, path := range []string{"/movies?project=" + project, "/movies"} {
			if answer := c.call(t, "GET", path, ""); strings.Contains(string(answer.Body), "hush") || !strings.Contains(string(answer.Body), `"pass":"***"`) {
				t.Errorf("%s: %s", path, answer.Body)
			}
		}
	}},
	{"delivery-template-secret-used", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		template, _ := c.into(t, "POST", "/templates", `{"name":"T","movie":`+quick(`,"variables":{"pass":"hush"},"exports":[{"destinations":[
			{"type":"ftp","host":"a.example","username":"u","password":"{{pass}}"}]}]`)+`}`)["templateId"].(string)
		for _, path := range []string{"/movies", "/movies/still"} {
			answer := c.call(t, "POST", path, `{"template":"`+template+`","width":"{{pass}}"}`)
			if answer.Status != 400 || !strings.Contains(string(answer.Body), `"template_secret_used"`) || strings.Contains(string(answer.Body), "hush") {
				t.Errorf("%s: %d %s", path, answer.Status, answer.Body)
			}
		}
	}},
}
