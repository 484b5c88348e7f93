package matrix_test

import (
	"net/http"
	"testing"
)

const unknownInbox = "ZzZzZzZzZzZzZzZzZzZzZzZz"

var noInbox = want{status: 404, code: "inbox_not_found", text: "Inbox %s not found"}

// openInbox is an inbox of a tenant's.
func openInbox(t *testing.T, of *tenant, deleted bool) string {
	t.Helper()
	var opened struct{ Inbox struct{ ID string } }
	of.call(t, http.MethodPost, "/inboxes", "").Into(t, &opened)
	if deleted {
		of.call(t, http.MethodDelete, "/inboxes/"+opened.Inbox.ID, "")
	}
	return opened.Inbox.ID
}

// deliveryRows are the routes of the delivery log and of inboxes. Decisions 76 and 83.
var deliveryRows = []row{
	{route: "GET /v2/deliveries", own: want{status: 200, text: `"deliveries":[`}},
	{
		route: "GET /v2/deliveries/{project}", subject: pendingMovie, request: inPath, unknown: unknownMovie,
		own: want{status: 200, text: `"tries":[`}, foreign: noMovie, deleted: &want{status: 200, text: `"tries":[`},
	},
	{route: "GET /v2/inboxes", own: want{status: 200, text: `"inboxes":[`}},
	{route: "POST /v2/inboxes", own: want{status: 200, text: `"address":"https://inbox.moviola.invalid/`}, changes: true},
	{
		route: "GET /v2/inboxes/{inbox}", subject: openInbox, request: inPath, unknown: unknownInbox,
		own: want{status: 200, text: `"letters":[`}, foreign: noInbox, deleted: &noInbox,
	},
	{
		route: "DELETE /v2/inboxes/{inbox}", subject: openInbox, request: inPath, unknown: unknownInbox, changes: true,
		own: fine, foreign: noInbox, deleted: &noInbox,
	},
}
