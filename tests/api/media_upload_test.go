package api_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"moviola/commands/ledgers"
	"moviola/domain"
	"moviola/tests/harness"
)

// anyType is the type of files that are not looked into.
const anyType = "application/octet-stream"

// uploadRows: the addresses that files are uploaded to. Decision 45; reliability §7b.
var uploadRows = []row{
	{"upload-once", func(t *testing.T, w *world) {
		c := w.plain.open(t, 1)
		upload, file := c.register(t, "", "x", "image/png", 3)
		if answer := c.send(t, "PUT", upload, "one", "Content-Type", "image/png"); answer.Status != 200 {
			t.Fatalf("%d %s", answer.Status, answer.Body)
		}
		c.denied(t, "PUT", upload, "two", 409, "upload_used", "Content-Type", "image/png")
		if answer := c.send(t, "GET", file, ""); string(answer.Body) != "one" {
			t.Errorf("the file is %s", answer.Body)
		}
	}},
	{"upload-race", func(t *testing.T, w *world) {
		c := w.plain.open(t, 1)
		upload, file := c.register(t, "", "x", anyType, 1)
		results := make(chan [2]string, 8)
		for n := range cap(results) {
			body := fmt.Sprint(n)
			go func() { results <- [2]string{fmt.Sprint(c.send(t, "PUT", upload, body).Status), body} }()
		}
		won := ""
		for range cap(results) {
			if result := <-results; result[0] == "200" {
				won += result[1]
			} else if result[0] != "409" {
				t.Errorf("status %s", result[0])
			}
		}
		if answer := c.send(t, "GET", file, ""); len(won) != 1 || string(answer.Body) != won {
			t.Errorf("%q won, the file is %s", won, answer.Body)
		}
	}},
	{"upload-bound", func(t *testing.T, w *world) {
		c := w.plain.open(t, 1)
		upload, file := c.register(t, "", "x", "image/png", 3)
		for _, body := range []string{"", "12", "1234"} {
			c.denied(t, "PUT", upload, body, 400, "upload_length_mismatch", "Content-Type", "image/png")
		}
		for _, contentType := range []string{"image/jpeg", "image/png; charset=utf-8", "text/html", anyType, "IMAGE/PNG"} {
			c.denied(t, "PUT", upload, "123", 400, "upload_type_mismatch", "Content-Type", contentType)
		}
		for _, method := range []string{"GET", "POST", "DELETE", "PATCH"} {
			if answer := c.send(t, method, upload, ""); answer.Status != 405 {
				t.Errorf("%s: %d", method, answer.Status)
			}
		}
		for _, query := range []string{"?", "?x=1", "?size=4"} {
			c.denied(t, "PUT", upload+query, "123", 403, "upload_address_invalid", "Content-Type", "image/png")
		}
		if answer := c.send(t, "GET", file, ""); answer.Status != 404 {
			t.Errorf("the file: %d", answer.Status)
		}
		if answer := c.send(t, "PUT", upload, "123"); answer.Status != 200 { // none of these has used it up
			t.Errorf("%d %s", answer.Status, answer.Body)
		}
		if got := c.send(t, "GET", file, "").Header.Get("Content-Type"); got != "image/png" {
			t.Errorf("served as %q", got)
		}
	}},
	{"upload-altered", func(t *testing.T, w *world) {
		c := w.plain.open(t, 1)
		upload, file := c.register(t, "", "x", anyType, 1)
		for i := range len(upload) {
			for _, flip := range []byte{1, 32} {
				altered := []byte(upload)
				altered[i] ^= flip
				if altered[i] < 33 || altered[i] > 126 || bytes.IndexByte([]byte(`#?%/\`), altered[i]) >= 0 || altered[i] == upload[i] {
					continue
				}
				if status := c.raw(t, string(altered)); status < 400 {
					t.Fatalf("%s: %d", altered, status)
				}
			}
		}
		if answer := c.send(t, "GET", file, ""); answer.Status != 404 {
			t.Errorf("the file: %d", answer.Status)
		}
	}},
	{"upload-expires", func(t *testing.T, w *world) {
		c := w.forgetful.open(t, 1)
		upload, _ := c.register(t, "", "x", anyType, 1)
		harness.Eventually(t, "the registration has vanished", func() bool {
			return c.call(t, "GET", "/media/file?path=x", "").Status == 404
		})
		c.denied(t, "PUT", upload, "1", 403, "upload_expired")
		again, file := c.register(t, "", "x", anyType, 1) // the name is free
		c.denied(t, "PUT", upload, "1", 403, "upload_expired")
		if answer := c.send(t, "PUT", again, "2"); answer.Status == 200 {
			if answer := c.send(t, "GET", file, ""); string(answer.Body) != "2" {
				t.Errorf("%s", answer.Body)
			}
		}
	}},
	{"upload-superseded", func(t *testing.T, w *world) {
		c := w.plain.open(t, 1)
		upload, _ := c.register(t, "", "x", anyType, 1)
		c.into(t, "DELETE", "/media", `{"path":"x"}`)
		c.denied(t, "PUT", upload, "1", 409, "upload_superseded")
		other, file := c.register(t, "", "x", anyType, 1)
		c.denied(t, "PUT", upload, "1", 409, "upload_superseded")
		if answer := c.send(t, "PUT", other, "2"); answer.Status != 200 {
			t.Errorf("%d %s", answer.Status, answer.Body)
		}
		if answer := c.send(t, "GET", file, ""); string(answer.Body) != "2" {
			t.Errorf("%s", answer.Body)
		}
	}},
	{"upload-blocked", func(t *testing.T, w *world) {
		c := w.plain.open(t, 1)
		upload, file := c.register(t, "", "x", anyType, 1)
		books := ledgers.New(c.log, time.Now) // of another process, which spends what is left
		t.Cleanup(books.Close)
		account, subject := domain.AccountID(c.account), domain.ProjectID("Spent00000000001")
		if _, err := books.Hold(t.Context(), ledgers.Hold{Account: account, Project: subject, Amount: 1}); err != nil {
			t.Fatal(err)
		}
		if _, err := books.Charge(t.Context(), ledgers.Charge{Account: account, Project: subject}); err != nil {
			t.Fatal(err)
		}
		harness.Eventually(t, "the storage is blocked", func() bool {
			return c.into(t, "GET", "/media", "")["storage"].(object)["blocked"] == true
		})
		c.denied(t, "PUT", upload, "1", 403, "storage_blocked")
		c.grant(t, 1)
		if answer := c.send(t, "PUT", upload, "1"); answer.Status != 200 {
			t.Errorf("with credits again: %d %s", answer.Status, answer.Body)
		}
		if answer := c.send(t, "GET", file, ""); string(answer.Body) != "1" {
			t.Errorf("the file is %s", answer.Body)
		}
	}},
	{"upload-no-length", func(t *testing.T, w *world) {
		c := w.plain.open(t, 1)
		upload, _ := c.register(t, "", "x", anyType, 3)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, c.base+upload, io.MultiReader(strings.NewReader("123"))) // sent in chunks
		if err != nil {
			t.Fatal(err)
		}
		response, err := c.http.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if body, err := io.ReadAll(response.Body); err != nil || response.StatusCode != 400 || !strings.Contains(string(body), "upload_length_required") {
			t.Errorf("%d %s %v", response.StatusCode, body, err)
		}
	}},
	{"upload-curl", func(t *testing.T, w *world) {
		c := w.plain.open(t, 1)
		path := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(path, bytes.Repeat([]byte{'x'}, 2<<20), 0o600); err != nil {
			t.Fatal(err)
		}
		for contentType, flags := range map[string][]string{"text/plain": {"-H", "Content-Type: text/plain"}, "video/mp4": nil} {
			upload, file := c.register(t, "", "x", contentType, 2<<20)
			curl := exec.CommandContext(t.Context(), "curl", append([]string{"-sS", "-T", path, c.base + upload}, flags...)...)
			if out, err := curl.CombinedOutput(); err != nil || !strings.Contains(string(out), `"success":true`) {
				t.Fatalf("curl: %v %s", err, out)
			}
			if answer := c.send(t, "GET", file, ""); len(answer.Body) != 2<<20 {
				t.Errorf("%d bytes", len(answer.Body))
			}
			c.into(t, "DELETE", "/media/file", `{"name":"x"}`)
		}
	}},
	{"upload-served", func(t *testing.T, w *world) {
		c := w.plain.open(t, 1)
		file := c.upload(t, "", "page.html", "text/html", "<script>alert(1)</script>")
		answer := c.send(t, "GET", file, "")
		h := answer.Header
		if h.Get("Content-Type") != "text/html" || h.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(h.Get("Content-Security-Policy"), "sandbox") ||
			!strings.HasPrefix(h.Get("Content-Disposition"), "attachment") {
			t.Errorf("a page: %v", h)
		}
		if h := c.send(t, "GET", c.upload(t, "", "x.svg", "image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`), "").Header; h.Get("X-Content-Type-Options") != "nosniff" ||
			!strings.HasPrefix(h.Get("Content-Disposition"), "attachment") || !strings.Contains(h.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("a drawing: %v", h)
		}
		file = c.upload(t, "", "x.png", "image/png", "0123456789")
		whole := c.send(t, "GET", file, "")
		if h := whole.Header; !strings.HasPrefix(h.Get("Content-Disposition"), "inline") || h.Get("Content-Type") != "image/png" || h.Get("ETag") == "" {
			t.Errorf("a picture: %v", h)
		}
		if part := c.send(t, "GET", file, "", "Range", "bytes=2-4"); part.Status != 206 || string(part.Body) != "234" {
			t.Errorf("a range: %d %s", part.Status, part.Body)
		}
		if outside := c.send(t, "GET", file, "", "Range", "bytes=99-"); outside.Status != 416 {
			t.Errorf("outside: %d", outside.Status)
		}
		if same := c.send(t, "GET", file, "", "If-None-Match", whole.Header.Get("ETag")); same.Status != 304 {
			t.Errorf("not changed: %d", same.Status)
		}
		c.into(t, "DELETE", "/media", `{"path":"x.png"}`)
		if other := c.send(t, "GET", c.upload(t, "", "x.png", "image/png", "other"), "", "If-None-Match", whole.Header.Get("ETag")); other.Status != 200 {
			t.Errorf("the name has other bytes now: %d", other.Status)
		}
	}},
}

// denied checks that an upload is refused, without a key.
func (c *client) denied(t *testing.T, method, path, body string, status int, code string, header ...string) {
	t.Helper()
	answer := c.send(t, method, path, body, header...)
	var got struct{ Code string }
	answer.Into(t, &got)
	if answer.Status != status || got.Code != code {
		t.Errorf("%s: %d %s, want %d %s", method, answer.Status, answer.Body, status, code)
	}
}

// raw puts a byte to a path and returns the status.
func (c *client) raw(t *testing.T, path string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, c.base+path, strings.NewReader("1"))
	if err != nil {
		return http.StatusBadRequest
	}
	response, err := c.http.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body) // so that the connection is used again
	return response.StatusCode
}
