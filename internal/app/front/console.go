package front

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gorilla/mux"
	"github.com/sirupsen/logrus"

	"moviola/adapters/oidc"
	"moviola/commands/accounts"
	"moviola/domain/blobkey"
	"moviola/handlers/console"
	"moviola/handlers/http/openapi"
	"moviola/handlers/http/web"
	"moviola/internal/config"
	"moviola/internal/secret"
)

// addPages registers the pages for browsers: the documentation and the console.
func (s *Front) addPages(secret secret.Secret, router *mux.Router, log logrus.FieldLogger) error {
	home := ""
	if s.Config.Console {
		home = console.Path
	}
	docs, err := openapi.New(home)
	if err != nil {
		return err
	}
	docs.Routes(router)
	if s.Config.Console {
		page, err := s.newConsole(secret, router, log)
		if err != nil {
			return err
		}
		page.Routes(router)
	}
	return s.addOperatorPage(secret, router, log)
}

// newConsole wires the console. Its calls are served by the same router as all API requests.
func (s *Front) newConsole(secret secret.Secret, router *mux.Router, log logrus.FieldLogger) (*console.Console, error) {
	sealKey, err := secret.Key("console sessions")
	if err != nil {
		return nil, err
	}
	paths := s.keyPaths()
	return console.New(console.Config{
		Shared: console.Shared{
			Calls: router, Serves: served(router, func(path string) bool { return paths[path] }), SealKey: sealKey, Log: log,
		},
		Keys:         s.Keys,
		End:          accounts.NewEndSessionHandler(s.Stores.Log, time.Now),
		PublicURL:    s.Config.PublicURL,
		UploadOrigin: s.uploadOrigin(log),
	})
}

// served returns a function that reports whether a request's path is one of a router's paths with a given property.
func served(router *mux.Router, has func(path string) bool) func(*http.Request) bool {
	return func(r *http.Request) bool {
		var match mux.RouteMatch
		if !router.Match(r, &match) || match.Route == nil {
			return false
		}
		path, err := match.Route.GetPathTemplate()
		return err == nil && has(path)
	}
}

// operatorPaths begins the paths of the operators' interface.
const operatorPaths = "/admin/"

// addOperatorPage wires the operators' console: on the HTTP interface, or for the operators' address.
func (s *Front) addOperatorPage(secret secret.Secret, router *mux.Router, log logrus.FieldLogger) error {
	if s.Config.ConsoleOperator == config.OperatorOff {
		return nil
	}
	sealKey, err := secret.Key("operators' console sessions")
	if err != nil {
		return err
	}
	cfg := console.OperatorConfig{
		Shared: console.Shared{
			Calls: router, SealKey: sealKey, Log: log,
			Serves: served(router, func(path string) bool { return strings.HasPrefix(path, operatorPaths) }),
		},
		Operators: s.Do.Operators, Token: s.operator, ForOneRun: s.GeneratedToken != "",
	}
	if s.Config.ConsoleOperator == config.OperatorPublic {
		cfg.PublicURL = s.Config.PublicURL
	}
	if who := s.Config.OperatorsOIDC; who.Issuer != "" {
		cfg.Provider = oidc.New(oidc.Config{
			Issuer: who.Issuer, ClientID: who.ClientID, Secret: who.Secret, Scopes: who.Scopes, Roles: who.RolesOf,
		})
	}
	page, err := console.NewOperators(cfg)
	if err != nil {
		return err
	}
	if s.Config.ConsoleOperator == config.OperatorPublic {
		page.Routes(router)
		return nil
	}
	private := newRouter()
	page.Routes(private)
	s.OperatorPage = web.Wrap(private, log, s.answered, web.LogAnswers(log, s.requestLevel()))
	return nil
}

// uploadOrigin returns the origin to which browsers upload files: that of the storage, or an empty text if they upload to
// this service. To learn the origin of the storage, uploadOrigin asks it for a presigned address, which is used for
// nothing else. When it gets no valid address, uploadOrigin logs a warning and returns an empty text. The console then
// runs with a content security policy that lacks the origin, so it cannot upload files.
func (s *Front) uploadOrigin(log logrus.FieldLogger) string {
	if !s.Stores.Files.Presigns() {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	signed, err := s.Stores.Files.Presign(ctx, blobkey.Uploads.Prefix()+"console", "text/plain", 1, time.Second)
	if err != nil {
		log.WithError(err).Warn("no signed upload address from the storage; the console cannot upload files")
		return ""
	}
	address, err := url.Parse(signed)
	if err != nil {
		log.WithError(err).Warn("signed upload address of the storage is invalid; the console cannot upload files")
		return ""
	}
	return address.Scheme + "://" + address.Host
}
