package matrix_test

import (
	"net/http"
	"testing"
)

const unknownTemplate = "Zz0Zz0Zz0Zz0Zz0Zz0Zz"

// savedTemplate is a template that is not published.
func savedTemplate(t *testing.T, of *tenant, deleted bool) string {
	t.Helper()
	id := of.field(t, http.MethodPost, "/templates", `{"name":"a template","movie":`+movieBody+`}`, "templateId")
	if deleted {
		of.call(t, http.MethodDelete, "/templates?id="+id, "")
	}
	return id
}

var (
	noTemplate      = want{404, "template_not_found", "Template %s not found"}
	notMine         = want{403, "template_not_owned", "Template %s is not owned by you"}
	nothingToRender = want{404, "template_not_found", "Template not found"}
)

// templateRows are the routes of templates. Specification: Errors; decisions 6 and 40 to 42.
var templateRows = []row{
	{route: "GET /v2/templates", name: "list", own: want{status: 200, text: `"templates":[`}},
	{
		route: "GET /v2/templates", name: "single", subject: savedTemplate, request: byID, unknown: unknownTemplate,
		own: want{status: 200, text: `"id":"%s"`}, foreign: noTemplate, deleted: &noTemplate,
	},
	{
		route: "POST /v2/templates", name: "create", request: func(string) (string, string) { return "", `{"name":"another"}` },
		own: want{status: 200, text: `"templateId":"`}, changes: true,
	},
	{
		route: "POST /v2/templates", name: "update", subject: savedTemplate, unknown: unknownTemplate, changes: true,
		request: func(id string) (string, string) { return "id=" + id, `{"name":"renamed"}` },
		own:     fine, foreign: notMine, deleted: &notMine,
	},
	{
		route: "POST /v2/templates", name: "duplicate", subject: savedTemplate, unknown: unknownTemplate, changes: true,
		request: func(id string) (string, string) { return "action=duplicate&id=" + id, `{}` },
		own:     want{status: 200, text: `"templateId":"`}, foreign: noTemplate, deleted: &noTemplate,
	},
	{
		route: "DELETE /v2/templates", subject: savedTemplate, request: byID, unknown: unknownTemplate, changes: true,
		own: fine, foreign: noTemplate, deleted: &noTemplate,
	},
	{route: "GET /v2/templates/library", own: want{status: 200, text: `"templates":[`}},
	{
		route: "POST /v2/movies", name: "by template", subject: savedTemplate, request: inBody("template", ""), unknown: unknownTemplate, changes: true,
		own: fine, foreign: nothingToRender, deleted: &nothingToRender,
	},
}
