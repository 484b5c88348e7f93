package matrix_test

import (
	"fmt"
	"net/http"
	"testing"
)

const (
	unknownMovie = "Zz0Zz0Zz0Zz0Zz0Z"
	movieBody    = `{"resolution":"custom","width":64,"height":64,"scenes":[{"duration":1}],"exports":[{"destinations":[{"type":"webhook","endpoint":"https://example.com/hook"}]}]}`
)

// pendingMovie is a movie of a tenant's that waits; a deleted one was cancelled, and its file deleted.
func pendingMovie(t *testing.T, of *tenant, deleted bool) string {
	t.Helper()
	project := of.field(t, http.MethodPost, "/movies", movieBody, "project")
	if deleted {
		of.call(t, http.MethodPost, "/movies/cancel?project="+project, "")
		of.call(t, http.MethodDelete, "/movies?project="+project, "")
	}
	return project
}

// endedMovie is a movie that has ended, with a delivery still to come; a deleted one without its file too.
func endedMovie(t *testing.T, of *tenant, deleted bool) string {
	t.Helper()
	if deleted {
		return pendingMovie(t, of, true)
	}
	project := pendingMovie(t, of, false)
	of.call(t, http.MethodPost, "/movies/cancel?project="+project, "")
	return project
}

func byProject(id string) (query, body string) { return "project=" + id, "" }

// deleteRefusals are the words of DELETE /movies, whose every failure is 400. Decision 3.
var deleteRefusals = map[string]want{
	"api_key_missing":          {400, "api_key_missing", "Error: API Key not provided"},
	"api_key_invalid":          {400, "api_key_invalid", "Error: Invalid API key"},
	"insufficient_permissions": {400, "insufficient_permissions", "Insufficient permissions"},
}

var (
	noMovie = want{404, "movie_not_found", "Movie %s not found"}
	fine    = want{status: 200, text: `"success":true`}
)

// movieRows are the routes of movies. Specification: Endpoints; decisions 6, 18, 31 and 32.
var movieRows = []row{
	{route: "GET /v2/movies", name: "list", own: want{status: 200, text: `"movies":[`}},
	{
		route: "GET /v2/movies", name: "single", subject: pendingMovie, request: byProject, unknown: unknownMovie,
		own: want{status: 200, text: `"status":"pending","message":"","project":"%s"`}, foreign: noMovie, deleted: &want{status: 200, text: `"status":"error"`},
	},
	{
		route: "POST /v2/movies", name: "a movie", request: func(string) (string, string) { return "", movieBody },
		own: want{status: 200, text: `"project":"`}, changes: true,
	},
	{
		route: "POST /v2/movies", name: "by reference", subject: endedMovie, unknown: unknownMovie, changes: true,
		request: func(id string) (string, string) { return "", fmt.Sprintf(`{"project":%q}`, id) },
		own:     fine, foreign: want{404, "movie_not_found", "Movie ID %s not found"}, deleted: &fine,
	},
	{
		route: "DELETE /v2/movies", subject: endedMovie, request: byProject, unknown: unknownMovie, changes: true,
		own: want{status: 200, text: `"deleted_at":"`}, foreign: want{400, "movie_not_found", "Movie %s not found"},
		deleted: &want{status: 200, text: `"deleted_at":"`}, refusals: deleteRefusals,
	},
	{
		route: "POST /v2/movies/validate", request: func(string) (string, string) { return "", movieBody },
		own: want{status: 200, text: `"valid":true`},
	},
	{
		route: "POST /v2/movies/still", request: func(string) (string, string) { return "time=0,0.1", movieBody },
		own: want{status: 200, text: `"exact":`},
	},
	{
		route: "POST /v2/movies/cancel", subject: pendingMovie, request: byProject, unknown: unknownMovie, changes: true,
		own: fine, foreign: noMovie, deleted: &want{409, "movie_already_finished", "Movie %s has already finished"},
	},
	{
		route: "GET /v2/movies/events", subject: pendingMovie, request: byProject, unknown: unknownMovie,
		own: want{status: 200, text: `"type":"MovieSubmitted"`}, foreign: noMovie, deleted: &want{status: 200, text: `"type":"FileDeleted"`},
	},
	{
		route: "GET /v2/movies/progress", subject: endedMovie, request: byProject, unknown: unknownMovie,
		own: want{status: 200, text: `"status":"error"`}, foreign: noMovie, deleted: &want{status: 200, text: `"status":"error"`},
	},
	{
		route: "POST /v2/movies/redeliver", subject: endedMovie, request: byProject, unknown: unknownMovie,
		own:     want{409, "delivery_in_progress", "Movie %s is being delivered. Wait until that has ended."},
		foreign: noMovie, deleted: &want{409, "delivery_in_progress", "Movie %s is being delivered. Wait until that has ended."},
	},
}
