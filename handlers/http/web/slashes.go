package web

import (
	"net/http"
	"strings"

	"github.com/gorilla/mux"
)

// CleanSlashes stands around everything. It serves operations at paths with one slash too many at the end, or with doubled ones,
// as the path without them: nothing is redirected, for that would lose a body, and everything behind it sees the clean path.
// operations are the templates of their paths in the router; at all other paths every slash counts, for files are found by them.
// Decision 65.
func CleanSlashes(router *mux.Router, operations map[string]bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		clean := withoutSlashes(r.URL.Path)
		if clean == r.URL.Path || r.URL.RawPath != "" || !strings.HasPrefix(clean, "/v2/") {
			next.ServeHTTP(w, r)
			return
		}
		cleaned, address := *r, *r.URL
		address.Path = clean
		cleaned.URL = &address
		var match mux.RouteMatch
		if router.Match(&cleaned, &match) && match.Route != nil {
			if path, err := match.Route.GetPathTemplate(); err == nil && operations[path] {
				r = &cleaned
			}
		}
		next.ServeHTTP(w, r)
	})
}

// withoutSlashes is a path without doubled slashes and without one at its end.
func withoutSlashes(path string) string {
	if !strings.Contains(path, "//") && !strings.HasSuffix(path, "/") {
		return path
	}
	var clean strings.Builder
	for i := range len(path) {
		if path[i] != '/' || i == 0 || path[i-1] != '/' {
			clean.WriteByte(path[i])
		}
	}
	return strings.TrimSuffix(clean.String(), "/")
}
