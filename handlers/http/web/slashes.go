package web

import (
	"net/http"
	"strings"

	"github.com/gorilla/mux"
)

// CleanSlashes wraps the whole router. It serves an operation below /v2/ also at a path with doubled slashes or with a
// slash at the end. It changes the path instead of redirecting, because a redirect would lose the body. All inner handlers
// get the clean path. operations are the path templates of these operations. Other paths are not changed, because they may
// name files. Decision 65.
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

// withoutSlashes returns a path without doubled slashes and without a slash at its end.
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
