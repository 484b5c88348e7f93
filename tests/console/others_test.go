package console_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"moviola/tests/harness"
)

// bravo stands in every text of the account that somebody else looks into.
const bravo = "bravos-own-text"

// must does a call that has to succeed, and returns its answer.
func must(t *testing.T, c *harness.Client, method, path string, body any) map[string]any {
	t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	answer := c.Send(method, "/v2"+path, raw, http.Header{"X-Api-Key": {c.Key}, "Content-Type": {"application/json"}})
	if answer.Status != http.StatusOK {
		t.Fatalf("%s %s: %d %s", method, path, answer.Status, answer.Body)
	}
	got := map[string]any{}
	answer.Into(t, &got)
	return got
}

// belongings are what an account has, by the names that its pages are found by.
type belongings struct{ project, template, batch, folder, file, connection, key, inbox string }

// furnish gives an account one of everything, with a text of its own in each.
func furnish(t *testing.T, c *harness.Client, text string) belongings {
	t.Helper()
	own := belongings{folder: text, file: text + ".txt", connection: text, template: template(t, c, text)}
	must(t, c, http.MethodPost, "/connections", map[string]any{"id": text, "type": "webhook", "endpoint": "https://hook.invalid/" + text})
	own.project = must(t, c, http.MethodPost, "/movies", map[string]any{
		"id": text, "width": 64, "height": 64, "client-data": map[string]any{"text": text}, "scenes": []any{map[string]any{"duration": 1, "comment": text}},
		"exports": []any{map[string]any{"destinations": []any{map[string]any{"id": text}}}},
	})["project"].(string)
	own.batch = must(t, c, http.MethodPost, "/batches", map[string]any{"template": own.template, "rows": []any{map[string]any{"headline": text}}})["batch"].(string)
	must(t, c, http.MethodPost, "/media/folder", map[string]any{"folder": own.folder})
	given := must(t, c, http.MethodPost, "/media/file", map[string]any{"name": own.file, "folder": own.folder, "contentType": "text/plain", "size": len(text)})
	address := given["uploadUrl"].(string)
	if answer := c.Send(http.MethodPut, address[strings.Index(address, "/v2/"):], []byte(text), http.Header{"Content-Type": {"text/plain"}}); answer.Status != http.StatusOK {
		t.Fatalf("upload: %d %s", answer.Status, answer.Body)
	}
	own.key = must(t, c, http.MethodPost, "/keys", map[string]any{"name": text, "role": "viewer"})["id"].(string)
	own.inbox = must(t, c, http.MethodPost, "/inboxes", nil)["inbox"].(map[string]any)["id"].(string)
	c.WaitFor(own.project, "done")
	listed(t, c, own.project)
	return own
}

// listed waits until the log of deliveries has a movie: its page asks for the log only once.
func listed(t *testing.T, c *harness.Client, project string) {
	t.Helper()
	harness.Eventually(t, "the delivery is listed", func() bool {
		return strings.Contains(string(c.Do(http.MethodGet, "/deliveries", nil).Body), project)
	})
}

// called is what a script of the page is answered by the interface.
func (b *browser) called(method, path string, body any) (status int, answer string) {
	b.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		b.t.Fatal(err)
	}
	content := ""
	if body != nil {
		content = ", body: " + quoted(string(raw))
	}
	var got struct {
		Status int
		Body   string
	}
	b.do(method+" "+path, chromedp.Evaluate(`fetch("/console/api/v2`+path+`", { method: "`+method+`", headers: { "X-Moviola-Console": "1", "Content-Type": "application/json" }`+content+` })
		.then(async (r) => ({ status: r.status, body: await r.text() }))`, &got, await))
	return got.Status, got.Body
}

// TestOthers: what belongs to another account is not found by its address, on no page and by no call, as if it did not exist.
func TestOthers(t *testing.T) {
	t.Parallel()
	s := newService(t)
	other := s.NewAccount("Bravo", 100)
	theirs := furnish(t, other, bravo)
	b := visit(t, s.NewAccount("Alpha", 100))
	nowhere := belongings{
		project: "AAAAAAAAAAAAAAAA", template: strings.Repeat("C", len(theirs.template)), batch: strings.Repeat("B", len(theirs.batch)), folder: "nowhere", file: "nowhere.txt", connection: "nowhere",
		key: strings.Repeat("a", len(theirs.key)), inbox: strings.Repeat("a", len(theirs.inbox)),
	}
	calls := []struct {
		name, method string
		path         func(of belongings) string
		body         func(of belongings) any
	}{
		{name: "movie", method: "GET", path: func(of belongings) string { return "/movies?project=" + of.project }},
		{name: "events", method: "GET", path: func(of belongings) string { return "/movies/events?project=" + of.project }},
		{name: "progress", method: "GET", path: func(of belongings) string { return "/movies/progress?project=" + of.project }},
		{name: "cancel", method: "POST", path: func(of belongings) string { return "/movies/cancel?project=" + of.project }},
		{name: "redeliver", method: "POST", path: func(of belongings) string { return "/movies/redeliver?project=" + of.project }},
		{name: "delete the file", method: "DELETE", path: func(of belongings) string { return "/movies?project=" + of.project }},
		{name: "deliveries", method: "GET", path: func(of belongings) string { return "/deliveries/" + of.project }},
		{name: "template", method: "GET", path: func(of belongings) string { return "/templates?id=" + of.template }},
		{name: "delete the template", method: "DELETE", path: func(of belongings) string { return "/templates?id=" + of.template }},
		{name: "draw the template", method: "POST", path: func(belongings) string { return "/movies/still?time=0" }, body: func(of belongings) any { return map[string]any{"template": of.template} }},
		{name: "batch", method: "GET", path: func(of belongings) string { return "/batches/" + of.batch }},
		{name: "results", method: "GET", path: func(of belongings) string { return "/batches/" + of.batch + "/results.csv" }},
		{name: "cancel the batch", method: "POST", path: func(of belongings) string { return "/batches/cancel?id=" + of.batch }},
		{name: "folder", method: "GET", path: func(of belongings) string { return "/media?path=" + of.folder }},
		{name: "file", method: "GET", path: func(of belongings) string { return "/media/file?path=" + of.folder + "/" + of.file }},
		{name: "delete the media file", method: "DELETE", path: func(of belongings) string { return "/media/file?name=" + of.file + "&folder=" + of.folder }},
		{name: "test the connection", method: "POST", path: func(of belongings) string { return "/connections/test?id=" + of.connection }},
		{name: "delete the connection", method: "DELETE", path: func(of belongings) string { return "/connections?id=" + of.connection }},
		{name: "revoke the key", method: "DELETE", path: func(of belongings) string { return "/keys?id=" + of.key }},
		{name: "inbox", method: "GET", path: func(of belongings) string { return "/inboxes/" + of.inbox }},
		{name: "delete the inbox", method: "DELETE", path: func(of belongings) string { return "/inboxes/" + of.inbox }},
	}
	for _, call := range calls {
		ask := func(of belongings) (int, string) {
			var body any
			if call.body != nil {
				body = call.body(of)
			}
			status, answer := b.called(call.method, call.path(of), body)
			return status, strings.NewReplacer(of.project, "P", of.template, "T", of.batch, "B", of.file, "F", of.folder, "D", of.key, "K", of.inbox, "I").Replace(answer)
		}
		status, answer := ask(theirs)
		if wantStatus, want := ask(nowhere); status != wantStatus || answer != want {
			t.Errorf("%s: another's is answered %d %s, what does not exist %d %s", call.name, status, answer, wantStatus, want)
		}
		if strings.Contains(answer, bravo) || strings.Contains(answer, "Bravo") {
			t.Errorf("%s: %s", call.name, answer)
		}
	}
	pages := []struct{ name, path, shown string }{
		{"movie", "/movies/" + theirs.project, "document.querySelector('.failure')?.innerText.includes('not found')"},
		{"movie to write anew", "/write?movie=" + theirs.project, "document.querySelector('.failure')?.innerText.includes('not found')"},
		{"movie in the list", "/movies?project=" + theirs.project, "document.querySelector('.empty')?.innerText.includes('No movie fits')"},
		{"movies of the template", "/movies?template=" + theirs.template, "document.querySelector('.empty, .failure')"},
		{"template", "/templates/" + theirs.template, "document.querySelector('.failure')?.innerText.includes('not found')"},
		{"batch", "/batches/" + theirs.batch, "document.querySelector('.failure')?.innerText.includes('not found')"},
		{"new batch", "/batches/new?template=" + theirs.template, "document.querySelector('input[type=file]')"},
		{"folder", "/media?path=" + theirs.folder, "document.querySelector('.empty, .failure')"},
		{"files", "/media", "document.querySelector('.folder, .empty')"},
		{"connections", "/connections", "document.querySelector('.empty')?.innerText.includes('No connections yet')"},
		{"deliveries", "/deliveries", "document.querySelector('.empty')?.innerText.includes('No deliveries yet')"},
		{"test addresses", "/inboxes", "document.querySelector('.empty')?.innerText.includes('No test address is open')"},
		{"keys", "/keys", "document.querySelector('.rows')"},
	}
	for _, page := range pages {
		b.goTo(page.path)
		b.until(page.name+" tells that there is nothing", page.shown)
		var text string
		// What the page was asked for stands in its address: only what it shows beside that counts.
		b.ask("document.body.innerText + [...document.querySelectorAll('video, img')].map((e) => e.src)", &text)
		if page.name != "folder" && strings.Contains(text, bravo) || strings.Contains(text, "Bravo") {
			t.Errorf("%s shows: %s", page.name, text)
		}
	}
	if now := other.Get(theirs.project).Movie; now.URL == nil {
		t.Error("the file of another account's movie was deleted")
	}
	for _, path := range []string{"/templates?id=" + theirs.template, "/batches/" + theirs.batch, "/media/file?path=" + theirs.folder + "/" + theirs.file, "/inboxes/" + theirs.inbox} {
		must(t, other, http.MethodGet, path, nil)
	}
}
