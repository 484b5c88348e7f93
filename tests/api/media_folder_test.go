package api_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// folderRows: folders and listings.
var folderRows = []row{
	{"media-folder-create", func(t *testing.T, w *world) {
		c := w.plain.open(t, 1)
		got := c.into(t, "POST", "/media/folder", `{"folder":"/a b//c.d/"}`)
		if got["folder"] != "ab/cd" || got["message"] != nil {
			t.Errorf("%v", got)
		}
		for _, name := range []string{"ab/cd", "ab", "temp"} {
			if got := c.into(t, "POST", "/media/folder", fmt.Sprintf(`{"folder":%q}`, name)); got["message"] != "Folder already exists" {
				t.Errorf("%s: %v", name, got)
			}
		}
		c.refused(t, "POST", "/media/folder", ``, 400, "body_missing", "No payload provided")
		c.refused(t, "POST", "/media/folder", `{}`, 400, "folder_required", "folder is required")
		c.refused(t, "POST", "/media/folder", `{"folder":""}`, 400, "folder_required", "folder is required")
		for _, name := range []string{"!", "/", "..", "é", strings.Repeat("a/", 17)} {
			c.refused(t, "POST", "/media/folder", fmt.Sprintf(`{"folder":%q}`, name), 400, "folder_invalid", "Invalid folder name")
		}
		c.refused(t, "POST", "/media/folder", strings.Repeat(" ", 70_000), 413, "body_too_large", "")
	}},
	{"media-folder-delete", func(t *testing.T, w *world) {
		c := w.plain.open(t, 1)
		c.refused(t, "DELETE", "/media/folder", `{}`, 400, "folder_required", "folder is required")
		for _, root := range []string{"", "/", "//"} {
			c.refused(t, "DELETE", "/media/folder", fmt.Sprintf(`{"folder":%q}`, root), 400, "folder_protected", "Cannot delete root folder")
		}
		c.refused(t, "DELETE", "/media/folder", `{"folder":"/temp/"}`, 400, "folder_protected", "Cannot delete the temp folder")
		c.refused(t, "DELETE", "/media/folder", `{"folder":"no"}`, 404, "folder_not_found", "Folder not found")
		c.refused(t, "DELETE", "/media/folder", strings.Repeat(" ", 70_000), 413, "body_too_large", "")
		const text = "Folder is not empty. Delete all files first."
		c.into(t, "POST", "/media/folder", `{"folder":"a/b"}`)
		c.into(t, "POST", "/media/folder", `{"folder":"a"}`)
		c.refused(t, "DELETE", "/media/folder", `{"folder":"a"}`, 400, "folder_not_empty", text)
		c.register(t, "a/b", "x", "a/b", 1)
		c.refused(t, "DELETE", "/media/folder", `{"folder":"a/b"}`, 400, "folder_not_empty", text)
		c.into(t, "DELETE", "/media", `{"path":"a/b/x"}`)
		c.upload(t, "a/b", "x", "a/b", "1")
		c.refused(t, "DELETE", "/media/folder", `{"folder":"a/b"}`, 400, "folder_not_empty", text)
		c.into(t, "DELETE", "/media", `{"path":"a/b/x"}`)
		c.into(t, "DELETE", "/media/folder", `{"folder":"a/b"}`)
		c.into(t, "DELETE", "/media/folder", `{"folder":"a"}`)
		c.refused(t, "DELETE", "/media/folder", `{"folder":"a"}`, 404, "folder_not_found", "Folder not found")
	}},
	{"media-list", func(t *testing.T, w *world) {
		c := w.plain.open(t, 1)
		for name, contentType := range map[string]string{"b.png": "image/png", "a.mp4": "video/mp4", "c.mp3": "audio/mpeg", "d.pdf": "application/pdf"} {
			c.upload(t, "f", name, contentType, "12345")
		}
		c.register(t, "f", "e.png", "image/png", 9)
		c.upload(t, "f/sub", "x.png", "image/png", "1")
		c.into(t, "POST", "/media/folder", `{"folder":"f/Empty"}`)
		all := c.into(t, "GET", "/media/folder?path=/f/", "")
		if names(all) != "a.mp4 b.png c.mp3 d.pdf e.png" || folders(all) != "Empty sub" || all["path"] != "f" || all["total"] != 5.0 ||
			all["total_files"] != 5.0 || all["total_size"] != 20.0 || all["has_next"] != false || all["next_token"] != nil {
			t.Errorf("%v", all)
		}
		for query, want := range map[string]string{
			"type=image": "b.png e.png 2", "type=video": "a.mp4 1", "type=audio": "c.mp3 1", "type=other": "d.pdf 1", "q=P": "a.mp4 b.png c.mp3 d.pdf e.png 5",
			"q=.P": "b.png d.pdf e.png 3", "q=.p&type=image": "b.png e.png 2", "q=nothing": " 0", "page_size=2": "a.mp4 b.png 5", "page=1&page_size=2": "c.mp3 d.pdf 5",
			"page=2&page_size=2": "e.png 5", "page=9": " 5", "page=1&page_size=1&q=.p": "d.pdf 3",
		} {
			got := c.into(t, "GET", "/media/folder?path=f&"+query, "")
			if shown := fmt.Sprintf("%s %v", names(got), got["total"]); shown != want {
				t.Errorf("%s: %q, want %q", query, shown, want)
			}
		}
		root := c.into(t, "GET", "/media/folder", "")
		if folders(root) != "f temp" || names(root) != "" || root["path"] != "/" {
			t.Errorf("%v", root)
		}
		if empty := c.into(t, "GET", "/media/folder?path=temp", ""); names(empty) != "" || empty["path"] != "temp" {
			t.Errorf("%v", empty)
		}
		c.refused(t, "GET", "/media/folder?path=none", "", 404, "folder_not_found", "Folder not found")
		c.refused(t, "GET", "/media?path=none", "", 404, "folder_not_found", "Folder not found")
	}},
	{"media-list-parameters", func(t *testing.T, w *world) {
		c := w.plain.open(t, 1)
		for query, code := range map[string]string{
			"type=movie": "type_invalid", "page=-1": "page_invalid", "page=x": "page_invalid", "page_size=0": "page_size_invalid", "page_size=101": "page_size_invalid",
			"page_size=x": "page_size_invalid", "next_token=x": "next_token_invalid", "q=a&q=b": "parameter_ambiguous",
		} {
			c.refused(t, "GET", "/media/folder?"+query, "", 400, code, "")
			c.refused(t, "GET", "/media?"+query, "", 400, code, "")
		}
		c.refused(t, "GET", "/media/folder?tree=x", "", 400, "tree_invalid", "")
	}},
	{"media-list-pages", func(t *testing.T, w *world) {
		c := w.plain.open(t, 1)
		var want []string
		for n := range 7 {
			want = append(want, fmt.Sprintf("f%d", n))
			c.upload(t, "many", want[n], "image/png", "1")
		}
		var got []string
		token := ""
		for {
			path := "/media/folder?path=many&page_size=3"
			if token != "" {
				path = "/media?next_token=" + url.QueryEscape(token)
			}
			page := c.into(t, "GET", path, "")
			got = append(got, names(page))
			next, _ := page["next_token"].(string)
			if page["has_next"] != (next != "") {
				t.Errorf("has_next %v with %q", page["has_next"], next)
			}
			if next == "" {
				break
			}
			token = next
		}
		if strings.Join(got, " ") != strings.Join(want, " ") || len(got) != 3 {
			t.Errorf("pages %v", got)
		}
		w.plain.open(t, 1).refused(t, "GET", "/media?next_token="+url.QueryEscape(token), "", 400, "next_token_invalid", "Invalid next_token")
		for _, beside := range []string{"path=other", "type=image", "q=f", "page_size=2", "page=1"} {
			c.refused(t, "GET", "/media?"+beside+"&next_token="+url.QueryEscape(token), "", 400, "next_token_invalid", "Invalid next_token")
		}
		c.into(t, "GET", "/media?path=many&page_size=3&next_token="+url.QueryEscape(token), "")
	}},
	{"media-tree", func(t *testing.T, w *world) {
		c := w.plain.open(t, 1)
		tree := func() string {
			var out []string
			for _, b := range c.into(t, "GET", "/media/folder?tree=true", "")["tree"].([]any) {
				b := b.(object)
				out = append(out, fmt.Sprintf("%v:%v:%v", b["path"], b["files"], b["size"]))
			}
			return strings.Join(out, " ")
		}
		if got := tree(); got != "/:0:0 temp:0:0" {
			t.Errorf("empty: %s", got)
		}
		c.upload(t, "a/b", "x", "a/b", "123")
		c.upload(t, "", "y", "a/b", "12")
		c.upload(t, "temp", "z", "a/b", "1")
		c.into(t, "POST", "/media/folder", `{"folder":"zoo"}`)
		if got := tree(); got != "/:1:2 a:0:0 a/b:1:3 temp:1:1 zoo:0:0" {
			t.Errorf("%s", got)
		}
	}},
	{"media-storage", func(t *testing.T, w *world) {
		c := w.plain.open(t, 1)
		used := func(want float64) {
			t.Helper()
			got := c.into(t, "GET", "/media", "")
			s := got["storage"].(object)
			if s["used_bytes"] != want || s["free_allowance"] != 52428800.0 || s["credits_per_week"] != 0.0 || s["blocked"] != false || s["blocked_at"] != nil {
				t.Errorf("%v, want %v", s, want)
			}
		}
		used(0)
		c.upload(t, "a", "x", "a/b", "12345")
		c.register(t, "", "pending", "a/b", 1000)
		used(5)
		c.into(t, "PUT", "/media/file", `{"name":"x","folder":"a","destination":"b/c"}`)
		used(5)
		c.into(t, "DELETE", "/media", `{"path":"b/c/x"}`)
		used(0)
	}},
}
