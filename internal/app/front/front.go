// Package front puts the HTTP interface together: who is let in, all operations, rendered files and the description.
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
	Operations     []access.Operation // all that a key opens
	GeneratedToken string             // the operator's token, when this start has made it
	// to be called when the server stops: a shutdown waits for open answers, and a stream has no end of its own
	Stops []func()

	operator  *web.OperatorToken
	resources *resources.Resources
}

// New wires the HTTP interface. After an error, too, Close must be called.
func New(all *parts.Parts) (*Front, error) {
	s := &Front{Parts: all, Keys: keyring.New(keyring.Config{Log: all.Stores.Log, Logger: all.Logger.WithField("part", "keys")})}
	if err := s.loadOperatorToken(); err != nil {
		return s, err
	}
	s.resources = resources.New(all, s.operator)
	return s, s.newPublic(all.Secret)
}

// Close closes what the resources have opened. Nothing may be running any more.
func (s *Front) Close(ctx context.Context) error {
	if s.resources == nil {
		return nil
	}
	return s.resources.Close(ctx)
}

// newPublic wires the HTTP interface: what a key opens, rendered files, the operator's interface and the description of it all.
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
	desk := &operators.Operators{Parts: s.Parts, Keys: s.Keys, Token: s.operator}
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
		movies.Operations(), issued.Operations(), money.Operations(), saved.Operations(), library.Operations(), many,
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
	s.Router, s.Handler = router, s.cleanPaths(router, web.Wrap(router, log, s.answered, web.LogAnswers(log, s.requestLevel())))
	s.Stops = append(s.Stops, movies.Stop, library.Stop)
	return nil
}

// newRouter returns a router whose operations are named and bounded in time.
func newRouter() *mux.Router {
	router := web.NewRouter()
	web.NameOperations(router)
	web.Limit(router, web.AnswerTime, OtherLimits)
	return router
}

// cleanPaths serves what a key opens at paths with slashes too many.
func (s *Front) cleanPaths(router *mux.Router, next http.Handler) http.Handler {
	return web.CleanSlashes(router, s.keyPaths(), next)
}

// keyPaths are the paths of what a key opens, as the router has them.
func (s *Front) keyPaths() map[string]bool {
	paths := make(map[string]bool, len(s.Operations))
	for _, op := range s.Operations {
		paths[op.Path] = true
	}
	return paths
}

// answered counts an answer.
func (s *Front) answered(a web.Answered) { s.Metrics.Answered(a.Operation, a.Status, a.Took) }

// requestLevel is the level of the lines that tell of requests (--log-requests).
func (s *Front) requestLevel() logrus.Level {
	if s.Config.LogRequests {
		return logrus.InfoLevel
	}
	return logrus.DebugLevel
}

// OtherLimits are the times of the routes that do not answer within web.AnswerTime.
var OtherLimits = map[string]time.Duration{
	"POST /v2/connections/test":             45 * time.Second, // somebody else's server is asked
	"POST /v2/batches":                      2 * time.Minute,  // a thousand movies are read
	"POST " + mcp.Path:                      mcp.AnswerTime,   // a movie's end is waited for
	"PUT /v2/media/upload/{ticket}":         web.NoLimit,
	"GET /v2/movies/progress":               web.NoLimit,
	"GET /v2/credits/ledger":                web.NoLimit, // as CSV, it is an export
	"GET /v2/renders/{token}/{name}":        web.NoLimit,
	"GET /v2/media/{token}/files/{path:.+}": web.NoLimit,
	"GET /v2/media/{token}/cache/{path:.+}": web.NoLimit,
	"GET /v2/library/{id}/{name}":           web.NoLimit,
	// What they are handed to has a limit of its own.
	"GET " + console.APIPath: web.NoLimit, "POST " + console.APIPath: web.NoLimit,
	"PUT " + console.APIPath: web.NoLimit, "DELETE " + console.APIPath: web.NoLimit,
}

// accountExists says whether there is an account.
func (s *Front) accountExists(ctx context.Context, id domain.AccountID) (bool, error) {
	_, exists, err := s.Models.Accounts.Get(ctx, id)
	return exists, err
}
