package operation

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/gorilla/mux"

	"moviola/handlers/http/web"
)

// Route is a declared operation with its handler.
type Route struct {
	Operation
	Serve http.HandlerFunc
}

// Register registers operations on a router: their paths, each with the methods that are declared for it.
func Register(router *mux.Router, routes []Route) {
	paths := map[string]web.Methods{}
	for _, route := range routes {
		if paths[route.Path] == nil {
			paths[route.Path] = web.Methods{}
		}
		paths[route.Path][route.Method] = route.Serve
	}
	for _, path := range slices.SortedFunc(maps.Keys(paths), fixedFirst) {
		router.Handle(path, paths[path])
	}
}

// fixedFirst orders paths so that a path with a parameter comes after fixed paths that it would match too: the router takes the
// first match.
func fixedFirst(a, b string) int {
	return cmp.Or(cmp.Compare(strings.Count(a, "{"), strings.Count(b, "{")), cmp.Compare(a, b))
}
