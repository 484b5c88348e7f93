package api_test

import (
	"compress/gzip"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"moviola/commands/accounts"
	"moviola/domain/key"
	"moviola/domain/operator"
	"moviola/tests/harness"
)

// unknown is a project that does not exist.
const unknown = "Unknown000000000"

var stamps = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)

// answerRows: what holds for every answer.
var answerRows = []row{
	{"answers-error-body", func(t *testing.T, w *world) {
		w.plain.open(t, 0).refused(t, "GET", "/movies?limit=x", "", 400, "limit_invalid", "Invalid limit")
	}},
	{"answers-one-piece", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		for range 30 {
			c.submit(t, quick(`,"comment":"`+strings.Repeat("x", 500)+`"`))
		}
		for _, encoding := range []string{"identity", "gzip"} {
			r, err := http.NewRequestWithContext(t.Context(), "GET", c.base+"/v2/movies", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("X-Api-Key", c.key)
			r.Header.Set("Accept-Encoding", encoding)
			response, err := (&http.Transport{DisableCompression: true, DisableKeepAlives: true}).RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(response.Body)
			response.Body.Close()
			if err != nil || response.Header.Get("Content-Length") != strconv.Itoa(len(body)) || len(response.TransferEncoding) > 0 {
				t.Errorf("%s: %d bytes, length %s, %v, %v", encoding, len(body), response.Header.Get("Content-Length"), response.TransferEncoding, err)
			}
			if packed := response.Header.Get("Content-Encoding") == "gzip"; packed != (encoding == "gzip") {
				t.Errorf("%s: packed %v", encoding, packed)
			} else if packed {
				unpacker, err := gzip.NewReader(strings.NewReader(string(body)))
				if err != nil {
					t.Fatal(err)
				}
				if body, err = io.ReadAll(unpacker); err != nil {
					t.Fatal(err)
				}
			}
			if !strings.HasPrefix(string(body), `{"success":true,`) || len(body) < 10_000 {
				t.Errorf("%s: %d bytes: %.80s", encoding, len(body), body)
			}
		}
	}},
	{"answers-timestamps", func(t *testing.T, w *world) {
		answer := w.plain.open(t, 0).into(t, "GET", "/movies", "")
		for _, name := range []string{"from", "to", "timestamp"} {
			if text, _ := answer[name].(string); !stamps.MatchString(text) {
				t.Errorf("%s is %v", name, answer[name])
			}
		}
	}},
	{"answers-request-id", func(t *testing.T, w *world) {
		c := w.plain.open(t, 0)
		if id := c.call(t, "GET", "/movies", "", "X-Request-Id", "my-own.id_1").Header.Get("X-Request-Id"); id != "my-own.id_1" {
			t.Errorf("the client's id came back as %q", id)
		}
		for _, path := range []string{"/movies", "/nowhere"} {
			if id := c.call(t, "PATCH", path, "", "X-Request-Id", "not/mine").Header.Get("X-Request-Id"); len(id) != 32 {
				t.Errorf("%s: id %q", path, id)
			}
		}
	}},
	{"answers-protocol-errors", func(t *testing.T, w *world) {
		for request, want := range map[string][2]string{
			"GET /v2/movies HTTP/1.1\r\n\r\n": {"400", "request_malformed"}, "nonsense\r\n\r\n": {"400", "request_malformed"},
			"GET / HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("x", 80<<10) + "\r\n\r\n": {"431", "headers_too_large"},
			"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n":               {"501", "transfer_encoding_unknown"},
			"GET / HTTP/3.7\r\nHost: a\r\n\r\n":                                           {"505", "http_version_unknown"},
		} {
			answer := w.plain.raw(t, request)
			if !strings.HasPrefix(answer, "HTTP/1.1 "+want[0]+" ") || !strings.Contains(answer, `"success":false`) || !strings.Contains(answer, `"code":"`+want[1]+`"`) {
				t.Errorf("%.40q: %s", request, answer)
			}
		}
	}},
	{"answers-key-missing", func(t *testing.T, w *world) {
		c := &client{installation: w.plain}
		for _, r := range []string{"GET /movies", "POST /movies", "POST /movies/validate", "POST /movies/still", "POST /movies/cancel", "GET /movies/events", "GET /movies/progress", "POST /movies/redeliver"} {
			method, path, _ := strings.Cut(r, " ")
			c.refused(t, method, path, "", 401, "api_key_missing", "Invalid or missing API key")
		}
	}},
	{"answers-key-invalid", func(t *testing.T, w *world) {
		soon := time.Now().Add(300 * time.Millisecond).UTC()
		expiring := w.plain.open(t, 0).as(t, key.Admin, &soon)
		harness.Eventually(t, "the key has expired", func() bool {
			refused := expiring.call(t, "GET", "/movies", "").Status == 401
			return refused && time.Now().After(soon) // and not because it is not known yet
		})
		for _, value := range []string{"garbage", "mv_" + strings.Repeat("0", 46), expiring.key} {
			c := &client{installation: w.plain, key: value}
			c.refused(t, "GET", "/movies", "", 401, "api_key_invalid", "Invalid or missing API key")
			c.refused(t, "POST", "/movies", short(""), 401, "api_key_invalid", "Invalid or missing API key")
		}
	}},
	{"answers-key-header-only", func(t *testing.T, w *world) {
		real := w.plain.open(t, 0)
		c := &client{installation: w.plain}
		c.refused(t, "GET", "/movies?x-api-key="+real.key+"&api_key="+real.key, "", 401, "api_key_missing", "Invalid or missing API key", "Authorization", "Bearer "+real.key)
	}},
	{"answers-order-of-checks", func(t *testing.T, w *world) {
		nobody := &client{installation: w.plain}
		nobody.refused(t, "POST", "/nowhere", "{", 404, "not_found", "Not found")
		nobody.refused(t, "PUT", "/movies", "{", 405, "method_not_supported", "Method not supported")
		nobody.refused(t, "POST", "/movies", "{", 401, "api_key_missing", "")
		c := w.plain.open(t, 0)
		c.as(t, key.Viewer, nil).refused(t, "POST", "/movies", "{", 403, "insufficient_permissions", "")
		c.refused(t, "POST", "/movies", strings.Repeat("x", 2<<20+1), 401, "not_enough_credits", "")
		c.grant(t, 10)
		c.refused(t, "POST", "/movies", strings.Repeat("x", 2<<20+1), 413, "movie_json_too_large", "")
		c.refused(t, "POST", "/movies", "{", 400, "movie_json_invalid", "")
	}},
	{"answers-unknown-path", func(t *testing.T, w *world) {
		c := w.plain.open(t, 0)
		for _, path := range []string{"/film", "/film/", "//film", "/movies/../movies", "/movies/unknown"} {
			c.refused(t, "GET", path, "", 404, "not_found", "Not found")
		}
	}},
	{"answers-wrong-method", func(t *testing.T, w *world) {
		c := w.plain.open(t, 0)
		c.refused(t, "PUT", "/movies", "", 405, "method_not_supported", "Method not supported")
		if allow := c.call(t, "PATCH", "/movies", "").Header.Get("Allow"); allow != "DELETE, GET, HEAD, POST" {
			t.Errorf("Allow is %q", allow)
		}
		c.refused(t, "GET", "/movies/validate", "", 405, "method_not_supported", "Method not supported")
	}},
	{"answers-cors", func(t *testing.T, w *world) {
		c := &client{installation: w.plain}
		answer := c.call(t, "OPTIONS", "/movies", "", "Origin", origin, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "x-api-key")
		h := answer.Header
		if answer.Status != 204 || h.Get("Access-Control-Allow-Origin") != origin || !strings.Contains(h.Get("Access-Control-Allow-Methods"), "POST") ||
			!strings.Contains(strings.ToLower(h.Get("Access-Control-Allow-Headers")), "x-api-key") {
			t.Errorf("preflight: %d %v", answer.Status, h)
		}
		if got := c.call(t, "GET", "/movies", "", "Origin", origin).Header.Get("Access-Control-Allow-Origin"); got != origin {
			t.Errorf("an answer is readable by %q", got)
		}
		if got := c.call(t, "OPTIONS", "/movies", "", "Origin", "https://evil.example").Header.Get("Access-Control-Allow-Origin"); got != "" {
			t.Errorf("a stranger may read: %q", got)
		}
	}},
	{"answers-head", func(t *testing.T, w *world) {
		c := w.plain.open(t, 0)
		get, head := c.call(t, "GET", "/movies", ""), c.call(t, "HEAD", "/movies", "")
		if head.Status != 200 || len(head.Body) != 0 || head.Header.Get("Content-Length") != get.Header.Get("Content-Length") {
			t.Errorf("HEAD: %d, %d bytes, length %s of %s", head.Status, len(head.Body), head.Header.Get("Content-Length"), get.Header.Get("Content-Length"))
		}
	}},
	{"answers-foreign-like-unknown", func(t *testing.T, w *world) {
		a, b := w.plain.open(t, 600), w.plain.open(t, 600)
		project := a.submit(t, quick(""))
		requests := []string{"GET /movies?project=", "DELETE /movies?project=", "POST /movies/cancel?project=", "GET /movies/events?project=", "GET /movies/progress?project=", "POST /movies/redeliver?project="}
		for _, r := range requests {
			method, path, _ := strings.Cut(r, " ")
			foreign, none := b.call(t, method, path+project, ""), b.call(t, method, path+unknown, "")
			if foreign.Status != none.Status || strings.ReplaceAll(string(foreign.Body), project, unknown) != string(none.Body) {
				t.Errorf("%s: foreign %d %s, unknown %d %s", r, foreign.Status, foreign.Body, none.Status, none.Body)
			}
		}
	}},
	{"answers-other-characters-unknown", func(t *testing.T, w *world) {
		w.plain.open(t, 0).refused(t, "GET", "/movies?project=%C3%A4%C3%B6%C3%BC-----%20%27%22%2F..%00x", "", 404, "movie_not_found", "")
	}},
	{"answers-code-points", func(t *testing.T, w *world) {
		w.plain.open(t, 0).refused(t, "GET", "/movies?project="+strings.Repeat("%F0%9F%8E%AC", 8), "", 400, "project_invalid",
			"Project ID must be a 16-character string. Received ID: "+strings.Repeat("🎬", 8)+" (length: 8)")
	}},
	{"answers-empty-not-set", func(t *testing.T, w *world) {
		got := w.plain.open(t, 0).into(t, "GET", "/movies?project=&id=&from=&to=&limit=&next_token=&format=&account=", "")
		if got["limit"] != 100.0 {
			t.Errorf("%v", got)
		}
	}},
	{"answers-public-url", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		movie := c.until(t, c.submit(t, short("")), "done")
		for _, name := range []string{"url", "thumbnail"} {
			if address, _ := movie[name].(string); !strings.HasPrefix(address, publicURL+"/v2/renders/") {
				t.Errorf("%s is %v", name, movie[name])
			}
		}
		answer := c.call(t, "GET", "/movies", "", "X-Forwarded-Host", "evil.example", "X-Forwarded-Proto", "https", "Forwarded", "host=evil.example")
		if strings.Contains(string(answer.Body), "evil.example") {
			t.Errorf("a header of the client's got into an address: %s", answer.Body)
		}
	}},
	{"answers-no-rate-limit", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		project := c.submit(t, quick(""))
		for range 200 {
			if answer := c.call(t, "GET", "/movies?project="+project, ""); answer.Status != 200 {
				t.Fatalf("%d %s", answer.Status, answer.Body)
			}
		}
	}},
	{"answers-nosniff", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		movie := c.until(t, c.submit(t, short("")), "done")
		path := strings.TrimPrefix(movie["url"].(string), publicURL)
		answer := c.send(t, "GET", path, "", "Accept-Encoding", "gzip")
		h := answer.Header
		if answer.Status != 200 || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Content-Encoding") != "" || h.Get("Content-Type") != "video/mp4" || h.Get("ETag") == "" {
			t.Errorf("%d %v", answer.Status, h)
		}
		if again := c.send(t, "GET", path, "", "If-None-Match", h.Get("ETag")); again.Status != 304 {
			t.Errorf("a second request: %d", again.Status)
		}
		part := c.send(t, "GET", path, "", "Range", "bytes=4-7")
		if part.Status != 206 || string(part.Body) != "ftyp" {
			t.Errorf("a part: %d %q", part.Status, part.Body)
		}
		if beyond := c.send(t, "GET", path, "", "Range", "bytes=999999999-"); beyond.Status != 416 {
			t.Errorf("beyond the end: %d", beyond.Status)
		}
	}},
	{"answers-outputs", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		movie := c.until(t, c.submit(t, short(`,"exports":[{"format":["png","nothing"]}]`)), "done")
		outputs, _ := movie["outputs"].([]any)
		if len(outputs) != 2 || outputs[1].(object)["status"] != "error" || outputs[1].(object)["url"] != nil {
			t.Fatalf("outputs: %v", movie["outputs"])
		}
		path := strings.TrimPrefix(outputs[0].(object)["url"].(string), publicURL)
		whole := c.send(t, "GET", path, "")
		if whole.Status != 200 || whole.Header.Get("Content-Type") != "image/png" || whole.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%d %v", whole.Status, whole.Header)
		}
		if part := c.send(t, "GET", path, "", "Range", "bytes=1-3"); part.Status != 206 || string(part.Body) != "PNG" {
			t.Errorf("a part: %d %q", part.Status, part.Body)
		}
		for want, got := range map[int]int{
			304: c.send(t, "GET", path, "", "If-None-Match", whole.Header.Get("ETag")).Status,
			416: c.send(t, "GET", path, "", "Range", "bytes=999999999-").Status,
			404: c.send(t, "GET", strings.Replace(path, "still.png", "movie.gif", 1), "").Status,
		} {
			if got != want {
				t.Errorf("%d, want %d", got, want)
			}
		}
	}},
	{"answers-description", func(t *testing.T, w *world) {
		got := (&client{installation: w.plain}).into(t, "GET", "/openapi.json", "")
		if version := got["info"].(object)["version"]; version != "2.0.0" || !strings.HasPrefix(fmt.Sprint(got["openapi"]), "3.1") {
			t.Errorf("version %v, OpenAPI %v", version, got["openapi"])
		}
		page := w.plain.send(t, "GET", "/docs", "")
		if page.Status != 200 || !strings.Contains(string(page.Body), "/docs/viewer.js") {
			t.Errorf("the page: %d, %d bytes", page.Status, len(page.Body))
		}
		for _, part := range []string{"viewer.js", "movie", "07-zoom.jpg"} {
			if got := w.plain.send(t, "GET", "/docs/"+part, ""); got.Status != 200 || len(got.Body) < 1000 {
				t.Errorf("%s: %d, %d bytes", part, got.Status, len(got.Body))
			}
		}
		if got := w.plain.send(t, "GET", "/docs/nothing", ""); got.Status != 404 {
			t.Errorf("no part of the documentation: %d", got.Status)
		}
		schema := (&client{installation: w.plain}).into(t, "GET", "/movie.schema.json", "")
		if schema["$schema"] != "https://json-schema.org/draft/2020-12/schema" {
			t.Errorf("the schema of movies: %v", schema["$schema"])
		}
		for path, words := range map[string]string{"/llms.txt": "/v2/llms-full.txt", "/v2/llms-full.txt": "Element component"} {
			if got := w.plain.send(t, "GET", path, ""); got.Status != 200 || !strings.Contains(string(got.Body), words) {
				t.Errorf("%s: %d, %d bytes", path, got.Status, len(got.Body))
			}
		}
		if got := w.plain.send(t, "GET", "/", ""); got.Status != 404 {
			t.Errorf("the root for a program: %d", got.Status)
		}
	}},
	{"answers-deprecation", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		with := c.call(t, "POST", "/movies", `{"scenes":[{"elements":[{"type":"template"}]}]}`)
		if with.Status != 200 || with.Header.Get("Deprecation") == "" {
			t.Errorf("%d, Deprecation %q", with.Status, with.Header.Get("Deprecation"))
		}
		if without := c.call(t, "POST", "/movies", short("")); without.Header.Get("Deprecation") != "" {
			t.Error("a movie without deprecated features is marked")
		}
	}},
}

// raw sends bytes on a connection of its own and returns all that is answered.
func (i *installation) raw(t *testing.T, request string) string {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(i.base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(time.Now().Add(harness.Patience)); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(conn, request) // the server may stop reading
	answer, err := io.ReadAll(conn)
	if err != nil && len(answer) == 0 {
		t.Fatal(err)
	}
	return string(answer)
}

// roleRows: what each role may do.
var roleRows = []row{
	{"roles-viewer", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		project, viewer := c.until(t, c.submit(t, short("")), "done")["project"].(string), c.as(t, key.Viewer, nil)
		for _, path := range []string{"/movies", "/movies?project=" + project, "/movies/events?project=" + project, "/movies/progress?project=" + project} {
			if answer := viewer.call(t, "GET", path, ""); answer.Status != 200 {
				t.Errorf("%s: %d", path, answer.Status)
			}
		}
		for _, path := range []string{"/movies", "/movies/validate", "/movies/still", "/movies/cancel?project=" + project, "/movies/redeliver?project=" + project} {
			viewer.refused(t, "POST", path, short(""), 403, "insufficient_permissions", "Insufficient permissions")
		}
	}},
	{"roles-render-and-above", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		for _, role := range []key.Role{key.Render, key.Editor, key.Manager, key.Admin} {
			other := c.as(t, role, nil)
			project := other.submit(t, short(""))
			other.until(t, project, "done")
			if answer := other.call(t, "DELETE", "/movies?project="+project, ""); answer.Status != 200 {
				t.Errorf("%s: DELETE %d %s", role, answer.Status, answer.Body)
			}
			if answer := other.call(t, "POST", "/movies/validate", short("")); answer.Status != 200 {
				t.Errorf("%s: validate %d", role, answer.Status)
			}
		}
	}},
	{"roles-account-read-only", func(t *testing.T, w *world) {
		c, other := w.plain.open(t, 600), w.plain.open(t, 600)
		project := c.submit(t, quick(""))
		for method, path := range map[string]string{"POST": "/movies?account=", "DELETE": "/movies?project=" + project + "&account="} {
			other.refused(t, method, path+c.account, quick(""), 403, "token_invalid", "Invalid token")
			other.refused(t, method, path+c.account, quick(""), 403, "token_invalid", "Invalid token", "X-Admin-Token", "guess")
			other.refused(t, method, path+c.account, quick(""), 400, "account_read_only", "account is for reading only.", "X-Admin-Token", harness.AdminToken)
		}
	}},
	{"roles-operator-parameter", func(t *testing.T, w *world) {
		c, other := w.plain.open(t, 600), w.plain.open(t, 0)
		project := c.submit(t, quick(""))
		path := "/movies?account=" + c.account
		other.refused(t, "GET", path, "", 403, "token_invalid", "Invalid token")
		other.refused(t, "GET", path, "", 403, "token_invalid", "Invalid token", "X-Admin-Token", "guess")
		answer := other.call(t, "GET", path+"&project="+project, "", "X-Admin-Token", harness.AdminToken)
		if answer.Status != 200 || !strings.Contains(string(answer.Body), project) {
			t.Errorf("%d %s", answer.Status, answer.Body)
		}
	}},
	{"roles-operator-refusals", func(t *testing.T, w *world) {
		for _, r := range []struct {
			path, body string
			status     int
		}{
			{"/admin/accounts", "", 400}, {"/admin/accounts", "[]", 400}, {"/admin/accounts", `{"name":"","plan":"paid"}`, 400}, {"/admin/accounts", `{"name":"a","plan":"gold"}`, 400},
			{"/admin/accounts", `{"name":"a","plan":"paid","credits":-1}`, 400}, {"/admin/accounts", strings.Repeat("x", 70_000), 413},
			{"/admin/credits", `{"account":"nobody0000000000","amount":1,"reference":"r"}`, 404}, {"/admin/credits", `{"account":"a","amount":0,"reference":"r"}`, 400},
			{"/admin/credits", strings.Repeat("x", 70_000), 413},
		} {
			if answer := w.plain.send(t, "POST", r.path, r.body, "X-Admin-Token", harness.AdminToken); answer.Status != r.status {
				t.Errorf("%s %.40s: %d %s", r.path, r.body, answer.Status, answer.Body)
			}
		}
	}},
	{"roles-operators", func(t *testing.T, w *world) {
		as := func(token, method, path, body string) harness.Answer {
			return w.plain.send(t, method, path, body, "X-Admin-Token", token, "X-Operator", "somebody else")
		}
		is := func(answer harness.Answer, status int, text string) {
			t.Helper()
			if answer.Status != status || !strings.Contains(string(answer.Body), text) {
				t.Errorf("%d %s, want %d %s", answer.Status, answer.Body, status, text)
			}
		}
		tokens := map[string]string{}
		for _, role := range []string{"observer", "operator", "owner"} {
			var added struct{ Token string }
			answer := as(harness.AdminToken, "POST", "/admin/operators", `{"name":"an.`+role+`","role":"`+role+`"}`)
			answer.Into(t, &added)
			if tokens[role] = added.Token; added.Token == "" {
				t.Fatalf("%d %s", answer.Status, answer.Body)
			}
		}
		list := as(tokens["observer"], "GET", "/admin/operators", "")
		is(list, 200, `"an.owner"`)
		if strings.Contains(string(list.Body), "mo_") || strings.Contains(string(list.Body), "hash") {
			t.Errorf("the list has tokens: %s", list.Body)
		}
		c := w.plain.open(t, 0)
		grant := func(reference string) string {
			return `{"account":"` + c.account + `","amount":1,"reference":"` + reference + `"}`
		}
		is(as(tokens["observer"], "POST", "/admin/credits", grant("r1")), 403, "operator_role")
		is(as(tokens["observer"], "DELETE", "/admin/accounts?account="+c.account, ""), 403, "operator_role")
		is(as(tokens["operator"], "POST", "/admin/credits", grant("r2")), 200, `"success":true`)
		is(as(tokens["operator"], "POST", "/admin/operators", `{"name":"x","role":"owner"}`), 403, "operator_role")
		is(as(tokens["operator"], "DELETE", "/admin/operators?name=an.owner", ""), 403, "operator_role")
		is(as(tokens["observer"], "GET", "/admin/acts?on="+c.account, ""), 200, `"who":"an.operator"`)
		is(as(tokens["owner"], "POST", "/admin/operators", `{"name":"an.owner","role":"owner"}`), 409, "operator_exists")
		is(as(tokens["owner"], "POST", "/admin/operators", `{"name":"<script>","role":"owner"}`), 400, "name_invalid")
		is(as(tokens["owner"], "POST", "/admin/operators", `{"name":"x","role":"root"}`), 400, "role_invalid")
		is(as(tokens["owner"], "POST", "/admin/operators", `{"name":"`+tokens["observer"]+`","role":"owner"}`), 400, "name_invalid")
		is(as(tokens["owner"], "DELETE", "/admin/operators?name="+tokens["observer"], ""), 400, "name_invalid")
		if acts := as(tokens["observer"], "GET", "/admin/acts", ""); strings.Contains(string(acts.Body), "mo_") {
			t.Errorf("the trail has a token: %s", acts.Body)
		}
		is(as(tokens["owner"], "POST", "/admin/operators", strings.Repeat("x", 70_000)), 413, "body_too_large")
		is(as(tokens["owner"], "DELETE", "/admin/operators", ""), 400, "name_missing")
		is(as(tokens["owner"], "DELETE", "/admin/operators?name=nobody", ""), 404, "operator_not_found")
		is(as(tokens["owner"], "GET", "/admin/operators?a=%zz", ""), 400, "query_invalid")
		var renewed struct{ Token, Role string }
		is(as(tokens["operator"], "POST", "/admin/operators/renew", `{"name":"an.operator"}`), 403, "operator_role")
		is(as(tokens["owner"], "POST", "/admin/operators/renew", `{"name":"nobody"}`), 404, "operator_not_found")
		is(as(tokens["owner"], "POST", "/admin/operators/renew", `{"name":"`+tokens["observer"]+`"}`), 400, "name_invalid")
		is(as(tokens["owner"], "POST", "/admin/operators/renew", strings.Repeat("x", 70_000)), 413, "body_too_large")
		as(tokens["owner"], "POST", "/admin/operators/renew", `{"name":"an.operator"}`).Into(t, &renewed)
		is(as(tokens["observer"], "GET", "/admin/plans", ""), 200, `"name"`)
		is(as(tokens["observer"], "GET", "/admin/plans?a=%zz", ""), 400, "query_invalid")
		is(as("guess", "GET", "/admin/plans", ""), 403, "token_invalid")
		if renewed.Token == tokens["operator"] || renewed.Role != "operator" {
			t.Errorf("renewed as %s", renewed.Role)
		}
		is(as(tokens["operator"], "GET", "/admin/operators", ""), 403, "token_invalid")
		is(as(renewed.Token, "GET", "/admin/operators", ""), 200, `"an.operator"`)
		is(as(tokens["observer"], "GET", "/admin/operators/sessions", ""), 200, `"sessions":[]`)
		is(as(tokens["observer"], "GET", "/admin/operators/sessions?a=%zz", ""), 400, "query_invalid")
		is(as("guess", "GET", "/admin/operators/sessions", ""), 403, "token_invalid")
		is(as(renewed.Token, "DELETE", "/admin/operators/sessions?id=00ff", ""), 403, "operator_role")
		is(as(tokens["owner"], "DELETE", "/admin/operators/sessions", ""), 400, "id_missing")
		is(as(tokens["owner"], "DELETE", "/admin/operators/sessions?id=00ff", ""), 404, "session_not_found")
		now := time.Now()
		signedIn := operator.SignedIn{Session: "00ff", By: "11ee", Role: operator.Owner, Issuer: "https://id.example", Subject: "s-1", Name: "oidc:anna", Began: now, Until: now.Add(time.Hour)}
		if err := accounts.NewOperators(w.plain.log, rand.Reader, time.Now).SignIn(t.Context(), accounts.SignIn{SignedIn: signedIn}); err != nil {
			t.Fatal(err)
		}
		is(as(tokens["observer"], "GET", "/admin/operators/sessions", ""), 200, `"subject":"s-1"`)
		is(as(tokens["owner"], "DELETE", "/admin/operators/sessions?id=00ff", ""), 200, `"id":"00ff"`)
		is(as(tokens["owner"], "DELETE", "/admin/operators/sessions?id=00ff", ""), 404, "session_not_found")
		is(as(tokens["observer"], "GET", "/admin/operators/sessions", ""), 200, `"sessions":[]`)
		is(as(tokens["owner"], "DELETE", "/admin/operators?name=an.operator", ""), 200, `"success":true`)
		is(as(renewed.Token, "GET", "/admin/operators", ""), 403, "token_invalid")
		is(as("guess", "GET", "/admin/operators", ""), 403, "token_invalid")
		is(as(harness.AdminToken, "DELETE", "/admin/operators?name=an.owner", ""), 200, `"success":true`)
	}},
	{"roles-operator-token", func(t *testing.T, w *world) {
		for _, path := range []string{"/admin/accounts", "/admin/credits"} {
			answer := w.plain.send(t, "POST", path, "{}", "X-Admin-Token", "guess")
			if answer.Status != 403 || !strings.Contains(string(answer.Body), `"Invalid token"`) {
				t.Errorf("%s: %d %s", path, answer.Status, answer.Body)
			}
		}
	}},
}
