package matrix_test

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
)

// number makes the names of subjects that their owners name themselves, all of one length.
var number atomic.Int64

func name(kind string) string { return fmt.Sprintf("%s%06d", kind, number.Add(1)) }

// hookBody is a webhook that is never reached.
func hookBody(id string) string {
	return fmt.Sprintf(`{"id":%q,"type":"webhook","endpoint":"https://127.0.0.1:9/hook","signed":true}`, id)
}

// savedHook is a saved webhook.
func savedHook(t *testing.T, of *tenant, deleted bool) string {
	t.Helper()
	id := name("hook")
	of.call(t, http.MethodPost, "/connections", hookBody(id))
	if deleted {
		of.call(t, http.MethodDelete, "/connections?id="+id, "")
	}
	return id
}

func byID(id string) (query, body string) { return "id=" + id, "" }

var noHook = want{404, "connection_not_found", "Connection %s not found"}

// connectionRows are the routes of saved connections. Decision 50. An id names a connection of the caller's own only: another's is
// unknown.
var connectionRows = []row{
	{route: "GET /v2/connections", own: want{status: 200, text: `"connections":[`}},
	{
		route: "POST /v2/connections", request: func(string) (string, string) { return "", hookBody(name("hook")) },
		own: want{status: 200, text: `"secret":"whsec_`}, changes: true,
	},
	{
		route: "DELETE /v2/connections", subject: savedHook, request: byID, unknown: "hookUnknow", changes: true,
		own: fine, foreign: noHook, deleted: &noHook,
	},
	{
		route: "POST /v2/connections/test", subject: savedHook, request: byID, unknown: "hookUnknow", changes: true,
		own: want{status: 200, text: `"status":"error"`}, foreign: noHook, deleted: &noHook,
	},
	{
		route: "POST /v2/connections/secret", subject: savedHook, request: byID, unknown: "hookUnknow", changes: true,
		own: want{status: 200, text: `"secret":"whsec_`}, foreign: noHook, deleted: &noHook,
	},
	{
		route: "DELETE /v2/connections/secret", subject: savedHook, request: byID, unknown: "hookUnknow", changes: true,
		own: fine, foreign: noHook, deleted: &noHook,
	},
}
