// Package access decides who may call what: it finds the account and the role behind an API key, holds every operation of the
// interface against its role, and serves those that pass. What an operation does is its own package's.
package access

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gorilla/mux"
	"github.com/sirupsen/logrus"

	"moviola/domain"
	"moviola/domain/key"
	"moviola/handlers/http/web"
	"moviola/projections/keyring"
)

// Keys finds whom the key with a SHA-256, in hex, lets in. False: nobody, whatever the reason.
type Keys interface {
	Holder(ctx context.Context, hash string) (keyring.Holder, bool, error)
}

// Operation is one method of one path, as a description of the interface lists it, and what serves it.
type Operation struct {
	Method, Path string
	Role         key.Role // the least that is needed
	// every parameter that is looked at: what is not named here, Serve does not see; "a.*" names all that begin with "a."
	Query      []string
	OwnAccount bool     // the parameter account is refused instead of passed over: it would be about another account than it seems
	OwnQuery   bool     // Serve reads the query by itself, and has an answer of its own to one that cannot be read
	Headers    []string // every header that is looked at, beside the key
	Serve      Endpoint
	// Fail answers an error of Serve, of the key or of the role; nil: with the status of its kind.
	Fail func(w http.ResponseWriter, r *http.Request, err error)
}

// looksAt tells whether Serve sees a parameter.
func (o Operation) looksAt(parameter string) bool {
	return slices.ContainsFunc(o.Query, func(name string) bool {
		prefix, many := strings.CutSuffix(name, "*")
		return name == parameter || many && strings.HasPrefix(parameter, prefix)
	})
}

var errReadingOnly = domain.Errorf(domain.Invalid, "account_read_only", "account is for reading only.")

// Endpoint serves one operation for a caller whose key and role are good.
type Endpoint func(w http.ResponseWriter, r *http.Request, c Call) error

// Call is who calls, and with which parameters.
type Call struct {
	Account domain.AccountID
	Role    key.Role
	Query   url.Values
}

// One is the value of a parameter that may have several names, empty when it is not set. False: it is given twice, with different
// values. Decision 7.
func (c Call) One(names ...string) (string, bool) { return web.One(c.Query, names...) }

// Config is what a Gate needs. Every field is required, but for those that say what they are when left out.
type Config struct {
	Keys Keys
	// Operator lets operators see other accounts, by the parameter account. Nil lets nobody.
	Operator *web.OperatorToken
	// Exists says whether there is an account; nil: every name is taken for one.
	Exists func(ctx context.Context, id domain.AccountID) (bool, error)
	// CORSOrigins are the origins whose pages may use the interface; "*" stands for all, none is the default.
	CORSOrigins []string
	Log         logrus.FieldLogger
}

// Gate stands before every operation that needs a key. It is safe for concurrent use.
type Gate struct{ cfg Config }

// New returns a Gate.
func New(cfg Config) *Gate {
	return &Gate{cfg: cfg}
}

// Routes registers operations on the root router.
func (g *Gate) Routes(router *mux.Router, operations ...Operation) {
	paths := map[string]web.Methods{}
	for _, op := range operations {
		if paths[op.Path] == nil {
			paths[op.Path] = web.Methods{}
		}
		paths[op.Path][op.Method] = g.route(op)
	}
	shared := router.NewRoute().Subrouter()
	shared.Use(web.CORS{Origins: g.cfg.CORSOrigins}.Middleware)
	for _, path := range slices.SortedFunc(maps.Keys(paths), fixedFirst) {
		shared.Handle(path, paths[path])
	}
}

// fixedFirst orders paths so that none is hidden by one with a parameter in its place: the router takes the first that fits.
func fixedFirst(a, b string) int {
	return cmp.Or(cmp.Compare(strings.Count(a, "{"), strings.Count(b, "{")), cmp.Compare(a, b))
}

// route checks key and role, in the order of decision 4, and answers an error with the status of its kind.
func (g *Gate) route(op Operation) http.HandlerFunc {
	fail := op.Fail
	if fail == nil {
		fail = func(w http.ResponseWriter, r *http.Request, err error) { web.Fail(w, r, g.cfg.Log, err) }
	}
	return func(w http.ResponseWriter, r *http.Request) {
		if err := g.serve(w, r, op); err != nil {
			fail(w, r, err)
		}
	}
}

func (g *Gate) serve(w http.ResponseWriter, r *http.Request, op Operation) error {
	c, legacy, err := g.authenticate(r)
	if err != nil {
		return err
	}
	r = r.WithContext(web.ForAccount(r.Context(), c.Account))
	if legacy {
		web.MarkDeprecated(w.Header())
	}
	if !c.Role.AtLeast(op.Role) {
		return errRole
	}
	if c.Query, err = web.ParseQuery(r); err != nil && !op.OwnQuery {
		return err
	}
	if op.OwnAccount && c.Query.Has("account") {
		if err := g.cfg.Operator.Check(r); err != nil {
			return err
		}
		return errReadingOnly
	}
	maps.DeleteFunc(c.Query, func(name string, _ []string) bool { return !op.looksAt(name) })
	return op.Serve(w, r, c)
}
