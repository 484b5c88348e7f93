package api_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/key"
	"moviola/tests/harness"
)

// small is a movie of a second with a variable.
const small = `{"width":64,"height":64,"fps":5,"variables":{"seconds":1,"color":"#ff0000"},"scenes":[{"duration":"{{seconds}}","background-color":"{{color}}"}]}`

var templateRows = []row{
	{"templates-create", func(t *testing.T, w *world) {
		c := w.idle.open(t, 10)
		id := c.template(t, `{"name":" Sale ","tags":"ads, summer ,,ads","movie":`+small+`,"prompt":"Write"}`)
		got := c.saved(t, id)
		want := object{"id": id, "name": "Sale", "tags": []any{"ads", "summer"}, "width": 64.0, "height": 64.0, "owner": true, "prompt": true, "movie": got["movie"],
			"created_at": got["created_at"], "updated_at": got["created_at"]}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("template (-want +got):\n%s", diff)
		}
		if got["movie"].(object)["fps"] != 5.0 {
			t.Errorf("movie %v", got["movie"])
		}
		if empty := c.saved(t, c.template(t, `{"name":"Empty"}`)); len(empty["movie"].(object)) != 0 || empty["width"] != 640.0 {
			t.Errorf("without a movie: %v", empty)
		}
	}},
	{"templates-name", func(t *testing.T, w *world) {
		c := w.idle.open(t, 10)
		for _, body := range []string{`{}`, `{"name":""}`, `{"name":null,"movie":{}}`, `{"name":"  "}`} {
			c.refused(t, "POST", "/templates", body, 400, "name_required", "name is required")
		}
		c.template(t, `{"name":"`+strings.Repeat("é", 100)+`"}`)
		c.refused(t, "POST", "/templates", `{"name":"`+strings.Repeat("é", 101)+`"}`, 400, "name_too_long", "name must be at most 100 characters")
		c.refused(t, "POST", "/templates", `{"name":5}`, 400, "name_type", "name must be a text")
	}},
	{"templates-payload", func(t *testing.T, w *world) {
		c := w.idle.open(t, 10)
		for _, body := range []string{"", " \n"} {
			c.refused(t, "POST", "/templates", body, 400, "body_missing", "No payload provided")
		}
		for _, body := range []string{"[]", "null", "{", `"x"`} {
			c.refused(t, "POST", "/templates", body, 400, "body_invalid", "")
		}
		c.refused(t, "POST", "/templates?action=copy&id=x", `{}`, 400, "action_invalid", "")
		c.refused(t, "POST", "/templates", `{"name":"x","prompt":5}`, 400, "prompt_type", "")
	}},
	{"templates-tags", func(t *testing.T, w *world) {
		c := w.idle.open(t, 10)
		long := strings.Repeat("t", 5000)
		got := c.saved(t, c.template(t, `{"name":"x","tags":[" a ","b,c","","`+long+`"]}`))
		if diff := cmp.Diff([]any{"a", "b,c", long}, got["tags"]); diff != "" {
			t.Errorf("tags (-want +got):\n%s", diff)
		}
		for _, tags := range []string{"5", "{}", "[5]", "true"} {
			c.refused(t, "POST", "/templates", `{"name":"x","tags":`+tags+`}`, 400, "tags_type", "Tags must be a string or an array")
		}
	}},
	{"templates-movie", func(t *testing.T, w *world) {
		c := w.idle.open(t, 10)
		got := c.saved(t, c.template(t, `{"name":"x","movie":"{\"fps\":7}"}`))
		if got["movie"].(object)["fps"] != 7.0 {
			t.Errorf("movie %v", got["movie"])
		}
		for _, movie := range []string{"5", "[]", "true"} {
			c.refused(t, "POST", "/templates", `{"name":"x","movie":`+movie+`}`, 400, "movie_type", "Payload movie must be a JSON string or JSON object")
		}
		for _, movie := range []string{`"{"`, `""`, `"[]"`, `"null"`} {
			c.refused(t, "POST", "/templates", `{"name":"x","movie":`+movie+`}`, 500, "template_movie_invalid", "Template movie is not valid JSON or it's too large")
		}
	}},
	{"templates-movie-size", func(t *testing.T, w *world) {
		c := w.idle.open(t, 10)
		movie := func(size int) string { return `{"comment":"` + strings.Repeat("x", size-len(`{"comment":""}`)) + `"}` }
		c.template(t, `{"name":"x","movie":`+movie(102_400)+`}`)
		for _, size := range []int{102_401, 5 << 20} {
			c.refused(t, "POST", "/templates", `{"name":"x","movie":`+movie(size)+`}`, 500, "template_movie_invalid", "Template movie is not valid JSON or it's too large")
		}
	}},
	{"templates-update", func(t *testing.T, w *world) {
		c := w.idle.open(t, 10)
		id := c.template(t, `{"name":"Old","tags":["a"],"movie":{"fps":7,"draft":true},"prompt":"Write"}`)
		if again := c.update(t, id, `{"movie":{"fps":9}}`); again != id {
			t.Errorf("templateId %s, want %s", again, id)
		}
		got := c.saved(t, id)
		if diff := cmp.Diff(object{"fps": 9.0}, got["movie"]); diff != "" || got["name"] != "Old" || got["prompt"] != true {
			t.Errorf("%v, movie (-want +got):\n%s", got, diff)
		}
		c.update(t, id, `{"name":"New","tags":[]}`)
		if got = c.saved(t, id); got["name"] != "New" || len(got["tags"].([]any)) != 0 || got["updated_at"].(string) <= got["created_at"].(string) {
			t.Errorf("template %v", got)
		}
	}},
	{"templates-update-foreign", func(t *testing.T, w *world) {
		c, other := w.idle.open(t, 10), w.idle.open(t, 10)
		id := c.template(t, `{"name":"x"}`)
		for _, of := range []string{id, "Abcd1234Efgh5678Ijkl", "short"} {
			other.refused(t, "POST", "/templates?id="+of, `{"name":"y"}`, 403, "template_not_owned", "Template "+of+" is not owned by you")
		}
	}},
	{"templates-update-at-once", func(t *testing.T, w *world) {
		c := w.idle.open(t, 10)
		id := c.template(t, `{"name":"x"}`)
		var both sync.WaitGroup
		for _, body := range []string{`{"name":"mine"}`, `{"tags":["theirs"]}`} {
			both.Go(func() { c.update(t, id, body) })
		}
		both.Wait()
		if got := c.saved(t, id); got["name"] != "mine" || len(got["tags"].([]any)) != 1 {
			t.Errorf("template %v", got)
		}
	}},
	{"templates-duplicate", func(t *testing.T, w *world) {
		c := w.idle.open(t, 10)
		id := c.template(t, `{"name":"Sale","tags":["a"],"movie":{"variables":{"a":{"x":1,"y":2},"l":[1,2]}}}`)
		answer := c.into(t, "POST", "/templates?action=duplicate&id="+id, `{"variables":{"a":{"y":3},"l":[9]}}`)
		if answer["name"] != "Sale (custom)" || answer["templateId"] == id {
			t.Errorf("answer %v", answer)
		}
		got := c.saved(t, answer["templateId"].(string))
		if diff := cmp.Diff(object{"variables": object{"a": object{"x": 1.0, "y": 3.0}, "l": []any{9.0}}}, got["movie"]); diff != "" || got["tags"].([]any)[0] != "a" {
			t.Errorf("copy %v (-want +got):\n%s", got, diff)
		}
		if named := c.into(t, "POST", "/templates?action=duplicate&id="+id, `{"name":"Mine"}`); named["name"] != "Mine" {
			t.Errorf("answer %v", named)
		}
		long := c.template(t, `{"name":"`+strings.Repeat("é", 100)+`"}`)
		if cut := c.into(t, "POST", "/templates?action=duplicate&id="+long, `{}`); cut["name"] != strings.Repeat("é", 91)+" (custom)" {
			t.Errorf("answer %v", cut)
		}
		c.refused(t, "POST", "/templates?action=duplicate&id="+id, `{"variables":[1]}`, 400, "variables_type", "")
	}},
	{"templates-duplicate-refused", func(t *testing.T, w *world) {
		c, other := w.idle.open(t, 10), w.idle.open(t, 10)
		id := c.template(t, `{"name":"x"}`)
		c.refused(t, "POST", "/templates?action=duplicate", `{}`, 400, "template_id_missing", "No template ID provided")
		for _, of := range []string{id, "Abcd1234Efgh5678Ijkl", "short"} {
			other.refused(t, "POST", "/templates?action=duplicate&id="+of, `{}`, 404, "template_not_found", "Template "+of+" not found")
		}
	}},
	{"templates-delete", func(t *testing.T, w *world) {
		c, other := w.idle.open(t, 10), w.idle.open(t, 10)
		id := c.template(t, `{"name":"x"}`)
		c.refused(t, "DELETE", "/templates", "", 400, "template_id_missing", "No template ID provided")
		other.refused(t, "DELETE", "/templates?id="+id, "", 404, "template_not_found", "Template "+id+" not found")
		if gone := c.into(t, "DELETE", "/templates?id="+id, ""); gone["success"] != true {
			t.Errorf("answer %v", gone)
		}
		c.refused(t, "GET", "/templates?id="+id, "", 404, "template_not_found", "Template "+id+" not found")
		c.refused(t, "DELETE", "/templates?id="+id, "", 404, "template_not_found", "Template "+id+" not found")
		c.refused(t, "POST", "/movies", `{"template":"`+id+`"}`, 404, "template_not_found", "Template not found")
	}},
	{"templates-swept", func(t *testing.T, w *world) {
		brief := install(t, w.web, "--file-retention", "2s", "--abandon-after", "2s")
		c := brief.open(t, 600)
		movie, release := w.web.held(t, "")
		used := c.template(t, `{"name":"used","movie":`+movie+`}`)
		free := c.template(t, `{"name":"free","movie":`+movie+`}`)
		c.update(t, free, `{"movie":`+small+`}`)
		project := c.submit(t, `{"template":"`+used+`"}`)
		c.until(t, project, "running")
		if brief.bodies(t, used) != 1 || brief.bodies(t, free) != 2 {
			t.Errorf("%d and %d bodies are stored", brief.bodies(t, used), brief.bodies(t, free))
		}
		c.into(t, "DELETE", "/templates?id="+used, "")
		c.into(t, "DELETE", "/templates?id="+free, "")
		harness.Eventually(t, "the template that no movie is made of is gone", func() bool { return brief.bodies(t, free) == 0 })
		if brief.bodies(t, used) != 1 {
			t.Error("a movie that renders has lost its template")
		}
		release()
		c.until(t, project, "done")
		harness.Eventually(t, "the other one is gone", func() bool { return brief.bodies(t, used) == 0 })
	}},
	{"templates-list", func(t *testing.T, w *world) {
		c := w.idle.open(t, 10)
		first := c.template(t, `{"name":"first","tags":["a"]}`)
		c.template(t, `{"name":"second","tags":["b"]}`)
		c.update(t, first, `{"name":"renamed"}`)
		for query, want := range map[string][]string{"": {"renamed", "second"}, "?tag=b": {"second"}, "?tag=c": {}, "?id=": {"renamed", "second"}} {
			got := c.into(t, "GET", "/templates"+query, "")
			names := []string{}
			for _, one := range got["templates"].([]any) {
				names = append(names, one.(object)["name"].(string))
			}
			if diff := cmp.Diff(want, names); diff != "" || got["count"] != float64(len(want)) {
				t.Errorf("%s: count %v (-want +got):\n%s", query, got["count"], diff)
			}
		}
	}},
	{"templates-get", func(t *testing.T, w *world) {
		c, other := w.idle.open(t, 10), w.idle.open(t, 10)
		id := c.template(t, `{"name":"x","prompt":"Write a movie"}`)
		for _, of := range []string{id, "Abcd1234Efgh5678Ijkl", "short"} {
			other.refused(t, "GET", "/templates?id="+of, "", 404, "template_not_found", "Template "+of+" not found")
		}
		got := c.into(t, "GET", "/templates?id="+id+"&scopes=prompt", "")["template"].(object)
		if _, shown := got["movie"]; shown || got["ai_prompt"] != "Write a movie" {
			t.Errorf("template %v", got)
		}
		if got = c.into(t, "GET", "/templates?id="+id+"&scopes=movie,prompt", "")["template"].(object); got["movie"] == nil || got["ai_prompt"] == nil {
			t.Errorf("template %v", got)
		}
		c.refused(t, "GET", "/templates?id="+id+"&scopes=all", "", 400, "scopes_invalid", "")
		for _, query := range []string{"format=xml&id=" + id, "format=make", "format=jsonschema"} {
			c.refused(t, "GET", "/templates?"+query, "", 400, "format_invalid", "")
		}
	}},
	{"templates-format", func(t *testing.T, w *world) {
		c := w.idle.open(t, 10)
		id := c.template(t, `{"name":"x","movie":{"variables":{"renderMode":"fast","@renderMode":"fast=Fast|slow","?renderMode":"How","video_URL":"https://x/a.mp4","n":5}}}`)
		got := c.into(t, "GET", "/templates?id="+id+"&format=make", "")["template"].(object)["variables"].([]any)
		want := []any{
			object{"name": "renderMode", "label": "Render Mode", "type": "select", "default": "fast", "help": "How",
				"options": []any{object{"label": "Fast", "value": "fast"}, object{"label": "slow", "value": "slow"}}},
			object{"name": "video_URL", "label": "Video URL", "type": "url", "default": "https://x/a.mp4"},
			object{"name": "n", "label": "N", "type": "number", "default": "5"},
		}
		if diff := cmp.Diff(want, got[:3]); diff != "" || len(got) != 5 || got[3].(object)["name"] != "make_webhook_url" || got[4].(object)["name"] != "client_data" {
			t.Errorf("%d fields (-want +got):\n%s", len(got), diff)
		}
		schema := c.into(t, "GET", "/templates?id="+id+"&format=jsonschema", "")["template"].(object)
		if _, shown := schema["movie"]; shown || schema["variables"].(object)["$schema"] != "https://json-schema.org/draft/2020-12/schema" {
			t.Errorf("template %v", schema)
		}
	}},
	{"templates-roles", func(t *testing.T, w *world) {
		c := w.idle.open(t, 10)
		id := c.template(t, `{"name":"x","movie":{"exports":[{"destinations":[{"type":"ftp","password":"hush"}]}]}}`)
		viewer, render, editor := c.as(t, key.Viewer, nil), c.as(t, key.Render, nil), c.as(t, key.Editor, nil)
		if shown := viewer.call(t, "GET", "/templates?id="+id, ""); shown.Status != 200 || strings.Contains(string(shown.Body), "hush") {
			t.Errorf("a viewer sees %s", shown.Body)
		}
		if shown := editor.call(t, "GET", "/templates?id="+id, ""); !strings.Contains(string(shown.Body), "hush") {
			t.Errorf("an editor sees %s", shown.Body)
		}
		viewer.refused(t, "GET", "/templates/library", "", 403, "insufficient_permissions", "Insufficient permissions")
		render.into(t, "GET", "/templates/library", "")
		render.refused(t, "POST", "/templates", `{"name":"y"}`, 403, "insufficient_permissions", "Insufficient permissions")
		render.refused(t, "DELETE", "/templates?id="+id, "", 403, "insufficient_permissions", "Insufficient permissions")
		editor.template(t, `{"name":"y"}`)
		nobody := &client{installation: c.installation}
		for _, path := range []string{"/templates", "/templates/library"} {
			nobody.refused(t, "GET", path, "", 401, "api_key_missing", "")
		}
		nobody.refused(t, "POST", "/templates", "", 401, "api_key_missing", "")
		nobody.refused(t, "DELETE", "/templates", "", 401, "api_key_missing", "")
	}},
	{"templates-account", func(t *testing.T, w *world) {
		c, other := w.idle.open(t, 10), w.idle.open(t, 10)
		id := c.template(t, `{"name":"theirs"}`)
		other.refused(t, "GET", "/templates?account="+c.account, "", 403, "token_invalid", "Invalid token")
		shown := other.call(t, "GET", "/templates?id="+id+"&account="+c.account, "", "X-Admin-Token", harness.AdminToken)
		if shown.Status != 200 || !strings.Contains(string(shown.Body), "theirs") {
			t.Errorf("%d %s", shown.Status, shown.Body)
		}
	}},
	{"templates-library", func(t *testing.T, w *world) {
		c, other := w.plain.open(t, 10), w.plain.open(t, 10)
		id := c.template(t, `{"name":"Shown","tags":["lib"],"movie":`+small+`}`)
		c.operate(t, id, "publish", 200, "pending")
		entry := func(c *client, query string) object {
			for _, one := range c.into(t, "GET", "/templates/library"+query, "")["templates"].([]any) {
				if one.(object)["id"] == id {
					return one.(object)
				}
			}
			return nil
		}
		harness.Eventually(t, "the template is in the library", func() bool { return entry(other, "") != nil })
		got := entry(other, "")
		if _, shown := got["movie"]; shown || got["aspect_ratio"] != 1.0 || got["prompt"] != false {
			t.Errorf("entry %v", got)
		}
		for _, name := range []string{"video_url", "thumbnail_url"} {
			address, err := url.Parse(got[name].(string))
			if err != nil {
				t.Fatal(err)
			}
			if file := c.send(t, "GET", address.Path, ""); file.Status != 200 || len(file.Body) < 200 {
				t.Errorf("%s: %d, %d bytes", address, file.Status, len(file.Body))
			}
			if cut := c.send(t, "GET", address.Path, "", "Range", "bytes=0-9"); cut.Status != 206 {
				t.Errorf("a part of %s: %d", address, cut.Status)
			}
		}
		address, err := url.Parse(got["video_url"].(string))
		if err != nil {
			t.Fatal(err)
		}
		if beyond := c.send(t, "GET", address.Path, "", "Range", "bytes=999999999-"); beyond.Status != 416 {
			t.Errorf("beyond the end of %s: %d", address, beyond.Status)
		}
		whole := c.send(t, "GET", address.Path, "")
		if known := c.send(t, "GET", address.Path, "", "If-Modified-Since", whole.Header.Get("Last-Modified")); known.Status != 304 {
			t.Errorf("%s again: %d", address, known.Status)
		}
		if answer := c.send(t, "GET", "/v2/library/"+id+"/other.mp4", ""); answer.Status != 404 {
			t.Errorf("another file: %d", answer.Status)
		}
		for name, status := range map[string]int{"peaks.jpg": 200, "other.jpg": 404} {
			if answer := c.send(t, "GET", "/library/photographs/"+name, ""); answer.Status != status {
				t.Errorf("photograph %s: %d", name, answer.Status)
			}
		}
		other.submit(t, `{"template":"`+id+`"}`)
		other.into(t, "POST", "/templates?action=duplicate&id="+id, `{}`)
		other.refused(t, "GET", "/templates?id="+id, "", 404, "template_not_found", "")
		c.operate(t, id, "publish", 200, "published")
		c.operate(t, id, "unpublish", 200, "unpublished")
		if entry(other, "") != nil || entry(other, "?tags=lib") != nil || entry(c, "?tags=x,lib") == nil || entry(c, "?tags=x") != nil {
			t.Error("an unpublished template is listed for others, or not for its owner's tags")
		}
		c.operate(t, id, "publish", 200, "published")
		harness.Eventually(t, "the trail has what operators did to the library", func() bool {
			acts := w.plain.operate(t, "GET", "/admin/acts?on="+id, "")["acts"].([]any)
			return len(acts) > 0 && slices.IndexFunc(acts, func(act any) bool { return act.(object)["act"] == "unpublish template" }) > 0 &&
				acts[0].(object)["act"] == "publish template" && acts[0].(object)["refused"] == nil
		})
	}},
	{"templates-library-refused", func(t *testing.T, w *world) {
		c := w.idle.open(t, 10)
		for _, query := range []string{"tags=a&tags=b", "tags=%zz"} {
			c.refused(t, "GET", "/templates/library?"+query, "", 400, "tags_invalid", "Tags could not be parsed")
		}
		id := c.template(t, `{"name":"x","movie":{}}`)
		c.operate(t, id, "publish", 400, "")
		harness.Eventually(t, "the trail says why nothing was published", func() bool {
			acts := w.idle.operate(t, "GET", "/admin/acts?on="+id, "")["acts"].([]any)
			if len(acts) != 1 {
				return false
			}
			why, refused := acts[0].(object)["refused"].(string)
			return refused && why != ""
		})
		large := c.template(t, `{"name":"x","movie":{"width":3840,"height":3840,"scenes":[{"duration":1}]}}`)
		c.operate(t, large, "publish", 401, "")
		for _, act := range []string{"publish", "unpublish"} {
			c.operate(t, "Abcd1234Efgh5678Ijkl", act, 404, "")
			if answer := c.send(t, "POST", "/admin/templates/"+id+"/"+act, ""); answer.Status != 403 {
				t.Errorf("%s without a token: %d", act, answer.Status)
			}
		}
	}},
	{"templates-render", func(t *testing.T, w *world) {
		c := w.plain.open(t, 10)
		base := c.template(t, `{"name":"base","movie":`+small+`}`)
		over := c.template(t, `{"name":"over","movie":{"template":"`+base+`","variables":{"seconds":2},"fps":4}}`)
		posted := `{"template":"` + over + `","variables":{"color":"#00ff00"},"width":128,"scenes":[{"duration":50}],"id":"mine"}`
		done := c.until(t, c.submit(t, posted), "done")
		if done["duration"] != 2.0 || done["width"] != 128.0 || done["height"] != 64.0 || done["consumed_credits"] != 2.0 || done["id"] != "mine" {
			t.Errorf("movie %v", done)
		}
		if shown := done["json"].(object); shown["template"] != over || shown["width"] != 128.0 {
			t.Errorf("json %v", shown)
		}
	}},
	{"templates-render-recorded", func(t *testing.T, w *world) {
		c := w.plain.open(t, 30)
		id := c.template(t, `{"name":"x","movie":`+strings.Replace(small, `"seconds":1`, `"seconds":2`, 1)+`}`)
		var waiting []string
		for n := range 4 { // some wait while the template changes
			waiting = append(waiting, c.submit(t, fmt.Sprintf(`{"template":"%s","variables":{"color":"#0000%02x"}}`, id, 16+n)))
		}
		c.update(t, id, `{"movie":{"width":64,"height":64,"fps":5,"scenes":[{"duration":1}]}}`)
		c.into(t, "DELETE", "/templates?id="+id, "")
		for _, project := range waiting {
			if done := c.until(t, project, "done"); done["duration"] != 2.0 {
				t.Errorf("%s lasts %v", project, done["duration"])
			}
		}
	}},
	{"templates-render-refused", func(t *testing.T, w *world) {
		c, other := w.idle.open(t, 10), w.idle.open(t, 10)
		private := other.template(t, `{"name":"x","movie":`+small+`}`)
		through := c.template(t, `{"name":"x","movie":{"template":"`+private+`"}}`)
		self := c.template(t, `{"name":"x"}`)
		c.update(t, self, `{"movie":{"template":"`+self+`"}}`)
		keys := c.template(t, `{"name":"x","movie":{"scenes":[],"exports":[{"destinations":[{"type":"aws-s3","id":"{{k}}"}]}]}}`)
		for _, id := range []string{private, through, "Abcd1234Efgh5678Ijkl", "../x"} {
			c.refused(t, "POST", "/movies", `{"template":"`+id+`"}`, 404, "template_not_found", "Template not found")
		}
		c.refused(t, "POST", "/movies", `{"template":"`+self+`"}`, 400, "template_circle", "")
		c.refused(t, "POST", "/movies", `{"template":"`+keys+`","variables":{"k":"AKIAABCDEFGHIJKLMNOP"}}`, 400, "aws_keys_in_movie", "")
		c.refused(t, "POST", "/movies", `{"scenes":[{"elements":[{"iterate":5001,"x":"{{1}}"}]}]}`, 400, "movie_too_many_elements", "")
		c.refused(t, "POST", "/movies", `{"variables":{"a":"`+strings.Repeat("x", 2000)+`"},"elements":[{"iterate":4500,"text":"{{a}}{{a}}"}]}`, 400, "movie_expansion_too_large", "")
	}},
	{"templates-validate", func(t *testing.T, w *world) {
		c := w.idle.open(t, 10)
		id := c.template(t, `{"name":"x","movie":{"variables":{"n":3},"scenes":[{"iterate":"{{n}}","elements":[{"type":"text","text":"{{title}} {{ 1 + }}","duration":2}]}]}}`)
		got := c.into(t, "POST", "/movies/validate", `{"template":"`+id+`","variables":{"n":2}}`)
		mistakes := got["errors"].([]any)
		if got["valid"] != false || len(mistakes) != 1 || !strings.HasPrefix(mistakes[0].(object)["message"].(string), "Scene #1 Element #1: The property 'text' cannot be computed: expected a value") {
			t.Errorf("answer %v", got)
		}
		got = c.into(t, "POST", "/movies/validate", `{"scenes":[{"elements":[{"type":"text","text":"{{title}}","duration":2}]}]}`)
		if got["valid"] != true || !slices.Contains(got["warnings"].([]any), any("The variable 'title' is not defined, it is empty")) {
			t.Errorf("answer %v", got)
		}
	}},
}
