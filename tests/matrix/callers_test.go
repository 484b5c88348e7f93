package matrix_test

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"moviola/domain/key"
	"moviola/tests/harness"
)

// caller is one who asks.
type caller struct {
	name   string
	header http.Header
	of     *tenant  // whose key it is; nil: nobody's
	role   key.Role // role of the key; empty: the caller is not let in
	code   string   // error code of the refusal; empty: the caller is let in
	legacy bool
}

// refusals are what callers are answered that are not let in, by code. Decisions 3 and "Roles".
var refusals = map[string]want{
	"api_key_missing":          {401, "api_key_missing", "Invalid or missing API key"},
	"api_key_invalid":          {401, "api_key_invalid", "Invalid or missing API key"},
	"insufficient_permissions": {403, "insufficient_permissions", "Insufficient permissions"},
}

func generate(t *testing.T) string {
	t.Helper()
	value, err := key.Generate(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func withKey(values ...string) http.Header { return http.Header{"X-Api-Key": values} }

// callers are all kinds of them: alice's keys and those that are no keys, and the admin of another account.
func callers(t *testing.T, w *world, alice, bob *tenant) []caller {
	t.Helper()
	missing := func(name string, header http.Header) caller {
		return caller{name: name, header: header, code: "api_key_missing"}
	}
	invalid := func(name string, values ...string) caller {
		return caller{name: name, header: withKey(values...), code: "api_key_invalid"}
	}
	id, revoked := alice.issue(t, key.Admin)
	alice.call(t, http.MethodDelete, "/keys?id="+id, "")
	closed := w.open(t, "closed")
	w.operate(t, http.MethodDelete, "/admin/accounts?account="+closed.account, "")
	all := []caller{
		missing("no key", http.Header{}),
		missing("empty key", withKey("")),
		missing("the operator's token instead", http.Header{"X-Admin-Token": {harness.AdminToken}}),
		missing("the key as a bearer token", http.Header{"Authorization": {"Bearer " + alice.key}}),
		invalid("malformed", "letmein"),
		invalid("wrong checksum", flipped(alice.key)),
		invalid("unknown", generate(t)),
		invalid("two keys", alice.key, alice.key),
		invalid("with a space", alice.key+" x"),
		invalid("lower case", strings.ToLower(alice.key)),
		invalid("the operator's token as a key", harness.AdminToken),
		invalid("a key's hash", key.Hash(alice.key)),
		invalid("revoked", revoked),
		invalid("expired", alice.expired(t)),
		invalid("of a closed account", closed.key),
	}
	for _, role := range []key.Role{key.Viewer, key.Render, key.Editor, key.Manager, key.Admin} {
		_, value := alice.issue(t, role)
		all = append(all, caller{name: string(role), header: withKey(value), of: alice, role: role})
	}
	for kind, role := range map[key.Legacy]key.Role{key.Primary: key.Admin, key.Secondary: key.Render} {
		var issued struct{ Key string }
		w.operate(t, http.MethodPost, "/admin/keys", fmt.Sprintf(`{"account":%q,"name":"old","legacy":%q}`, alice.account, kind)).Into(t, &issued)
		all = append(all, caller{name: "legacy " + string(kind), header: withKey(issued.Key), of: alice, role: role, legacy: true})
	}
	return append(all, caller{name: "another account's admin", header: withKey(bob.key), of: bob, role: key.Admin})
}

// flipped is a key with its first random character exchanged.
func flipped(value string) string {
	other := "0"
	if value[3] == '0' {
		other = "1"
	}
	return value[:3] + other + value[4:]
}
