// Package templates serves saved templates: the templates of an account, which its editors change, and the library, whose
// templates everybody can render. Decisions 40 to 42.
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
	"moviola/domain/template"
	"moviola/eventstore"
	"moviola/handlers/http/access"
	"moviola/handlers/http/operation"
	"moviola/handlers/http/trail"
	"moviola/handlers/http/web"
	"moviola/projections"
)

const (
	examplesPath = "/v2/library/"
	// maxBody is the maximum size of a request's body, in bytes: twice that of a movie, because the movie may be escaped as a JSON
	// text.
	maxBody = 4 << 20
)

// Reader finds templates.
type Reader interface {
	Get(ctx context.Context, id template.ID) (projections.Template, bool, error)
	Owned(ctx context.Context, list projections.TemplateList) ([]projections.Template, error)
	Library(ctx context.Context, account domain.AccountID, tags []string) ([]projections.Template, error)
}

// Movies reads the movie JSON of a template of an account: as stored, and with the templates that it uses filled in.
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

// Publisher has the commands that publish a template in the library, and unpublish it.
type Publisher interface {
	Publish(ctx context.Context, id template.ID) (templates.Publication, error)
	Unpublish(ctx context.Context, id template.ID) (templates.Publication, error)
}

// Gate determines for which account a call acts.
type Gate interface {
	ActFor(r *http.Request, c access.Call) (access.Call, error)
}

// Files reads stored files.
type Files interface {
	Open(ctx context.Context, key string) (commands.File, error)
}

// Config is what an API needs. Every field but Operator and Now is required.
type Config struct {
	Templates Reader
	Movies    Movies
	Save      Saver
	Duplicate Duplicator
	Delete    Deleter
	Publish   Publisher
	Gate      Gate
	Files     Files
	Operator  *web.OperatorToken // nil: nobody may publish templates
	Acts      trail.Recorder
	Projected web.Projected
	// PublicURL is the base of every address in answers: scheme and host, no slash at the end. Decision 8.
	PublicURL string
	Now       func() time.Time // nil: time.Now
	Log       logrus.FieldLogger
}

// API serves templates. It is safe for concurrent use.
type API struct {
	cfg   Config
	trail *trail.Trail
	now   func() time.Time
}

// New returns an API, or an error that names every missing field of the configuration.
func New(cfg Config) (*API, error) {
	if err := web.Complete(cfg, "Operator", "Now"); err != nil {
		return nil, err
	}
	a := &API{cfg: cfg, trail: &trail.Trail{Operator: cfg.Operator, Record: cfg.Acts, Log: cfg.Log}, now: cfg.Now}
	if a.now == nil {
		a.now = time.Now
	}
	return a, nil
}

// Operations returns the operations that need an API key. Decision "Roles" says which role each needs.
func (a *API) Operations() []access.Operation {
	return []access.Operation{
		{Operation: getTemplates, Serve: a.getTemplates},
		{Operation: saveTemplate, Serve: a.postTemplate},
		{Operation: deleteTemplate, Serve: a.deleteTemplate},
		{Operation: getLibrary, Serve: a.getLibrary},
	}
}

// Routes registers the paths that need no API key: the examples of the library, which are public, and publishing, which needs the
// operator's token.
func (a *API) Routes(router *mux.Router) {
	operation.Register(router, []operation.Route{
		a.trail.Route(publishTemplate, a.publish),
		a.trail.Route(unpublishTemplate, a.unpublish),
		{Operation: getExample, Serve: a.serveExample},
	})
}

// done is the answer to a change that returns no data.
type done struct {
	Success   bool   `json:"success"`
	Timestamp string `json:"timestamp"`
}
