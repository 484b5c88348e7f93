package matrix_test

import (
	"net/http"
	"strings"
	"testing"

	"moviola/domain/key"
)

// keyRows are the routes of keys. Decision 49.
var keyRows = []row{
	{route: "GET /v2/keys", own: want{status: 200, text: `"keys":[{"id":"`}},
	{
		route: "POST /v2/keys", request: func(string) (string, string) { return "", `{"name":"another","role":"viewer"}` },
		own: want{status: 200, text: `"key":"mv_`}, changes: true,
	},
	{
		route: "DELETE /v2/keys", unknown: strings.Repeat("0123456789abcdef", 2), changes: true,
		subject: func(t *testing.T, of *tenant, deleted bool) string {
			t.Helper()
			id, _ := of.issue(t, key.Viewer)
			if deleted {
				of.call(t, http.MethodDelete, "/keys?id="+id, "")
			}
			return id
		},
		request: func(id string) (string, string) { return "id=" + id, "" },
		own:     want{status: 200, text: `"revoked_at":"`}, deleted: &want{status: 200, text: `"revoked_at":"`},
		foreign: want{404, "key_not_found", "Key %s not found"},
	},
}
