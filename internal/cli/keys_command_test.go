package cli_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/internal/cli"
)

// operated is a service as the command line sees it: what it was asked, and what it answers.
type operated struct {
	asked   []string
	answers []string // in turn; one that begins with a number has that status
	url     string
}

func operate(t *testing.T, answers ...string) *operated {
	t.Helper()
	o := &operated{answers: answers}
	server := httptest.NewServer(o)
	t.Cleanup(server.Close)
	o.url = server.URL
	t.Setenv("MOVIOLA_ADMIN_TOKEN", "the token")
	return o
}

// ServeHTTP implements http.Handler.
func (o *operated) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if token := r.Header.Get("X-Admin-Token"); token != "the token" {
		body = fmt.Appendf(body, " with token %q", token)
	}
	o.asked = append(o.asked, strings.TrimSpace(r.Method+" "+r.URL.String()+" "+string(body)))
	status, answer := http.StatusOK, o.answers[0]
	if _, err := fmt.Sscanf(answer, "%d ", &status); err == nil {
		answer = answer[4:]
	}
	o.answers = o.answers[1:]
	if status == http.StatusFound {
		w.Header().Set("Location", o.url+"/elsewhere")
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, answer) // the client may have gone
}

// command runs the command line.
func command(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = cli.Main(append([]string{"moviola"}, args...), &out, &errs)
	return code, out.String(), errs.String()
}

func TestKeysList(t *testing.T) {
	const id = "0123456789abcdef0123456789abcde"
	o := operate(t,
		`{"success":true,"next_token":"more","keys":[{"id":"`+id+`1","name":"ci","role":"editor","legacy":null,"created_at":"2026-11-21T09:00:00.000Z","expires_at":null}]}`,
		`{"success":true,"next_token":null,"keys":[
			{"id":"`+id+`2","name":"old","role":"admin","legacy":"primary","created_at":"2026-11-20T09:00:00.000Z","expires_at":"2026-11-20T10:00:00.000Z","expired":true},
			{"id":"`+id+`3","name":"x\u001b[2J\n`+id+`4\tadmin","role":"viewer","legacy":null,"created_at":"2026-11-19T09:00:00.000Z","expires_at":"2027-11-20T10:00:00.000Z","expired":false}]}`)
	code, out, errs := command("keys", "list", "--account", "a&b", "--url", o.url+"/")
	if code != 0 || errs != "" {
		t.Errorf("exit %d: %s", code, errs)
	}
	if diff := cmp.Diff([]string{"GET /admin/keys?account=a%26b", "GET /admin/keys?account=a%26b&next_token=more"}, o.asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	want := []string{
		"ID ROLE CREATED EXPIRES NAME",
		id + "1 editor 2026-11-21T09:00:00.000Z never ci",
		id + "2 admin (primary) 2026-11-20T09:00:00.000Z 2026-11-20T10:00:00.000Z (expired) old",
		id + "3 viewer 2026-11-19T09:00:00.000Z 2027-11-20T10:00:00.000Z x [2J " + id + "4 admin", // a client chose the name
	}
	var got []string
	for line := range strings.Lines(out) {
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("printed (-want +got):\n%s", diff)
	}
}

// TestKeysIssue: the key stands alone on standard output.
func TestKeysIssue(t *testing.T) {
	o := operate(t, `{"success":true,"id":"i1","key":"mv_one","role":"editor"}`, `{"success":true,"id":"i2","key":"mv_two","role":"admin","legacy":"primary"}`)
	code, out, errs := command("keys", "issue", "--url", o.url, "--account", "a", "--name", "ci", "--role", "editor", "--expires", "2027-01-31")
	if code != 0 || out != "mv_one\n" || errs != "Key i1 of account a, role editor. It is shown only now:\n" {
		t.Errorf("exit %d: %q, %q", code, out, errs)
	}
	t.Setenv("MOVIOLA_URL", o.url)
	if code, out, errs := command("keys", "issue", "--name", "old", "--legacy", "primary"); code != 0 || out != "mv_two\n" {
		t.Errorf("exit %d: %q, %q", code, out, errs)
	}
	want := []string{
		`POST /admin/keys {"account":"a","name":"ci","role":"editor","expires_at":"2027-01-31"}`,
		`POST /admin/keys {"account":"default","name":"old","legacy":"primary"}`,
	}
	if diff := cmp.Diff(want, o.asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

func TestKeysRevoke(t *testing.T) {
	o := operate(t, `{"success":true,"account":"a","revoked_at":"2026-11-21T09:00:00.000Z"}`, `404 {"success":false,"message":"Key i2 not found"}`)
	code, out, errs := command("keys", "revoke", "i1", "i2", "i3", "--url", o.url)
	if code != 1 || out != "Key i1 of account a was revoked at 2026-11-21T09:00:00.000Z\n" || errs != "moviola: Key i2 not found\n" {
		t.Errorf("exit %d: %q, %q", code, out, errs)
	}
	if diff := cmp.Diff([]string{"DELETE /admin/keys?id=i1", "DELETE /admin/keys?id=i2"}, o.asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

// TestKeys_Trouble: what goes wrong is said, and the token goes nowhere else.
func TestKeys_Trouble(t *testing.T) {
	o := operate(t, "502 <html>", "302 ", "no JSON")
	for _, want := range []string{"answered 502 Bad Gateway", "answered 302 Found", "did not answer as this program does"} {
		if code, out, errs := command("keys", "revoke", "i1", "--url", o.url); code != 1 || out != "" || !strings.Contains(errs, want) {
			t.Errorf("exit %d: %q, %q; want %q", code, out, errs, want)
		}
	}
	if len(o.asked) != 3 {
		t.Errorf("asked %q", o.asked)
	}
	if code, _, errs := command("keys", "list", "--url", "http://127.0.0.1:1"); code != 1 || !strings.Contains(errs, "connection refused") || strings.Contains(errs, "the token") {
		t.Errorf("exit %d: %q", code, errs)
	}
	t.Setenv("MOVIOLA_ADMIN_TOKEN", "")
	if code, _, errs := command("keys", "list", "--url", o.url); code != 1 || !strings.Contains(errs, "set MOVIOLA_ADMIN_TOKEN") || len(o.asked) != 3 {
		t.Errorf("exit %d: %q", code, errs)
	}
}
