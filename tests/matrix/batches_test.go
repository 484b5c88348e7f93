package matrix_test

import (
	"net/http"
	"testing"
)

// startedBatch is a batch of two movies; a deleted one was cancelled.
func startedBatch(t *testing.T, of *tenant, deleted bool) string {
	t.Helper()
	id := of.field(t, http.MethodPost, "/batches", `{"template":"`+savedTemplate(t, of, false)+`","rows":[{},{}]}`, "batch")
	if deleted {
		of.call(t, http.MethodPost, "/batches/cancel?id="+id, "")
	}
	return id
}

func inPath(string) (query, body string) { return "", "" }

var noBatch = want{404, "batch_not_found", "Batch %s not found"}

// batchRows are the routes of batches of movies. Decision 63.
var batchRows = []row{
	{route: "GET /v2/batches", own: want{status: 200, text: `"batches":[`}},
	{
		route: "POST /v2/batches", subject: savedTemplate, unknown: unknownTemplate, changes: true,
		request: func(id string) (string, string) { return "", `{"template":"` + id + `","rows":[{}]}` },
		own:     want{status: 200, text: `"batch":"`}, foreign: nothingToRender, deleted: &nothingToRender,
	},
	{
		route: "POST /v2/batches/validate", subject: savedTemplate, unknown: unknownTemplate,
		request: func(id string) (string, string) { return "", `{"template":"` + id + `","rows":[{}]}` },
		own:     want{status: 200, text: `"movies":1`}, foreign: nothingToRender, deleted: &nothingToRender,
	},
	{
		route: "GET /v2/batches/{batch_id}", subject: startedBatch, request: inPath, unknown: unknownMovie,
		own: want{status: 200, text: `"id":"%s"`}, foreign: noBatch, deleted: &want{status: 200, text: `"status":"cancelled"`},
	},
	{
		route: "GET /v2/batches/{batch_id}/results.csv", subject: startedBatch, request: inPath, unknown: unknownMovie,
		own: want{status: 200, text: `row,project,status`}, foreign: noBatch, deleted: &want{status: 200, text: `,cancelled,`},
	},
	{
		route: "POST /v2/batches/cancel", subject: startedBatch, request: byID, unknown: unknownMovie, changes: true,
		own: want{status: 200, text: `"state":"cancelled"`}, foreign: noBatch, deleted: &want{status: 200, text: `"state":"cancelled"`},
	},
}
