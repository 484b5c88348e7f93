package app

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/gorilla/mux"
	"github.com/spf13/pflag"

	"moviola/domain/key"
	"moviola/handlers/console"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
	"moviola/handlers/mcp"
	"moviola/internal/config"
)

// Guard is the kind of authentication of a route.
type Guard string

// Kinds of authentication.
const (
	GuardKey      Guard = "key"      // an API key with the route's role or a higher one
	GuardOperator Guard = "operator" // the operator's token
	GuardSession  Guard = "session"  // a session of the console
	GuardNone     Guard = "none"     // no authentication: everybody who knows the address may call it
	GuardAgent    Guard = "agent"    // an API key of any role, also as a bearer token; each tool needs a role of its own
)

// Route is one method of one path of the HTTP interface.
type Route struct {
	Method, Path string
	Guard        Guard
	Role         key.Role // the lowest role that may call the route; only set when Guard is GuardKey
	Query        []string // names of the query parameters that the route reads; only set when Guard is GuardKey
}

// Name returns the route's method and path.
func (r Route) Name() string { return r.Method + " " + r.Path }

// Routes wires the HTTP interface in a data folder, without serving it, and returns all its routes by path and method. Tests of
// access use it, so that no route can be left out.
func Routes(ctx context.Context, data string) (routes []Route, err error) {
	log, err := config.NewLog(io.Discard, "error", "text")
	if err != nil {
		return nil, err
	}
	var cfg config.Config
	cfg.Bind(pflag.NewFlagSet("routes", pflag.ContinueOnError)) // sets the defaults of the flags
	cfg.Data, cfg.Roles = data, []string{config.RoleAPI}
	cfg.ConsoleOperator = config.OperatorPublic // with this setting the interface has all routes that exist
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	s, err := newService(ctx, cfg, log)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close(context.WithoutCancel(ctx))) }()
	return routesOf(s.front.Router, s.front.Operations)
}

func routesOf(router *mux.Router, operations []access.Operation) ([]Route, error) {
	var routes []Route
	err := router.Walk(func(route *mux.Route, _ *mux.Router, _ []*mux.Route) error {
		methods, ok := route.GetHandler().(web.Methods)
		if !ok {
			return nil // a subrouter has no method of its own: its routes are visited themselves
		}
		path, err := route.GetPathTemplate()
		for method := range methods {
			routes = append(routes, routeOf(method, path, operations))
		}
		return err
	})
	slices.SortFunc(routes, func(a, b Route) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Method, b.Method))
	})
	return routes, err
}

func routeOf(method, path string, operations []access.Operation) Route {
	route := Route{Method: method, Path: path, Guard: GuardNone}
	at := slices.IndexFunc(operations, func(op access.Operation) bool { return op.Method == method && op.Path == path })
	switch {
	case at >= 0:
		route.Guard, route.Role, route.Query = GuardKey, operations[at].Role, operations[at].Query()
	case path == console.APIPath, path == console.OperatorAPIPath:
		route.Guard = GuardSession
	case path == mcp.Path:
		route.Guard = GuardAgent
	case strings.HasPrefix(path, "/admin/"):
		route.Guard = GuardOperator
	}
	return route
}
