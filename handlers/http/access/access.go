// Package access decides who may call which operation. It finds the account and the role of an API key, compares the role with
// the role that the operation requires, and calls the operation. The operations themselves are in other packages.
package access

import (
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
	"moviola/domain/operator"
	"moviola/handlers/http/operation"
	"moviola/handlers/http/web"
	"moviola/projections/keyring"
)

// Keys finds the holder of an API key by the key's SHA-256 hash, in hex; false when the key is not valid for any reason.
type Keys interface {
	Holder(ctx context.Context, hash string) (keyring.Holder, bool, error)
}

// Operation is a declared operation with its handler. Serve gets the declared query parameters; all others are dropped.
type Operation struct {
	operation.Operation
	// When OwnAccount is true, the parameter account is refused, and not just dropped: a client that sends it expects the data of
	// another account.
	OwnAccount bool
	Serve      Endpoint
	// Fail writes the answer to an error of Serve or of the checks before it; nil: the answer has the status of the error's
	// kind.
	Fail func(w http.ResponseWriter, r *http.Request, err error)
}

// looksAt reports whether a parameter is among the declared ones.
func looksAt(declared []string, parameter string) bool {
	return slices.ContainsFunc(declared, func(name string) bool {
		prefix, many := strings.CutSuffix(name, "*")
		return name == parameter || many && strings.HasPrefix(parameter, prefix)
	})
}

var errReadingOnly = domain.Errorf(domain.Invalid, "account_read_only", "account is for reading only.")

// Endpoint serves one operation for a caller whose key and role were checked.
type Endpoint func(w http.ResponseWriter, r *http.Request, c Call) error

// Call is the caller and the parameters of a call.
type Call struct {
	Account domain.AccountID
	Role    key.Role
	Query   url.Values
}

// One returns the value of a parameter that may have several names, empty when it is not set. It returns false when the parameter
// is given twice with different values. Decision 7.
func (c Call) One(names ...string) (string, bool) { return web.One(c.Query, names...) }

// Config is what a Gate needs. A field is required unless its comment gives the meaning of its zero value.
type Config struct {
	Keys Keys
	// Operator lets operators act for other accounts, by the parameter account; nil: nobody can act for other accounts.
	Operator *web.OperatorToken
	// Exists reports whether an account exists; nil: every account counts as existing.
	Exists func(ctx context.Context, id domain.AccountID) (bool, error)
	// CORSOrigins are the origins whose pages may call the API; "*": all origins; empty: no other origin.
	CORSOrigins []string
	Log         logrus.FieldLogger
}

// Gate checks key and role before every operation. It is safe for concurrent use.
type Gate struct{ cfg Config }

// New returns a Gate.
func New(cfg Config) *Gate {
	return &Gate{cfg: cfg}
}

// Routes registers operations on the root router.
func (g *Gate) Routes(router *mux.Router, operations ...Operation) {
	shared := router.NewRoute().Subrouter()
	shared.Use(web.CORS{Origins: g.cfg.CORSOrigins}.Middleware)
	routes := make([]operation.Route, len(operations))
	for i, op := range operations {
		routes[i] = operation.Route{Operation: op.Operation, Serve: g.route(op)}
	}
	operation.Register(shared, routes)
}

// route checks key and role, in the order of decision 4. It answers errors by op.Fail or, when that is nil, with the status
// of their kind.
func (g *Gate) route(op Operation) http.HandlerFunc {
	fail := op.Fail
	if fail == nil {
		fail = func(w http.ResponseWriter, r *http.Request, err error) { web.Fail(w, r, g.cfg.Log, err) }
	}
	query := op.Query()
	return func(w http.ResponseWriter, r *http.Request) {
		if err := g.serve(w, r, op, query); err != nil {
			fail(w, r, err)
		}
	}
}

func (g *Gate) serve(w http.ResponseWriter, r *http.Request, op Operation, query []string) error {
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
		if _, err := g.cfg.Operator.Admit(r, operator.Observer); err != nil {
			return err
		}
		return errReadingOnly
	}
	maps.DeleteFunc(c.Query, func(name string, _ []string) bool { return !looksAt(query, name) })
	return op.Serve(w, r, c)
}
