package web

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gorilla/mux"
)

// What pages of other origins may send and read.
const (
	corsSent = "X-Api-Key, Content-Type, Idempotency-Key, X-Request-Id"
	corsRead = "X-Request-Id, Deprecation, Link, Retry-After"
	// corsSeconds is how long a browser may remember the answer to a preflight.
	corsSeconds = "600"
)

// CORS lets pages of some origins use the paths it stands around. Without an origin it changes nothing: OPTIONS is a method like
// any other then. Decision 5.
type CORS struct {
	// Origins are scheme, host and port as a browser sends them; "*" stands for all.
	Origins []string
}

// Middleware is for the router whose paths may be used.
func (c CORS) Middleware(next http.Handler) http.Handler {
	if len(c.Origins) == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		allowed := c.allow(w.Header(), r.Header.Get("Origin"))
		methods, ok := mux.CurrentRoute(r).GetHandler().(Methods)
		if r.Method != http.MethodOptions || !ok {
			next.ServeHTTP(w, r)
			return
		}
		h := w.Header()
		h.Set("Allow", methods.allow()+", OPTIONS")
		if allowed {
			h.Set("Access-Control-Allow-Methods", methods.allow())
			h.Set("Access-Control-Allow-Headers", corsSent)
			h.Set("Access-Control-Max-Age", corsSeconds)
		}
		w.WriteHeader(http.StatusNoContent)
	})
}

// allow marks an answer as readable by the page that asks, when its origin is one of those named.
func (c CORS) allow(h http.Header, origin string) bool {
	if slices.Contains(c.Origins, "*") {
		h.Set("Access-Control-Allow-Origin", "*")
	} else {
		h.Add("Vary", "Origin")
		if !slices.ContainsFunc(c.Origins, func(o string) bool { return origin != "" && strings.EqualFold(o, origin) }) {
			return false
		}
		h.Set("Access-Control-Allow-Origin", origin)
	}
	h.Set("Access-Control-Expose-Headers", corsRead)
	return true
}
