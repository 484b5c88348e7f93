package api_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"moviola/domain/key"
	"moviola/tests/harness"
)

// local is the path of an address that was handed out.
func local(t *testing.T, address any) string {
	t.Helper()
	text, _ := address.(string)
	path, ok := strings.CutPrefix(text, publicURL)
	if !ok {
		t.Fatalf("the address %v does not begin with the public URL", address)
	}
	return path
}

// register registers a file and returns the paths of its two addresses.
func (c *client) register(t *testing.T, folder, name, contentType string, size int) (upload, file string) {
	t.Helper()
	got := c.into(t, "POST", "/media/file", fmt.Sprintf(`{"name":%q,"contentType":%q,"size":%d,"folder":%q}`, name, contentType, size, folder))
	return local(t, got["uploadUrl"]), local(t, got["fileUrl"])
}

// upload puts a file into the library and returns the path of its address.
func (c *client) upload(t *testing.T, folder, name, contentType, content string) string {
	t.Helper()
	upload, file := c.register(t, folder, name, contentType, len(content))
	if answer := c.send(t, "PUT", upload, content, "Content-Type", contentType); answer.Status != 200 {
		t.Fatalf("upload %s: %d %s", name, answer.Status, answer.Body)
	}
	return file
}

// names are the names of the files in a listing.
func names(listing object) string {
	var all []string
	for _, f := range listing["files"].([]any) {
		all = append(all, f.(object)["name"].(string))
	}
	return strings.Join(all, " ")
}

// folders are the names of the folders in a listing.
func folders(listing object) string { return strings.Trim(fmt.Sprint(listing["folders"]), "[]") }

// mediaRows: files are registered, uploaded, moved, listed and deleted.
var mediaRows = []row{
	{"media-register", func(t *testing.T, w *world) {
		c := w.plain.open(t, 1)
		got := c.into(t, "POST", "/media/file", `{"name":"my file.png","contentType":"image/png","size":5,"folder":"a//b c/"}`)
		if got["expiresIn"] != 120.0 || !strings.HasSuffix(got["fileUrl"].(string), "/files/a/bc/my_file.png") {
			t.Errorf("%v", got)
		}
		upload, file := local(t, got["uploadUrl"]), local(t, got["fileUrl"])
		if answer := c.send(t, "GET", file, ""); answer.Status != 404 {
			t.Errorf("while pending: %d", answer.Status)
		}
		shown := c.into(t, "GET", "/media/file?path=a/bc/my_file.png", "")["file"].(object)
		if shown["status"] != "pending" || shown["uploaded_at"] != nil {
			t.Errorf("%v", shown)
		}
		if answer := c.send(t, "PUT", upload, "hello", "Content-Type", "image/png"); answer.Status != 200 {
			t.Fatalf("upload: %d %s", answer.Status, answer.Body)
		}
		shown = c.into(t, "GET", "/media/file?path=/a/bc/my_file.png", "")["file"].(object)
		if shown["status"] != "uploaded" || shown["type"] != "image" || shown["size"] != 5.0 || shown["fileUrl"] != publicURL+file {
			t.Errorf("%v", shown)
		}
	}},
	{"media-register-fields", func(t *testing.T, w *world) {
		c := w.plain.open(t, 1)
		for body, want := range map[string][2]string{
			``:             {"body_missing", "No payload provided"},
			`[1]`:          {"body_invalid", ""},
			`{}`:           {"name_required", "name is required"},
			`{"name":7}`:   {"name_required", "name is required"},
			`{"name":"x"}`: {"content_type_required", "contentType is required"},
			`{"name":"..","contentType":"a/b","size":1}`:                   {"name_invalid", "Invalid name"},
			`{"name":"x","contentType":"nonsense","size":1}`:               {"content_type_invalid", ""},
			`{"name":"x","contentType":"a/b"}`:                             {"size_invalid", "size is required and must be a positive number"},
			`{"name":"x","contentType":"a/b","size":0}`:                    {"size_invalid", "size is required and must be a positive number"},
			`{"name":"x","contentType":"a/b","size":-1}`:                   {"size_invalid", "size is required and must be a positive number"},
			`{"name":"x","contentType":"a/b","size":1.5}`:                  {"size_invalid", "size is required and must be a positive number"},
			`{"name":"x","contentType":"a/b","size":"1"}`:                  {"size_invalid", "size is required and must be a positive number"},
			`{"name":"x","contentType":"a/b","size":1,"folder":"\u0021!"}`: {"folder_invalid", "Invalid folder name"},
		} {
			c.refused(t, "POST", "/media/file", body, 400, want[0], want[1])
		}
	}},
	{"media-size", func(t *testing.T, w *world) {
		c := w.plain.open(t, 1)
		c.refused(t, "POST", "/media/file", `{"name":"x","contentType":"a/b","size":524288001}`, 413, "file_too_large", "File exceeds maximum size of 500 MB")
		c.into(t, "POST", "/media/file", `{"name":"x","contentType":"a/b","size":524288000}`)
		c.refused(t, "POST", "/media/file", `{"name":"`+strings.Repeat("x", 70_000)+`"}`, 413, "body_too_large", "")
	}},
	{"media-name-taken", func(t *testing.T, w *world) {
		c := w.plain.open(t, 1)
		c.upload(t, "a", "my file.png", "image/png", "one")
		const taken = "A file with this name already exists. Delete it first."
		for _, name := range []string{"my file.png", "my_file.png", "my?file.png", "my\u00e9file.png"} { // all are my_file.png
			c.refused(t, "POST", "/media/file", fmt.Sprintf(`{"name":%q,"contentType":"a/b","size":1,"folder":"/a/"}`, name), 409, "file_exists", taken)
		}
		for _, name := range []string{"My_file.png", "mye\u0301file.png", "my_file.png."} { // none is
			c.upload(t, "a", name, "image/png", "two")
		}
		c.upload(t, "a/b", "my file.png", "image/png", "another folder")
		c.register(t, "", "reserved", "a/b", 1)
		c.refused(t, "POST", "/media/file", `{"name":"reserved","contentType":"a/b","size":1}`, 409, "file_exists", taken)
	}},
	{"media-one-wins", func(t *testing.T, w *world) {
		c := w.plain.open(t, 1)
		results := make(chan int, 12)
		for range cap(results) {
			go func() {
				results <- c.call(t, "POST", "/media/file", `{"name":"x","contentType":"a/b","size":1}`).Status
			}()
		}
		won := 0
		for range cap(results) {
			if status := <-results; status == 200 {
				won++
			} else if status != 409 {
				t.Errorf("status %d", status)
			}
		}
		if won != 1 {
			t.Errorf("%d registrations of one name won", won)
		}
	}},
	{"media-blocked", func(t *testing.T, w *world) {
		c := w.plain.open(t, 0)
		const text = "Storage is blocked. Add credits to continue uploading."
		c.refused(t, "POST", "/media/file", ``, 403, "storage_blocked", text) // before the body is looked at
		if s := c.into(t, "GET", "/media", "")["storage"].(object); s["blocked"] != true {
			t.Errorf("%v", s)
		}
		c.grant(t, 1)
		c.upload(t, "", "x", "a/b", "now")
		counted := w.plain.openOn(t, "counted", 0)
		counted.upload(t, "", "x", "a/b", "never blocked")
	}},
	{"media-move", func(t *testing.T, w *world) {
		c := w.plain.open(t, 1)
		before := c.upload(t, "a", "x.png", "image/png", "content")
		got := c.into(t, "PUT", "/media/file", `{"name":"x.png","folder":"a","destination":""}`)
		after := local(t, got["fileUrl"])
		if answer := c.send(t, "GET", before, ""); answer.Status != 404 {
			t.Errorf("at the source: %d", answer.Status)
		}
		if answer := c.send(t, "GET", after, ""); answer.Status != 200 || string(answer.Body) != "content" {
			t.Errorf("at the destination: %d %s", answer.Status, answer.Body)
		}
		c.refused(t, "GET", "/media/folder?path=a", "", 404, "folder_not_found", "Folder not found")
		c.into(t, "PUT", "/media/file", `{"name":"x.png","destination":"temp"}`)
		if f := c.into(t, "GET", "/media/file?path=temp/x.png", "")["file"].(object); f["temporary"] != true || f["folder"] != "temp" {
			t.Errorf("%v", f)
		}
	}},
	{"media-move-refusals", func(t *testing.T, w *world) {
		c := w.plain.open(t, 1)
		c.upload(t, "a", "x", "a/b", "1")
		c.upload(t, "b", "x", "a/b", "2")
		c.register(t, "a", "pending", "a/b", 1)
		const taken = "A file with this name already exists in the destination folder"
		for body, want := range map[string]struct {
			status     int
			code, text string
		}{
			``:                               {400, "body_missing", "No payload provided"},
			`{"destination":"b"}`:            {400, "name_required", "name is required"},
			`{"name":"x","folder":"a"}`:      {400, "destination_required", "destination is required"},
			`{"name":"x","destination":"!"}`: {400, "folder_invalid", "Invalid folder name"},
			`{"name":"y","folder":"a","destination":"b"}`:       {404, "file_not_found", "File not found"},
			`{"name":"pending","folder":"a","destination":"b"}`: {404, "file_not_found", "File not found"},
			`{"name":"x","folder":"a","destination":"b"}`:       {409, "file_exists", taken},
			`{"name":"x","folder":"a","destination":"/a/"}`:     {409, "file_exists", taken},
			`{"name":"` + strings.Repeat("x", 70_000) + `"}`:    {413, "body_too_large", ""},
		} {
			c.refused(t, "PUT", "/media/file", body, want.status, want.code, want.text)
		}
		if answer := c.send(t, "GET", c.upload(t, "c", "y", "a/b", "3"), ""); string(answer.Body) != "3" {
			t.Errorf("%s", answer.Body)
		}
	}},
	{"media-delete", func(t *testing.T, w *world) {
		c := w.plain.open(t, 1)
		file := c.upload(t, "a", "x", "a/b", "1")
		c.into(t, "DELETE", "/media/file", `{"name":"x","folder":"a"}`)
		if answer := c.send(t, "GET", file, ""); answer.Status != 404 {
			t.Errorf("after deletion: %d", answer.Status)
		}
		c.refused(t, "DELETE", "/media/file", `{"name":"x","folder":"a"}`, 404, "file_not_found", "File not found")
		c.refused(t, "DELETE", "/media/file", `{}`, 400, "name_required", "name is required")
		c.refused(t, "DELETE", "/media/file", strings.Repeat(" ", 70_000), 413, "body_too_large", "")
		c.upload(t, "a", "x", "a/b", "the name is free")
		c.into(t, "DELETE", "/media", `{"path":"a/x"}`)
		c.refused(t, "DELETE", "/media", `{"path":"a/x"}`, 404, "file_not_found", "File not found")
		c.refused(t, "DELETE", "/media", `{}`, 400, "path_required", "path is required")
		c.refused(t, "DELETE", "/media", `{"path":"a/"}`, 400, "path_without_filename", "Invalid path: no filename")
		c.refused(t, "DELETE", "/media", strings.Repeat(" ", 70_000), 413, "body_too_large", "")
		c.register(t, "", "y", "a/b", 1)
		c.into(t, "DELETE", "/media", `{"path":"y"}`) // a registration too
	}},
	{"media-roles", func(t *testing.T, w *world) {
		owner := w.plain.open(t, 1)
		viewer := owner.as(t, key.Viewer, nil)
		nobody := &client{installation: w.plain}
		for _, op := range []string{"POST /media/file", "PUT /media/file", "DELETE /media/file", "DELETE /media", "POST /media/folder", "DELETE /media/folder"} {
			method, path, _ := strings.Cut(op, " ")
			viewer.refused(t, method, path, `{`, 403, "insufficient_permissions", "Insufficient permissions")
			nobody.refused(t, method, path, `{`, 401, "api_key_missing", "Invalid or missing API key")
		}
		file := owner.upload(t, "", "x", "a/b", "1")
		for _, path := range []string{"/media", "/media/folder", "/media/folder?tree=true", "/media/file?path=x"} {
			viewer.into(t, "GET", path, "")
			nobody.refused(t, "GET", path, "", 401, "api_key_missing", "Invalid or missing API key")
			operator, sep := path, "?"
			if strings.Contains(path, "?") {
				sep = "&"
			}
			operator += sep + "account=" + owner.account
			stranger := w.plain.open(t, 0)
			stranger.refused(t, "GET", operator, "", 403, "token_invalid", "Invalid token")
			if answer := stranger.call(t, "GET", operator, "", "X-Admin-Token", harness.AdminToken); answer.Status != 200 {
				t.Errorf("%s: %d %s", operator, answer.Status, answer.Body)
			}
		}
		if answer := nobody.send(t, "GET", file, ""); answer.Status != 200 {
			t.Errorf("whoever knows the address: %d", answer.Status)
		}
	}},
	{"media-foreign-like-unknown", func(t *testing.T, w *world) {
		owner, stranger := w.plain.open(t, 1), w.plain.open(t, 1)
		owner.upload(t, "a", "x", "a/b", "1")
		for _, request := range [][3]string{
			{"GET", "/media/file?path=a/x", ""}, {"GET", "/media/folder?path=a", ""}, {"DELETE", "/media", `{"path":"a/x"}`},
			{"DELETE", "/media/file", `{"name":"x","folder":"a"}`}, {"PUT", "/media/file", `{"name":"x","folder":"a","destination":""}`},
		} {
			foreign := stranger.call(t, request[0], request[1], request[2])
			unknown := w.plain.open(t, 1).call(t, request[0], request[1], request[2])
			if foreign.Status != 404 || string(foreign.Body) != string(unknown.Body) {
				t.Errorf("%v: %d %s, unknown %s", request, foreign.Status, foreign.Body, unknown.Body)
			}
		}
		stranger.upload(t, "a", "x", "a/b", "a name of one's own")
	}},
	{"media-temp-expires", func(t *testing.T, w *world) {
		c := w.forgetful.open(t, 1)
		file := c.upload(t, "temp", "x", "a/b", "1")
		stays := c.upload(t, "kept", "x", "a/b", "1")
		harness.Eventually(t, "the temporary file is gone", func() bool { return c.send(t, "GET", file, "").Status == 404 })
		if answer := c.send(t, "GET", stays, ""); answer.Status != 200 {
			t.Errorf("the other file: %d", answer.Status)
		}
	}},
	{"media-own-src", func(t *testing.T, w *world) {
		owner, stranger := w.plain.open(t, 10), w.plain.open(t, 10)
		file := publicURL + owner.upload(t, "", "p.png", "image/png", string(w.web.picture))
		movie := func(src string) string {
			body, err := json.Marshal(map[string]any{"resolution": "sd", "elements": []any{map[string]any{"type": "image", "src": src, "duration": 1}}})
			if err != nil {
				t.Fatal(err)
			}
			return string(body)
		}
		owner.until(t, owner.submit(t, movie(file)), "done")
		if failed := stranger.until(t, stranger.submit(t, movie(file)), "error"); !strings.Contains(failed["message"].(string), "(404)") {
			t.Errorf("another account's file: %v", failed["message"])
		}
	}},
	{"media-path", func(t *testing.T, w *world) {
		c := w.plain.open(t, 1)
		c.refused(t, "GET", "/media/file", "", 400, "path_required", "path is required")
		c.refused(t, "GET", "/media/file?path="+url.QueryEscape("a/"), "", 400, "path_without_filename", "Invalid path: no filename")
		c.refused(t, "GET", "/media/file?path=nothing", "", 404, "file_not_found", "File not found")
		c.refused(t, "GET", "/media/file?path=a&path=b", "", 400, "path_ambiguous", "")
	}},
}
