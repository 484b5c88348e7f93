package app

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/gorilla/mux"
	"github.com/sirupsen/logrus"

	"moviola/commands"
	"moviola/commands/connections"
	"moviola/commands/deliveries"
	"moviola/domain"
	"moviola/handlers/http/access"
	"moviola/handlers/http/movies"
	"moviola/handlers/http/openapi"
	"moviola/handlers/http/web"
	"moviola/internal/secret"
)

// newPublic wires the HTTP interface: what a key opens, rendered files, the operator's interface and the description of it all.
func (s *service) newPublic(secret secret.Secret) error {
	if err := s.loadOperatorToken(); err != nil {
		return err
	}
	log := s.log.WithField("part", "http")
	gate := access.New(access.Config{
		Keys: s.keys, Operator: s.operator, CORSOrigins: s.cfg.CORSOrigin, Log: log,
		Exists: s.accountExists,
	})
	submit := s.publicSubmitter()
	movies, err := s.newMovies(secret, gate, submit, log)
	if err != nil {
		return err
	}
	keyring, err := s.newKeys(secret, log)
	if err != nil {
		return err
	}
	library, err := s.newMedia(secret, gate, log)
	if err != nil {
		return err
	}
	saved, err := s.newConnections(secret, log)
	if err != nil {
		return err
	}
	money, err := s.newCredits(secret, gate, log)
	if err != nil {
		return err
	}
	operators, err := s.newAdmin(secret, log, keyring)
	if err != nil {
		return err
	}
	catalogue, err := s.newTemplates(gate, log)
	if err != nil {
		return err
	}
	many, err := s.newMany(secret, submit, log)
	if err != nil {
		return err
	}
	pages, err := openapi.New()
	if err != nil {
		return err
	}
	router := newRouter()
	s.operations = slices.Concat(
		movies.Operations(),
		keyring.Operations(),
		money.Operations(),
		saved.Operations(),
		library.Operations(),
		many,
		catalogue.Operations(),
	)
	s.guardRoom(s.operations)
	gate.Routes(router, s.operations...)
	for _, part := range []interface{ Routes(*mux.Router) }{
		s.fileServer(log), library, catalogue, operators, pages,
	} {
		part.Routes(router)
	}
	s.router, s.public = router, newHTTPServer(s.cfg.Listen, s.cleanPaths(router, web.Wrap(router, log, s.answered, web.LogAnswers(log, s.requestLevel()))))
	// A shutdown waits for open answers, and a stream has no end of its own.
	s.public.RegisterOnShutdown(movies.Stop)
	s.public.RegisterOnShutdown(library.Stop)
	return nil
}

// newRouter returns a router whose operations are named and bounded in time.
func newRouter() *mux.Router {
	router := web.NewRouter()
	web.NameOperations(router)
	web.Limit(router, web.AnswerTime, otherLimits)
	return router
}

// cleanPaths serves what a key opens at paths with slashes too many.
func (s *service) cleanPaths(router *mux.Router, next http.Handler) http.Handler {
	paths := make(map[string]bool, len(s.operations))
	for _, op := range s.operations {
		paths[op.Path] = true
	}
	return web.CleanSlashes(router, paths, next)
}

// answered counts an answer.
func (s *service) answered(a web.Answered) { s.metrics.Answered(a.Operation, a.Status, a.Took) }

// requestLevel is the level of the lines that tell of requests (--log-requests).
func (s *service) requestLevel() logrus.Level {
	if s.cfg.LogRequests {
		return logrus.InfoLevel
	}
	return logrus.DebugLevel
}

// otherLimits are the times of the routes that do not answer within web.AnswerTime.
var otherLimits = map[string]time.Duration{
	"POST /v2/connections/test":             45 * time.Second, // somebody else's server is asked
	"POST /v2/batches":                      2 * time.Minute,  // a thousand movies are read
	"PUT /v2/media/upload/{ticket}":         web.NoLimit,
	"GET /v2/movies/progress":               web.NoLimit,
	"GET /v2/credits/ledger":                web.NoLimit, // as CSV, it is an export
	"GET /v2/renders/{token}/{name}":        web.NoLimit,
	"GET /v2/media/{token}/files/{path:.+}": web.NoLimit,
	"GET /v2/media/{token}/cache/{path:.+}": web.NoLimit,
	"GET /v2/library/{id}/{name}":           web.NoLimit,
}

// accountExists says whether there is an account.
func (s *service) accountExists(ctx context.Context, id domain.AccountID) (bool, error) {
	_, exists, err := s.models.Accounts.Get(ctx, id)
	return exists, err
}

// publicSubmitter accepts the movies, and batches of them, that are posted. They have one budget.
func (s *service) publicSubmitter() commands.SubmitMovieHandler {
	return commands.NewSubmitMovieHandler(commands.SubmitMovieConfig{
		Log: s.stores.Log, Ledgers: s.ledgers, Files: commands.SealDocuments(s.stores.Files, s.vault), Plans: s.plans,
		NewProject: commands.NewProjectID, Now: time.Now, Growth: newGrowth(), Room: s.stores.Rendered.Admit,
	})
}

// newMovies wires the operations on movies.
func (s *service) newMovies(secret secret.Secret, gate *access.Gate, submit commands.SubmitMovieHandler, log logrus.FieldLogger) (*movies.API, error) {
	cursorKey, err := secret.Key("cursors")
	if err != nil {
		return nil, err
	}
	guard, err := NewGuard(s.cfg)
	if err != nil {
		return nil, err
	}
	elog, bucket := s.stores.Log, s.stores.Files
	documents := commands.SealDocuments(bucket, s.vault)
	return movies.New(movies.Config{
		Movies:    s.models.Movies,
		Gate:      gate,
		Accounts:  s.models.Accounts,
		Balances:  s.models.Balances,
		Plans:     s.plans,
		Presence:  s.models.Presence,
		Files:     documents,
		Submit:    submit,
		Previews:  s.newPreviews(submit),
		Delete:    commands.NewDeleteFileHandler(elog, bucket, time.Now),
		Cancel:    commands.NewCancelMovieHandler(elog, time.Now),
		Redeliver: deliveries.NewRequestRedeliveryHandler(elog, time.Now),
		History:   s.models.Movies,
		Projected: s.models.Reader,
		PublicURL: s.cfg.PublicURL,
		Tokens:    s.tokens,
		CursorKey: cursorKey,
		Survey:    s.surveyor(),
		Outside: movieChecks{
			cfg: s.cfg, guard: guard, connections: connections.NewConnections(elog, s.vault), emails: s.emails().Allows,
		},
		Log: log,
	})
}

// newHTTPServer returns a server whose waits for a client all end. Writing has no limit: a large file may take long.
func newHTTPServer(addr string, handler http.Handler) *http.Server {
	return &http.Server{
		Addr:              addr,
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       2 * time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
}
