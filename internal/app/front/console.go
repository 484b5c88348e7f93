package front

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/gorilla/mux"
	"github.com/sirupsen/logrus"

	"moviola/commands/accounts"
	"moviola/domain/blobkey"
	"moviola/handlers/console"
	"moviola/handlers/http/openapi"
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
	if !s.Config.Console {
		return nil
	}
	page, err := s.newConsole(secret, router, log)
	if err != nil {
		return err
	}
	page.Routes(router)
	return nil
}

// newConsole wires the console. Its calls are served by the same router as all API requests.
func (s *Front) newConsole(secret secret.Secret, router *mux.Router, log logrus.FieldLogger) (*console.Console, error) {
	sealKey, err := secret.Key("console sessions")
	if err != nil {
		return nil, err
	}
	paths := s.keyPaths()
	return console.New(console.Config{
		Keys:  s.Keys,
		End:   accounts.NewEndSessionHandler(s.Stores.Log, time.Now),
		Calls: router,
		Serves: func(r *http.Request) bool {
			var match mux.RouteMatch
			if !router.Match(r, &match) || match.Route == nil {
				return false
			}
			path, err := match.Route.GetPathTemplate()
			return err == nil && paths[path]
		},
		SealKey:      sealKey,
		PublicURL:    s.Config.PublicURL,
		UploadOrigin: s.uploadOrigin(log),
		Log:          log,
	})
}

// uploadOrigin returns the origin to which browsers upload files: the storage, or empty for this service. It is read from a
// presigned address that is not used otherwise. When the storage cannot sign now, the origin is only missing from the console's
// content security policy.
func (s *Front) uploadOrigin(log logrus.FieldLogger) string {
	if !s.Stores.Files.Presigns() {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	signed, err := s.Stores.Files.Presign(ctx, blobkey.Uploads.Prefix()+"console", "text/plain", 1, time.Second)
	if err != nil {
		log.WithError(err).Warn("the storage signs no address: pages of the console cannot send files to it")
		return ""
	}
	address, err := url.Parse(signed)
	if err != nil {
		log.WithError(err).Warn("the storage signs addresses that cannot be read: pages of the console cannot send files to it")
		return ""
	}
	return address.Scheme + "://" + address.Host
}
