// Package console serves the two web pages for people, and their sessions: the console of accounts at /console, and that of
// operators at /operator. Except for signing in and out, the pages use the documented API only. Their calls of the API are
// served by the same handlers as all other requests. The session replaces the API key or the operator's token. Decisions 62
// and 82; ADR 040 and 047.
package console

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gorilla/mux"
	"github.com/sirupsen/logrus"

	"moviola/handlers/http/web"
)

// Paths of the console of accounts.
const (
	Path = "/console"
	// APIPath is the path pattern of the API calls that the console's page makes. Their route has the same name.
	APIPath = Path + apiFolder + "/v2/{call:.+}"
)

// Folders below the path of a console.
const (
	apiFolder    = "/api"
	assetsFolder = "/assets"
)

// Shared is the configuration that both consoles have. A field is required, unless its comment
// describes its empty value.
type Shared struct {
	// Calls serves the calls of the page: the operations of the API, at their own paths.
	Calls http.Handler
	// Serves reports whether the path of r is that of an API operation which the handler Calls serves.
	Serves func(r *http.Request) bool
	// SealKey is the key that encrypts the cookies of sessions.
	SealKey []byte
	Now     func() time.Time // the clock; nil: time.Now
	Log     logrus.FieldLogger
}

// Config is the configuration of the console of accounts. A field is required, unless its comment describes its empty value.
type Config struct {
	Shared
	Keys Keys
	End  Ender
	// PublicURL is the address at which people open the page.
	PublicURL string
	// UploadOrigin is the origin to which browsers send uploaded files; empty: the origin of this
	// service.
	UploadOrigin string
}

// Console serves a page and its calls. It is safe for concurrent use.
type Console struct {
	Shared
	site
	door door
	seal sealer
	// place returns the address at which the browser that sent r has opened this console's page.
	place func(r *http.Request) place
	// others are the handlers of further paths: those for sign-in through an identity provider. Only the operators' console
	// has any.
	others map[string]web.Methods
}

// door is what differs between the two consoles at sign-in: it checks credentials, and finds the owners of sessions.
type door interface {
	// enter returns the owner of the credentials in a request body, and the id of the key or token.
	enter(r *http.Request, body []byte) (guest, string, error)
	// begun is called when a session begins, before the browser gets it.
	begun(ctx context.Context, b beginning) error
	// resume returns the owner of a session, and false when the session is no longer valid.
	resume(ctx context.Context, one session, now time.Time) (guest, bool, error)
	// leave ends a session in all processes.
	leave(ctx context.Context, one session) error
}

// guest is the owner of a session: the holder of an API key or an operator.
type guest interface {
	// shown returns the description of the owner's session for the console's page.
	shown(one session) any
	// within returns ctx with the owner of the session added, for requests that are made on the owner's behalf.
	within(ctx context.Context) context.Context
}

// place is an address at which the console's page can be opened, with the session's cookie for this address.
type place struct {
	origin string
	cookie cookie
}

func placeAt(name string, address *url.URL) place {
	return place{origin: address.Scheme + "://" + address.Host, cookie: cookieFor(name, address)}
}

// New returns the console of accounts.
func New(cfg Config) (*Console, error) {
	if err := web.Complete(cfg, "UploadOrigin"); err != nil {
		return nil, err
	}
	public, err := url.Parse(cfg.PublicURL)
	if err != nil {
		return nil, fmt.Errorf("console: the public address: %w", err)
	}
	here := placeAt("moviola", public)
	return newConsole(cfg.Shared, keyDoor{cfg.Keys, cfg.End}, site{
		path: Path, page: "index.html", calls: APIPath, policy: policyOf(here.origin, cfg.UploadOrigin),
	}, func(*http.Request) place { return here })
}

func newConsole(shared Shared, door door, site site, at func(*http.Request) place) (*Console, error) {
	if err := web.Complete(shared, "Now"); err != nil {
		return nil, err
	}
	if shared.Now == nil {
		shared.Now = time.Now
	}
	c := &Console{Shared: shared, site: site, door: door, place: at}
	var err error
	if c.seal, err = newSealer(shared.SealKey); err != nil {
		return nil, err
	}
	if c.files, err = assets(); err != nil {
		return nil, err
	}
	return c, nil
}

// policyOf returns a content security policy. The page may load scripts, styles and fonts from this service only; pictures,
// media and data from this service and the given origins. It may have no inline scripts or styles, and no other page may
// frame it.
func policyOf(origins ...string) string {
	from := strings.TrimSpace("'self' " + strings.Join(origins, " "))
	return "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src " + from + "; media-src " + from +
		"; connect-src " + from +
		"; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// Routes registers the paths on the root router.
func (c *Console) Routes(router *mux.Router) {
	router.Handle(c.site.path+apiFolder+"/session", web.Methods{
		http.MethodGet: c.showSession, http.MethodPost: c.signIn, http.MethodDelete: c.signOut,
	})
	calls := web.Methods{}
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete} {
		calls[method] = c.call
	}
	router.Handle(c.site.calls, calls)
	for path, methods := range c.others {
		router.Handle(path, methods)
	}
	c.site.routes(router)
}
