package movies

import (
	"errors"
	"net/http"

	"moviola/commands"
	"moviola/domain"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
)

// The refusals of DELETE /movies, which are all 400. Spec: Errors; decision 3.
var (
	errDeleteNoKey   = domain.Errorf(domain.Invalid, "api_key_missing", "Error: API Key not provided")
	errDeleteBadKey  = domain.Errorf(domain.Invalid, "api_key_invalid", "Error: Invalid API key")
	errDeleteProject = domain.Errorf(domain.Invalid, "project_invalid",
		"A 16-character project ID must be provided in the 'project' query parameter")
	errDeleteFailed = domain.Errorf(domain.Invalid, "movie_files_not_deleted", "Error deleting the movie files. Please try again.")
)

type deleted struct {
	Success   bool             `json:"success"`
	Project   domain.ProjectID `json:"project"`
	DeletedAt string           `json:"deleted_at"`
	Timestamp string           `json:"timestamp"`
}

// deleteMovie serves DELETE /movies.
func (a *API) deleteMovie(w http.ResponseWriter, r *http.Request, c access.Call) error {
	text, ok := web.One(c.Query, "project", "id")
	project, wellFormed := domain.ParseProjectID(text)
	if !ok || !wellFormed {
		return errDeleteProject
	}
	deletion, err := a.cfg.Delete.Handle(r.Context(), commands.DeleteFile{Account: c.Account, Project: project})
	if err != nil {
		return err
	}
	web.Await(r.Context(), a.cfg.Projected, deletion.Position)
	return web.Write(w, http.StatusOK, deleted{
		Success: true, Project: project, DeletedAt: web.Stamp(deletion.At), Timestamp: web.Stamp(a.now()),
	})
}

// failDelete answers an error of DELETE /movies with status 400, except that of a missing or wrong operator's token. That
// is answered with 403, as everywhere. The answers for a missing and an invalid API key have texts of their own.
func (a *API) failDelete(w http.ResponseWriter, r *http.Request, err error) {
	var refusal *domain.Error
	switch {
	case errors.Is(err, access.ErrKeyMissing):
		refusal = errDeleteNoKey
	case errors.Is(err, access.ErrKeyInvalid):
		refusal = errDeleteBadKey
	case !errors.As(err, &refusal):
		web.LogFailure(r, a.cfg.Log, err)
		web.Retry(w, r, err)
		refusal = errDeleteFailed
	case refusal.Kind == domain.Internal:
		web.LogFailure(r, a.cfg.Log, err)
		web.Retry(w, r, err)
	case web.IsTokenRefusal(err):
		web.Refuse(w, http.StatusForbidden, refusal)
		return
	}
	web.Refuse(w, http.StatusBadRequest, refusal)
}
