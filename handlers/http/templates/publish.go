package templates

import (
	"context"
	"net/http"

	"github.com/gorilla/mux"

	"moviola/commands/templates"
	"moviola/domain/template"
	"moviola/handlers/http/web"
)

// publication is the answer about a template's publication in the library.
type publication struct {
	Success  bool        `json:"success"`
	Template template.ID `json:"template"`
	// Status is published, pending (the example is being rendered, and the template is listed afterwards) or unpublished.
	Status    string `json:"status"`
	Timestamp string `json:"timestamp"`
}

// publish serves POST /admin/templates/{id}/publish.
func (a *API) publish(w http.ResponseWriter, r *http.Request) error {
	return a.change(w, r, "publish template", a.cfg.Publish.Publish)
}

// unpublish serves POST /admin/templates/{id}/unpublish.
func (a *API) unpublish(w http.ResponseWriter, r *http.Request) error {
	return a.change(w, r, "unpublish template", a.cfg.Publish.Unpublish)
}

func (a *API) change(
	w http.ResponseWriter, r *http.Request, act string, do func(context.Context, template.ID) (templates.Publication, error),
) error {
	id, ok := template.ParseID(mux.Vars(r)["id"])
	if !ok {
		return template.NotFound(template.ID(mux.Vars(r)["id"]))
	}
	if err := a.trail.Act(r, act, string(id), ""); err != nil {
		return err
	}
	came, err := do(r.Context(), id)
	if err != nil {
		return err
	}
	web.Await(r.Context(), a.cfg.Projected, came.Position)
	return web.Write(w, http.StatusOK, publication{Success: true, Template: id, Status: came.Status, Timestamp: web.Stamp(a.now())})
}
