package movies

import (
	"net/http"

	"moviola/domain/key"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
)

// Paths of the interface.
const (
	moviesPath    = "/v2/movies"
	validatePath  = moviesPath + "/validate"
	stillPath     = moviesPath + "/still"
	cancelPath    = moviesPath + "/cancel"
	eventsPath    = moviesPath + "/events"
	progressPath  = moviesPath + "/progress"
	redeliverPath = moviesPath + "/redeliver"
)

// Operations returns the operations on movies. Spec: Endpoints; decision 32; roles by decision "Roles".
func (a *API) Operations() []access.Operation {
	op := func(method, path string, role key.Role, serve access.Endpoint, query ...string) access.Operation {
		return access.Operation{Method: method, Path: path, Role: role, Query: query, Serve: serve}
	}
	list := op(http.MethodGet, moviesPath, key.Viewer, a.getMovies,
		"project", "id", "from", "date_start", "to", "date_end", "limit", "next_token", "format", "account",
		"status", "template", "movie_id", dataFilter+"*")
	list.Headers = []string{web.OperatorTokenHeader}
	submit := op(http.MethodPost, moviesPath, key.Render, a.postMovie, "account", "max_credits")
	submit.Headers, submit.OwnAccount = []string{web.IdempotencyHeader, web.OperatorTokenHeader}, true
	remove := op(http.MethodDelete, moviesPath, key.Render, a.deleteMovie, "project", "id", "account")
	remove.Headers, remove.OwnAccount = []string{web.OperatorTokenHeader}, true
	remove.Fail = a.failDelete // all errors but a wrong operator's token have the same status
	return []access.Operation{
		list,
		submit,
		remove,
		op(http.MethodPost, validatePath, key.Render, a.validateMovie),
		op(http.MethodPost, stillPath, key.Render, a.stillMovie, "time", "fetch", "format", "size"),
		op(http.MethodPost, cancelPath, key.Render, a.cancelMovie, "project", "id"),
		op(http.MethodGet, eventsPath, key.Viewer, a.movieEvents, "project", "id"),
		op(http.MethodGet, progressPath, key.Viewer, a.followMovies, "project", "id", "all"),
		op(http.MethodPost, redeliverPath, key.Render, a.redeliverMovie, "project", "id", "index"),
	}
}
