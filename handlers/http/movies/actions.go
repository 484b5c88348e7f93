package movies

import (
	"net/http"
	"net/url"
	"strconv"

	"moviola/commands"
	"moviola/commands/deliveries"
	"moviola/domain"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
	"moviola/projections"
)

var errIndex = domain.Errorf(domain.Invalid, "index_invalid", "Invalid index")

// projectOf returns the movie that a request names by the parameter project or its alias. Decision 7.
func projectOf(query url.Values) (domain.ProjectID, error) {
	text, ok := web.One(query, "project", "id")
	if !ok {
		return "", errProjects
	}
	return domain.ProjectID(text), checkProject(text)
}

type cancelled struct {
	Success     bool             `json:"success"`
	Project     domain.ProjectID `json:"project"`
	Status      string           `json:"status"`
	CancelledAt string           `json:"cancelled_at"`
	Timestamp   string           `json:"timestamp"`
}

// cancelMovie serves POST /movies/cancel: a pending or running movie ends with status error, and its hold is released. Decision
// 32.
func (a *API) cancelMovie(w http.ResponseWriter, r *http.Request, c access.Call) error {
	project, err := projectOf(c.Query)
	if err != nil {
		return err
	}
	done, err := a.cfg.Cancel.Handle(r.Context(), commands.CancelMovie{Account: c.Account, Project: project})
	if err != nil {
		return err
	}
	a.answered.raise(done.Position)
	web.Await(r.Context(), a.cfg.Projected, done.Position)
	return web.Write(w, http.StatusOK, cancelled{
		Success: true, Project: project, Status: projections.StatusError,
		CancelledAt: web.Stamp(done.At), Timestamp: web.Stamp(a.now()),
	})
}

type redelivered struct {
	Success   bool             `json:"success"`
	Project   domain.ProjectID `json:"project"`
	Timestamp string           `json:"timestamp"`
}

// redeliverMovie serves POST /movies/redeliver: it delivers a finished movie again to all destinations or one of them. Decision
// 32.
func (a *API) redeliverMovie(w http.ResponseWriter, r *http.Request, c access.Call) error {
	project, err := projectOf(c.Query)
	if err != nil {
		return err
	}
	index, err := parseIndex(c.Query)
	if err != nil {
		return err
	}
	position, err := a.cfg.Redeliver.Handle(r.Context(),
		deliveries.RequestRedelivery{Account: c.Account, Project: project, Index: index})
	if err != nil {
		return err
	}
	a.answered.raise(position)
	web.Await(r.Context(), a.cfg.Projected, position)
	return web.Write(w, http.StatusOK, redelivered{Success: true, Project: project, Timestamp: web.Stamp(a.now())})
}

// parseIndex reads the index of a destination; nil: all destinations.
func parseIndex(query url.Values) (*int, error) {
	text, ok := web.One(query, "index")
	if text == "" {
		return nil, nil
	}
	index, err := strconv.Atoi(text)
	if !ok || err != nil || index < 0 {
		return nil, errIndex
	}
	return &index, nil
}
