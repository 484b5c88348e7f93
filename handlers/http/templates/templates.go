// Package templates serves saved templates: those of an account, which its editors write, and the library that everybody can
// render. Decisions 40 to 42.
package templates

import (
	"context"
	"net/http"
	"time"

	"github.com/gorilla/mux"
	"github.com/sirupsen/logrus"

	"moviola/commands"
	"moviola/commands/templates"
	"moviola/domain"
	"moviola/domain/key"
	"moviola/domain/template"
	"moviola/eventstore"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
	"moviola/projections"
)

const (
	templatesPath = "/v2/templates"
	libraryPath   = "/v2/templates/library"
	examplesPath  = "/v2/library/"
	publishPath   = "/admin/templates/{id}/publish"
	unpublishPath = "/admin/templates/{id}/unpublish"
	// maxBody is the largest body of a request: a movie of the largest size as a text in JSON, twice over.
	maxBody = 4 << 20
)

// Reader finds templates.
type Reader interface {
	Get(ctx context.Context, id template.ID) (projections.Template, bool, error)
	Owned(ctx context.Context, account domain.AccountID, tag string) ([]projections.Template, error)
	Library(ctx context.Context, account domain.AccountID, tags []string) ([]projections.Template, error)
}

// Movies reads the movie JSON of a template of an account: as it is stored, and with the templates filled in that it refers to.
type Movies interface {
	Movie(ctx context.Context, account domain.AccountID, id template.ID, hash string) (stored, filled []byte, err error)
}

// Saver is the command behind POST /templates.
type Saver interface {
	Handle(ctx context.Context, cmd templates.SaveTemplate) (templates.SavedTemplate, error)
}

// Duplicator is the command behind POST /templates?action=duplicate.
type Duplicator interface {
	Handle(ctx context.Context, cmd templates.DuplicateTemplate) (templates.SavedTemplate, error)
}

// Deleter is the command behind DELETE /templates.
type Deleter interface {
	Handle(ctx context.Context, cmd templates.DeleteTemplate) (eventstore.Position, error)
}

// Publisher is the commands that put a template into the library, and take it out.
type Publisher interface {
	Publish(ctx context.Context, id template.ID) (templates.Publication, error)
	Unpublish(ctx context.Context, id template.ID) (templates.Publication, error)
}

// Gate tells whom a call may act for.
type Gate interface {
	ActFor(r *http.Request, c access.Call) (access.Call, error)
}

// Files reads stored files.
type Files interface {
	Open(ctx context.Context, key string) (commands.File, error)
}

// Config is what an API needs. Every field is required, but for Now.
type Config struct {
	Templates Reader
	Movies    Movies
	Save      Saver
	Duplicate Duplicator
	Delete    Deleter
	Publish   Publisher
	Gate      Gate
	Files     Files
	Operator  *web.OperatorToken // nil lets nobody publish
	Projected web.Projected
	// PublicURL is the base of every address handed out: scheme and host, no slash at the end. Decision 8.
	PublicURL string
	Now       func() time.Time // nil: time.Now
	Log       logrus.FieldLogger
}

// API serves templates. It is safe for concurrent use.
type API struct {
	cfg Config
	now func() time.Time
}

// New returns an API, or an error that names everything the configuration lacks.
func New(cfg Config) (*API, error) {
	if err := web.Complete(cfg, "Operator", "Now"); err != nil {
		return nil, err
	}
	a := &API{cfg: cfg, now: cfg.Now}
	if a.now == nil {
		a.now = time.Now
	}
	return a, nil
}

// Operations are all that a key opens. Roles by decision "Roles".
func (a *API) Operations() []access.Operation {
	return []access.Operation{
		{
			Method: http.MethodGet, Path: templatesPath, Role: key.Viewer, Serve: a.getTemplates,
			Query: []string{"id", "tag", "format", "scopes", "account"}, Headers: []string{web.OperatorTokenHeader},
		},
		{Method: http.MethodPost, Path: templatesPath, Role: key.Editor, Serve: a.postTemplate, Query: []string{"id", "action"}},
		{Method: http.MethodDelete, Path: templatesPath, Role: key.Editor, Serve: a.deleteTemplate, Query: []string{"id"}},
		{Method: http.MethodGet, Path: libraryPath, Role: key.Render, Serve: a.getLibrary, Query: []string{"tags"}, OwnQuery: true},
	}
}

// Routes registers what no key opens: the examples of the library, which everybody may see, and publishing, which is an
// operator's act.
func (a *API) Routes(router *mux.Router) {
	router.Handle(publishPath, web.Methods{http.MethodPost: a.guarded(a.publish)})
	router.Handle(unpublishPath, web.Methods{http.MethodPost: a.guarded(a.unpublish)})
	router.Handle(examplesPath+"{id}/{name}", web.Methods{http.MethodGet: a.serveExample})
}

// done is the answer of what has nothing else to say.
type done struct {
	Success   bool   `json:"success"`
	Timestamp string `json:"timestamp"`
}
