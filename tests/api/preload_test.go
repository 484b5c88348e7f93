package api_test

import (
	"fmt"
	"strings"
	"testing"

	"moviola/domain/key"
	"moviola/tests/harness"
)

// prepare requests a batch and waits until it is done.
func (c *client) prepare(t *testing.T, items string) (id string, done map[string]object) {
	t.Helper()
	id, _ = c.into(t, "POST", "/preloads", `{"preload":[`+items+`]}`)["preload_id"].(string)
	if len(id) != 16 {
		t.Fatalf("preload_id %q", id)
	}
	var batch object
	harness.Eventually(t, "the batch is done", func() bool {
		batch = c.into(t, "GET", "/preloads/"+id, "")
		return batch["status"] == "done"
	})
	if batch["ended_at"] == nil || batch["created_at"] == nil {
		t.Errorf("%v", batch)
	}
	done = map[string]object{}
	for _, item := range batch["items"].([]any) {
		done[item.(object)["id"].(string)] = item.(object)
	}
	return id, done
}

// preloadRows: batches of assets.
var preloadRows = []row{
	{"preload-ready", func(t *testing.T, w *world) {
		c := w.plain.open(t, 10)
		id, done := c.prepare(t, fmt.Sprintf(`{"id":"pic","type":"image","src":"%s/a.png"},{"id":"say","type":"voice","text":"Hello","save-to-media":true},
			{"id":"page","type":"html","html":"<b>x</b>","width":120,"height":60},{"id":"none","type":"image"},{"id":"gone","type":"video","src":"%s/b.mp4"}`, w.web.base, w.web.base))
		pic, say, page := done["pic"], done["say"], done["page"]
		if pic["status"] != "ready" || pic["width"] != 64.0 || pic["persistent"] != false || pic["expires_at"] == nil || pic["webURL"] != nil {
			t.Errorf("%v", pic)
		}
		if answer := c.send(t, "HEAD", local(t, pic["url"]), ""); answer.Status != 200 || answer.Header.Get("Content-Type") != "image/png" {
			t.Errorf("the picture: %d %v", answer.Status, answer.Header)
		}
		cached := local(t, pic["url"])
		part, outside := c.send(t, "GET", cached, "", "Range", "bytes=0-3"), c.send(t, "GET", cached, "", "Range", "bytes=99999-")
		same := c.send(t, "GET", cached, "", "If-None-Match", part.Header.Get("ETag"))
		if part.Status != 206 || outside.Status != 416 || same.Status != 304 {
			t.Errorf("a part %d, outside %d, the same %d", part.Status, outside.Status, same.Status)
		}
		if say["persistent"] != true || say["expires_at"] != nil || !strings.HasSuffix(say["url"].(string), "/files/generated/"+id+"-say.wav") || say["duration"].(float64) <= 0 {
			t.Errorf("%v", say)
		}
		if names(c.into(t, "GET", "/media/folder?path=generated", "")) != id+"-say.wav" {
			t.Error("the voice is not in the library")
		}
		if page["status"] != "ready" || page["width"] != 120.0 || page["height"] != 60.0 {
			t.Errorf("%v", page)
		}
		for item, want := range map[string]string{"none": "requires a 'src'", "gone": "cannot be used as a source for a video"} {
			if got := done[item]; got["status"] != "error" || !strings.Contains(got["error"].(string), want) || got["url"] != nil {
				t.Errorf("%v", got)
			}
		}
		if left := c.left(t); left != 10 {
			t.Errorf("%v credits are left", left)
		}
	}},
	{"preload-refusals", func(t *testing.T, w *world) {
		c := w.plain.open(t, 10)
		item := `{"id":"%d","type":"image","src":"x"}`
		var eleven []string
		for n := range 11 {
			eleven = append(eleven, fmt.Sprintf(item, n))
		}
		for body, code := range map[string]string{
			``: "payload_missing", `x`: "payload_invalid", `null`: "payload_invalid", `[]`: "payload_invalid", `{}`: "preload_invalid",
			`{"preload":[],"x":1}`: "property_unknown", `{"preload":[]}`: "preload_count", `{"preload":[` + strings.Join(eleven, ",") + `]}`: "preload_count",
			`{"preload":{}}`: "preload_invalid", `{"preload":[1]}`: "preload_invalid", `{"preload":[{"type":"image"}]}`: "preload_id_missing",
			`{"preload":[{"id":7,"type":"image"}]}`: "preload_id_missing", `{"preload":[{"id":"a"}]}`: "preload_type_missing",
			`{"preload":[{"id":"a","type":"text"}]}`: "preload_type_invalid", `{"preload":[{"id":"a","type":"image"},{"id":"a","type":"audio"}]}`: "preload_id_duplicate",
			`{"preload":[{"id":"a","type":"image","save-to-media":7}]}`: "preload_invalid", `{"preload":[{"id":"` + strings.Repeat("a", 256) + `","type":"image"}]}`: "preload_id_invalid",
		} {
			c.refused(t, "POST", "/preloads", body, 400, code, "")
		}
		c.refused(t, "POST", "/preloads", strings.Repeat(" ", 2<<20+1), 413, "preload_too_large", "")
	}},
	{"preload-credits", func(t *testing.T, w *world) {
		c := w.plain.open(t, 9)
		prompt := `{"id":"a","type":"image","prompt":"a cat"}`
		c.refused(t, "POST", "/preloads", `{"preload":[`+prompt+`]}`, 402, "insufficient_asset_credits", "")
		c.grant(t, 1)
		_, done := c.prepare(t, prompt) // no provider: it fails, and costs nothing
		if done["a"]["status"] != "error" {
			t.Errorf("%v", done)
		}
		c.settled(t, 10)
	}},
	{"preload-blocked", func(t *testing.T, w *world) {
		c := w.plain.open(t, 0)
		_, done := c.prepare(t, fmt.Sprintf(`{"id":"pic","type":"image","src":"%s/a.png","save-to-media":true}`, w.web.base))
		pic := done["pic"]
		if pic["status"] != "ready" || pic["warning"] != "quota_blocked" || pic["persistent"] != false || pic["expires_at"] == nil {
			t.Errorf("%v", pic)
		}
		if answer := c.send(t, "HEAD", local(t, pic["url"]), ""); answer.Status != 200 {
			t.Errorf("%d", answer.Status)
		}
	}},
	{"preload-not-kept", func(t *testing.T, w *world) {
		c := w.plain.open(t, 1)
		id := strings.Repeat("x", 240) // generated/{preload_id}-{id}.png is longer than a name can be
		_, done := c.prepare(t, fmt.Sprintf(`{"id":"%s","type":"image","src":"%s/a.png","save-to-media":true}`, id, w.web.base))
		pic := done[id]
		if pic["status"] != "ready" || pic["warning"] != "persist_failed" || pic["persistent"] != false || pic["expires_at"] == nil {
			t.Errorf("%v", pic)
		}
		if answer := c.send(t, "HEAD", local(t, pic["url"]), ""); answer.Status != 200 {
			t.Errorf("%d", answer.Status)
		}
		if all := c.into(t, "GET", "/media/folder?tree=true", "")["tree"].([]any); len(all) != 2 {
			t.Errorf("something was kept: %v", all)
		}
	}},
	{"preload-expires", func(t *testing.T, w *world) {
		c := w.forgetful.open(t, 1)
		_, done := c.prepare(t, fmt.Sprintf(`{"id":"pic","type":"image","src":"%s/a.png"}`, w.web.base))
		path := local(t, done["pic"]["url"])
		harness.Eventually(t, "the asset has expired", func() bool {
			return c.send(t, "HEAD", path, "").Status == 404
		})
	}},
	{"preload-get", func(t *testing.T, w *world) {
		c := w.plain.open(t, 1)
		for _, id := range []string{"x", strings.Repeat("x", 17)} {
			c.refused(t, "GET", "/preloads/"+id, "", 400, "preload_id_malformed", "")
		}
		c.refused(t, "GET", "/preloads/xxxxxxxxxxxxxxxx", "", 404, "preload_not_found", "Preload xxxxxxxxxxxxxxxx not found")
		id, _ := c.prepare(t, fmt.Sprintf(`{"id":"pic","type":"image","src":"%s/a.png"}`, w.web.base))
		w.plain.open(t, 1).refused(t, "GET", "/preloads/"+id, "", 404, "preload_not_found", "Preload "+id+" not found")
	}},
	{"preload-roles", func(t *testing.T, w *world) {
		c := w.plain.open(t, 1)
		viewer, nobody := c.as(t, key.Viewer, nil), &client{installation: w.plain}
		viewer.refused(t, "POST", "/preloads", `{`, 403, "insufficient_permissions", "Insufficient permissions")
		viewer.refused(t, "GET", "/preloads/xxxxxxxxxxxxxxxx", "", 404, "preload_not_found", "")
		nobody.refused(t, "POST", "/preloads", `{`, 401, "api_key_missing", "Invalid or missing API key")
		nobody.refused(t, "GET", "/preloads/x", "", 401, "api_key_missing", "Invalid or missing API key")
	}},
	{"preload-in-movie", func(t *testing.T, w *world) {
		c := w.plain.open(t, 20)
		movie := fmt.Sprintf(`{"resolution":"sd","preload":[{"id":"pic","type":"image","src":"%s/a.png"},{"id":"say","type":"voice","text":"Hi"}],"scenes":[{"elements":[
			{"type":"image","src":"{{pic_url}}","duration":"{{say_duration}}"},{"type":"audio","src":"{{say_url}}"},{"type":"text","text":"{{pic_width}}","duration":0.5}]}]}`, w.web.base)
		if done := c.until(t, c.submit(t, movie), "done"); len(done["warnings"].([]any)) != 0 {
			t.Errorf("warnings %v", done["warnings"])
		}
		failed := c.until(t, c.submit(t, `{"preload":[{"id":"x","type":"text"}],"elements":[{"type":"text","text":"x","duration":1}]}`), "error")
		if !strings.Contains(failed["message"].(string), "is not allowed") {
			t.Errorf("%v", failed["message"])
		}
		failed = c.until(t, c.submit(t, `{"preload":[{"id":"x","type":"image"}],"elements":[{"type":"image","src":"{{x_url}}","duration":1}]}`), "error")
		if !strings.HasPrefix(failed["message"].(string), "Preload item 'x': ") {
			t.Errorf("%v", failed["message"])
		}
	}},
	{"save-to-media", func(t *testing.T, w *world) {
		c := w.plain.open(t, 20)
		project := c.submit(t, `{"resolution":"sd","elements":[{"type":"voice","id":"say","text":"Hello","save-to-media":true},
			{"type":"html","html":"<b>x</b>","width":60,"height":40,"duration":1,"save-to-media":true},{"type":"voice","text":"not kept"}]}`)
		c.until(t, project, "done")
		kept := c.into(t, "GET", "/media/folder?path=generated", "")
		if names(kept) != project+"-2.png "+project+"-say.wav" {
			t.Errorf("kept %s", names(kept))
		}
	}},
}
