package api_test

import (
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"moviola/domain/key"
	"moviola/tests/harness"
)

// issue issues a key by the interface and returns its id and a client with it.
func (c *client) issue(t *testing.T, body string) (string, *client) {
	t.Helper()
	issued := c.into(t, "POST", "/keys", body)
	return issued["id"].(string), &client{installation: c.installation, key: issued["key"].(string), account: c.account}
}

// operate makes a call of the operator that must succeed.
func (i *installation) operate(t *testing.T, method, path, body string) object {
	t.Helper()
	answer := i.send(t, method, path, body, "X-Admin-Token", harness.AdminToken)
	var got object
	answer.Into(t, &got)
	if answer.Status != 200 {
		t.Fatalf("%s %s: %d %s", method, path, answer.Status, answer.Body)
	}
	return got
}

// keyRows: what becomes of keys.
var keyRows = []row{
	{"keys-issued", func(t *testing.T, w *world) {
		c := w.plain.open(t, 0)
		for _, role := range []key.Role{key.Viewer, key.Render, key.Editor, key.Manager, key.Admin} {
			id, other := c.issue(t, fmt.Sprintf(`{"name":"for %s","role":%q}`, role, role))
			if !key.Check(other.key) || id != key.ID(key.Hash(other.key)) {
				t.Errorf("%s: id %s", role, id)
			}
			if answer := other.call(t, "GET", "/movies", ""); answer.Status != 200 {
				t.Errorf("%s: %d %s", role, answer.Status, answer.Body)
			}
		}
	}},
	{"keys-value-once", func(t *testing.T, w *world) {
		c := w.plain.open(t, 0)
		_, other := c.issue(t, `{"name":"secret","role":"viewer"}`)
		answer := c.call(t, "GET", "/keys", "")
		if !strings.Contains(string(answer.Body), `"name":"secret"`) || strings.Contains(string(answer.Body), other.key) || strings.Contains(string(answer.Body), key.Hash(other.key)) {
			t.Errorf("%s", answer.Body)
		}
	}},
	{"keys-list", func(t *testing.T, w *world) {
		c, stranger := w.plain.open(t, 0), w.plain.open(t, 0)
		var want []string
		for n := range 5 {
			id, _ := c.issue(t, fmt.Sprintf(`{"name":"key %d","role":"viewer"}`, n))
			want = append([]string{id}, want...)
		}
		stranger.issue(t, `{"name":"not yours","role":"viewer"}`)
		c.into(t, "DELETE", "/keys?id="+want[2], "")
		var got []string
		for next := ""; ; {
			page := c.into(t, "GET", "/keys?limit=2&next_token="+url.QueryEscape(next), "")
			for _, k := range page["keys"].([]any) {
				got = append(got, k.(object)["id"].(string))
			}
			if next, _ = page["next_token"].(string); next == "" {
				break
			}
			stranger.refused(t, "GET", "/keys?next_token="+url.QueryEscape(next), "", 400, "next_token_invalid", "Invalid next_token")
		}
		// The account's first key comes last: it was issued with the account. Keys of one millisecond are in the order of their ids.
		if len(got) != 5 {
			t.Errorf("%d keys: %v, issued %v", len(got), got, want)
		}
		for _, id := range got[:4] {
			if !strings.Contains(strings.Join(want, " "), id) || id == want[2] {
				t.Errorf("key %s is listed", id)
			}
		}
	}},
	{"keys-refusals", func(t *testing.T, w *world) {
		c := w.plain.open(t, 0)
		for body, code := range map[string]string{
			``: "body_missing", `[]`: "body_invalid", `{"role":"viewer"}`: "name_required", `{"name":"a"}`: "role_invalid",
			`{"name":"a","role":"primary"}`: "role_invalid", `{"name":"a","role":"viewer","expires_at":"2020-01-01"}`: "expires_at_invalid",
			`{"name":"a","role":"viewer","expires_at":"soon"}`: "expires_at_invalid", `{"name":"` + strings.Repeat("a", 101) + `","role":"viewer"}`: "name_too_long",
		} {
			c.refused(t, "POST", "/keys", body, 400, code, "")
		}
		c.refused(t, "POST", "/keys", strings.Repeat("x", 70_000), 413, "body_too_large", "")
		c.refused(t, "GET", "/keys?limit=0", "", 400, "limit_invalid", "Invalid limit")
		c.refused(t, "DELETE", "/keys", "", 400, "key_id_invalid", "A 32-character key ID must be provided in the 'id' query parameter")
	}},
	{"keys-admin-only", func(t *testing.T, w *world) {
		c := w.plain.open(t, 0)
		id, manager := c.issue(t, `{"name":"m","role":"manager"}`)
		nobody := &client{installation: c.installation}
		for _, r := range [][3]string{{"GET", "/keys"}, {"POST", "/keys", `{"name":"a","role":"viewer"}`}, {"DELETE", "/keys?id=" + id}} {
			manager.refused(t, r[0], r[1], r[2], 403, "insufficient_permissions", "Insufficient permissions")
			nobody.refused(t, r[0], r[1], r[2], 401, "api_key_missing", "Invalid or missing API key")
		}
	}},
	{"keys-revoked-next-request", func(t *testing.T, w *world) {
		c := w.plain.open(t, 0)
		for range 5 {
			id, other := c.issue(t, `{"name":"a","role":"viewer"}`)
			first := revokeAmidRequests(t, c, other, id)
			again := c.into(t, "DELETE", "/keys?id="+id, "")
			if again["revoked_at"] != first["revoked_at"] {
				t.Errorf("revoked at %v, then at %v", first["revoked_at"], again["revoked_at"])
			}
		}
	}},
	{"keys-revoked-renders-continue", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		id, other := c.issue(t, `{"name":"a","role":"render"}`)
		movie, release := w.web.held(t, "")
		project := other.submit(t, movie)
		c.until(t, project, "running")
		c.into(t, "DELETE", "/keys?id="+id, "")
		other.refused(t, "GET", "/movies?project="+project, "", 401, "api_key_invalid", "Invalid or missing API key")
		release()
		c.until(t, project, "done")
	}},
	{"keys-expired", func(t *testing.T, w *world) {
		c := w.plain.open(t, 0)
		accepted := 0
		for life := 2 * time.Second; accepted == 0 && life < harness.Patience; life *= 2 { // a busy machine may take a short life to issue the key
			accepted = c.untilExpired(t, life)
		}
		if accepted == 0 {
			t.Error("the key was never accepted")
		}
		if listed := c.call(t, "GET", "/keys", ""); !strings.Contains(string(listed.Body), `"expired":true`) {
			t.Errorf("%s", listed.Body)
		}
	}},
	{"keys-foreign-like-unknown", func(t *testing.T, w *world) {
		c, stranger := w.plain.open(t, 0), w.plain.open(t, 0)
		id, other := c.issue(t, `{"name":"a","role":"viewer"}`)
		for _, named := range []string{id, strings.Repeat("0", 32)} {
			stranger.refused(t, "DELETE", "/keys?id="+named, "", 404, "key_not_found", "Key "+named+" not found")
		}
		if answer := other.call(t, "GET", "/movies", ""); answer.Status != 200 {
			t.Errorf("a stranger has revoked the key: %d", answer.Status)
		}
	}},
	{"keys-legacy", func(t *testing.T, w *world) {
		c := w.plain.open(t, 600)
		for kind, opens := range map[string]string{"primary": "/keys", "secondary": "/movies"} {
			issued := w.plain.operate(t, "POST", "/admin/keys", fmt.Sprintf(`{"account":%q,"name":"old","legacy":%q}`, c.account, kind))
			old := &client{installation: c.installation, key: issued["key"].(string), account: c.account}
			answer := old.call(t, "GET", opens, "")
			if answer.Status != 200 || answer.Header.Get("Deprecation") == "" || answer.Header.Get("Link") == "" {
				t.Errorf("%s: %d %v", kind, answer.Status, answer.Header)
			}
			old.submit(t, quick(""))
			if kind == "secondary" {
				old.refused(t, "GET", "/keys", "", 403, "insufficient_permissions", "Insufficient permissions")
			}
		}
		if answer := c.call(t, "GET", "/movies", ""); answer.Header.Get("Deprecation") != "" {
			t.Error("an answer to a key with a role is marked")
		}
	}},
	{"keys-operator", func(t *testing.T, w *world) {
		c := w.plain.open(t, 0)
		issued := w.plain.operate(t, "POST", "/admin/keys", fmt.Sprintf(`{"account":%q,"name":"by the operator","role":"viewer"}`, c.account))
		other := &client{installation: c.installation, key: issued["key"].(string), account: c.account}
		other.into(t, "GET", "/movies", "")
		if list := w.plain.operate(t, "GET", "/admin/keys?account="+c.account, ""); list["count"] != 2.0 {
			t.Errorf("%v", list)
		}
		w.plain.operate(t, "DELETE", "/admin/keys?id="+issued["id"].(string), "")
		other.refused(t, "GET", "/movies", "", 401, "api_key_invalid", "Invalid or missing API key")
		for _, r := range []struct {
			method, path, body string
			status             int
		}{
			{"GET", "/admin/keys", "", 400}, {"GET", "/admin/keys?account=nobody0000000000", "", 404}, {"DELETE", "/admin/keys", "", 400}, {"DELETE", "/admin/keys?id=" + strings.Repeat("0", 32), "", 404},
			{"POST", "/admin/keys", `{"account":"nobody0000000000","name":"a","role":"viewer"}`, 404}, {"POST", "/admin/keys", fmt.Sprintf(`{"account":%q}`, c.account), 400},
			{"POST", "/admin/keys", strings.Repeat("x", 70_000), 413},
		} {
			if answer := w.plain.send(t, r.method, r.path, r.body, "X-Admin-Token", harness.AdminToken); answer.Status != r.status {
				t.Errorf("%s %s %.40s: %d %s", r.method, r.path, r.body, answer.Status, answer.Body)
			}
			if answer := w.plain.send(t, r.method, r.path, r.body, "X-Admin-Token", "guess"); answer.Status != 403 {
				t.Errorf("%s %s with a wrong token: %d", r.method, r.path, answer.Status)
			}
		}
	}},
}

// untilExpired issues a key for a time and uses it until it is refused. It returns how often the key was accepted: never after its end.
func (c *client) untilExpired(t *testing.T, life time.Duration) (accepted int) {
	t.Helper()
	end, last := time.Now().Add(life), time.Time{}
	body := fmt.Sprintf(`{"name":"a","role":"viewer","expires_at":%q}`, end.Format(time.RFC3339Nano))
	answer := c.call(t, "POST", "/keys", body)
	if answer.Status == 400 && time.Now().After(end) {
		return 0 // it had ended before it was issued
	}
	var issued struct{ Key string }
	answer.Into(t, &issued)
	if answer.Status != 200 {
		t.Fatalf("issue a key: %d %s", answer.Status, answer.Body)
	}
	other := &client{installation: c.installation, key: issued.Key, account: c.account}
	harness.Eventually(t, "the key has expired", func() bool {
		asked := time.Now()
		answer := other.call(t, "GET", "/movies", "")
		if answer.Status == 200 {
			accepted, last = accepted+1, asked
		}
		return answer.Status == 401
	})
	if last.After(end) {
		t.Errorf("accepted when asked %v after the end", last.Sub(end))
	}
	return accepted
}

// revokeAmidRequests revokes a key while clients use it, and checks that no request which began after the answer is let in.
func revokeAmidRequests(t *testing.T, admin, holder *client, id string) object {
	t.Helper()
	var revoked atomic.Bool
	var accepted, late atomic.Int64
	var asking sync.WaitGroup
	begun := make(chan struct{}, 16)
	for range 8 {
		asking.Go(func() {
			for after := 0; after < 3; {
				over := revoked.Load()
				status := holder.call(t, "GET", "/movies?limit=1&format=simple", "").Status
				switch {
				case status == 200 && over:
					late.Add(1)
				case status == 200:
					accepted.Add(1)
				}
				select {
				case begun <- struct{}{}:
				default:
				}
				if over {
					after++
				}
			}
		})
	}
	for range cap(begun) {
		<-begun
	}
	answer := admin.into(t, "DELETE", "/keys?id="+id, "")
	revoked.Store(true)
	asking.Wait()
	if accepted.Load() == 0 || late.Load() > 0 {
		t.Errorf("%d requests were let in before the revocation, %d after it", accepted.Load(), late.Load())
	}
	return answer
}
