package tenancy_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

type (
	object = map[string]any
	list   = []any
)

// movie is a short movie that carries the account's tag wherever a movie can carry a text.
func (a *account) movie(receiver string) object {
	movie := object{
		"id": a.tag + "-id", "comment": a.tag + " comment", "client-data": object{"note": a.tag},
		"resolution": "custom", "width": 64, "height": 64, "cache": false,
		"variables": object{"who": a.tag},
		"scenes":    list{object{"duration": 1, "comment": a.tag, "elements": list{object{"type": "text", "text": a.tag}}}},
	}
	if receiver != "" {
		endpoint := fmt.Sprintf("%s/%s?secret=%s", receiver, a.tag, a.tag)
		movie["exports"] = list{object{"destinations": list{object{"type": "webhook", "endpoint": endpoint}}}}
	}
	return movie
}

// plant writes the account's texts to every place that the interface has for them.
func (a *account) plant(t *testing.T, receiver string) {
	t.Helper()
	for range 2 {
		a.projects = append(a.projects, a.must(t, http.MethodPost, "/movies", encode(t, a.movie(receiver)))["project"].(string))
	}
	for _, role := range []string{"viewer", "admin"} {
		issued := a.must(t, http.MethodPost, "/keys", encode(t, object{"name": a.tag, "role": role}))
		a.keys = append(a.keys, issued["id"].(string))
		a.secret("a key that was issued", issued["key"].(string))
	}
	saved := a.must(t, http.MethodPost, "/connections", encode(t, object{
		"id": a.name, "type": "webhook", "endpoint": "https://127.0.0.1:9/" + a.tag + "?secret=" + a.tag, "signed": true,
	}))
	a.secret("what a webhook is signed with", strings.TrimPrefix(saved["secret"].(string), "whsec_"))
	a.must(t, http.MethodPost, "/media/folder", encode(t, object{"folder": a.name}))
	a.upload(t)
	a.template = a.must(t, http.MethodPost, "/templates", encode(t, object{"name": a.tag, "tags": list{a.tag, "shared"}, "movie": a.movie("")}))["templateId"].(string)
}

// upload puts a file with the account's tag into its library.
func (a *account) upload(t *testing.T) {
	t.Helper()
	content := "the content of " + a.tag
	registered := a.must(t, http.MethodPost, "/media/file", encode(t, object{
		"name": a.name + ".txt", "folder": a.name, "contentType": "text/plain", "size": len(content),
	}))
	path := func(address any) string {
		text, _ := address.(string)
		return text[max(0, strings.Index(text, "/v2/")):]
	}
	if answer := a.http.Send(http.MethodPut, path(registered["uploadUrl"]), []byte(content), http.Header{"Content-Type": {"text/plain"}}); answer.Status != http.StatusOK {
		t.Fatalf("upload: %d %s", answer.Status, answer.Body)
	}
	file := a.http.Send(http.MethodGet, path(registered["fileUrl"]), nil, http.Header{})
	if file.Status != http.StatusOK || string(file.Body) != content {
		t.Errorf("the uploaded file: %d %.100s", file.Status, file.Body)
	}
	a.look(t, "GET fileUrl", file)
}
