// Package front assembles the HTTP interface: authentication, all operations, rendered files and the documentation.
package front

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/gorilla/mux"
	"github.com/sirupsen/logrus"

	"moviola/domain"
	"moviola/handlers/console"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
	"moviola/handlers/mcp"
	"moviola/internal/app/operators"
	"moviola/internal/app/parts"
	"moviola/internal/app/resources"
	"moviola/internal/secret"
	"moviola/projections/keyring"
)

// Front is the HTTP interface of a process.
type Front struct {
	*parts.Parts
	Keys           *keyring.Ring
	Handler        http.Handler
	Router         *mux.Router
	Operations     []access.Operation // all operations that need an API key
	GeneratedToken string             // the operator's token, set when this start has generated it
	// OperatorPage is the operators' console for the operators' address; nil: the HTTP interface serves it, or it is switched
	// off.
	OperatorPage http.Handler
	// Stops are called when the server stops: a shutdown waits for open responses, and streams do not end by themselves.
	Stops []func()

	operator  *web.OperatorToken
	resources *resources.Resources
	rebuild   *operators.Rebuilder
}

// New wires the HTTP interface. Close must be called after an error, too.
func New(all *parts.Parts) (*Front, error) {
	s := &Front{Parts: all, Keys: keyring.New(keyring.Config{Log: all.Stores.Log, Logger: all.Logger.WithField("part", "keys")})}
	if err := s.loadOperatorToken(); err != nil {
		return s, err
	}
	s.resources = resources.New(all, s.operator)
	return s, s.newPublic(all.Secret)
}

// Close cancels a running rebuild of read models, and closes what the resources have opened. Call it when no request is
// running any more.
func (s *Front) Close(ctx context.Context) error {
	if s.rebuild != nil {
		s.rebuild.Close()
	}
	if s.resources == nil {
		return nil
	}
	return s.resources.Close(ctx)
}

// newPublic wires the HTTP interface: operations with API keys, rendered files, the operator's interface and the documentation.
func (s *Front) newPublic(secret secret.Secret) error {
	log := s.Logger.WithField("part", "http")
	gate := access.New(access.Config{
		Keys: s.Keys, Operator: s.operator, CORSOrigins: s.Config.CORSOrigin, Log: log,
		Exists: s.accountExists,
	})
	submit := s.resources.PublicSubmitter()
	movies, err := s.resources.NewMovies(secret, gate, submit, log)
	if err != nil {
		return err
	}
	s.rebuild = operators.NewRebuilder(s.Models.Reader, s.Stores.Log.Store().Head, time.Now)
	desk := &operators.Operators{Parts: s.Parts, Keys: s.Keys, Token: s.operator, Rebuild: s.rebuild}
	issued, err := desk.NewKeys(secret, log)
	if err != nil {
		return err
	}
	library, err := s.resources.NewMedia(secret, gate, log)
	if err != nil {
		return err
	}
	saved, err := s.resources.NewConnections(secret, log)
	if err != nil {
		return err
	}
	delivered, err := s.resources.NewDeliveries(secret, log)
	if err != nil {
		return err
	}
	money, err := s.resources.NewCredits(secret, gate, log)
	if err != nil {
		return err
	}
	admin, err := desk.NewAdmin(secret, log, issued)
	if err != nil {
		return err
	}
	catalogue, err := s.resources.NewTemplates(gate, log)
	if err != nil {
		return err
	}
	many, err := s.resources.NewMany(secret, submit, log)
	if err != nil {
		return err
	}
	router := newRouter()
	s.Operations = slices.Concat(
		movies.Operations(), issued.Operations(), money.Operations(), saved.Operations(), delivered.Operations(), library.Operations(),
		many,
		catalogue.Operations(),
	)
	s.guardRoom(s.Operations)
	gate.Routes(router, s.Operations...)
	if err := s.routeAgents(router, gate, log); err != nil {
		return err
	}
	for _, part := range []interface{ Routes(*mux.Router) }{
		s.FileServer(log), library, catalogue, admin,
	} {
		part.Routes(router)
	}
	if err := s.addPages(secret, router, log); err != nil {
		return err
	}
	s.Router, s.Handler = router, s.cleanPaths(router, s.watched(router, log))
	s.Stops = append(s.Stops, movies.Stop, library.Stop)
	return nil
}

// newRouter returns a router that names operations and limits their time.
func newRouter() *mux.Router {
	router := web.NewRouter()
	web.NameOperations(router)
	web.Limit(router, web.AnswerTime, OtherLimits)
	return router
}

// cleanPaths serves the paths of operations with API keys also when they contain superfluous slashes.
func (s *Front) cleanPaths(router *mux.Router, next http.Handler) http.Handler {
	return web.CleanSlashes(router, s.keyPaths(), next)
}

// keyPaths returns the path templates of the operations with API keys.
func (s *Front) keyPaths() map[string]bool {
	paths := make(map[string]bool, len(s.Operations))
	for _, op := range s.Operations {
		paths[op.Path] = true
	}
	return paths
}

// watched wraps the root router: answers are counted, logged and, with --otlp, traced.
func (s *Front) watched(router http.Handler, log logrus.FieldLogger) http.Handler {
	observers := []func(web.Answered){s.answered, web.LogAnswers(log, s.requestLevel())}
	if s.Traces != nil {
		observers = append(observers, s.Traces.Answered)
	}
	return s.Traces.Requests(web.Wrap(router, log, observers...))
}

// answered counts a response.
func (s *Front) answered(a web.Answered) { s.Metrics.Answered(a.Operation, a.Status, a.Took) }

// requestLevel is the log level of request lines (--log-requests).
func (s *Front) requestLevel() logrus.Level {
	if s.Config.LogRequests {
		return logrus.InfoLevel
	}
	return logrus.DebugLevel
}

// OtherLimits are the time limits of the routes for which web.AnswerTime is too short.
var OtherLimits = map[string]time.Duration{
	"POST /v2/connections/test":                45 * time.Second, // time limit of a call to an external server
	"POST /v2/batches":                         2 * time.Minute,  // time limit of reading up to a thousand movies
	"POST " + mcp.Path:                         mcp.AnswerTime,   // time limit of waiting for the end of a movie
	"PUT /v2/media/upload/{ticket}":            web.NoLimit,
	"GET /v2/movies/progress":                  web.NoLimit,
	"GET /v2/credits/ledger":                   web.NoLimit, // with format CSV, the whole ledger is exported
	"GET /v2/renders/{token}/{name}":           web.NoLimit,
	"GET /v2/renders/{token}/{project}/{name}": web.NoLimit,
	"GET /v2/media/{token}/files/{path:.+}":    web.NoLimit,
	"GET /v2/media/{token}/cache/{path:.+}":    web.NoLimit,
	"GET /v2/library/{id}/{name}":              web.NoLimit,
	// The console passes calls on to operations that have time limits of their own.
	"GET " + console.APIPath: web.NoLimit, "POST " + console.APIPath: web.NoLimit,
	"PUT " + console.APIPath: web.NoLimit, "DELETE " + console.APIPath: web.NoLimit,
	"GET " + console.OperatorAPIPath: web.NoLimit, "POST " + console.OperatorAPIPath: web.NoLimit,
	"PUT " + console.OperatorAPIPath: web.NoLimit, "DELETE " + console.OperatorAPIPath: web.NoLimit,
}

// accountExists reports whether an account exists.
func (s *Front) accountExists(ctx context.Context, id domain.AccountID) (bool, error) {
	_, exists, err := s.Models.Accounts.Get(ctx, id)
	return exists, err
}
