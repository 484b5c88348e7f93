package matrix_test

import (
	"net/http"
	"testing"
)

// creditRows are the statements of credits. Decision "Roles".
var creditRows = []row{
	{route: "GET /v2/credits", own: want{status: 200, text: `"balance":`}},
	{route: "GET /v2/credits/ledger", own: want{status: 200, text: `"entries":[`}},
}

const preloadBody = `{"preload":[{"id":"one","type":"image","src":"https://example.com/one.png"}]}`

// requestedPreload is a preload batch that waits.
func requestedPreload(t *testing.T, of *tenant, _ bool) string {
	t.Helper()
	return of.field(t, http.MethodPost, "/preloads", preloadBody, "preload_id")
}

// preloadRows are the routes of preloads, which nobody deletes. Specification: POST /preloads; decision 46.
var preloadRows = []row{
	{
		route: "POST /v2/preloads", request: func(string) (string, string) { return "", preloadBody },
		own: want{status: 200, text: `"preload_id":"`}, changes: true,
	},
	{
		route: "GET /v2/preloads/{preload_id}", subject: requestedPreload, unknown: unknownMovie,
		own: want{status: 200, text: `"preload_id":"%s"`}, foreign: want{404, "preload_not_found", "Preload %s not found"},
	},
}
