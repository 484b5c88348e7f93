package web

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gorilla/mux"
)

// The headers that pages of other origins may send with every operation, and those that they may read.
const (
	corsSent = "X-Api-Key, Content-Type, Idempotency-Key, X-Request-Id"
	corsRead = "X-Request-Id, Deprecation, Link, Retry-After"
	// corsSeconds is how long browsers may cache the answer to a preflight.
	corsSeconds = "600"
)

// CORS lets pages of some origins use the paths of a router. Without origins it changes nothing: OPTIONS is then handled like
// any other method. Decision 5.
type CORS struct {
	// Origins are scheme, host and port as browsers send them; "*": all origins.
	Origins []string
	// Sent are headers that pages may send beside those of every operation, separated by commas; empty: no other headers.
	Sent string
}

// Middleware adds the CORS headers to the answers of a router.
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
			sent := corsSent
			if c.Sent != "" {
				sent += ", " + c.Sent
			}
			h.Set("Access-Control-Allow-Headers", sent)
			h.Set("Access-Control-Max-Age", corsSeconds)
		}
		w.WriteHeader(http.StatusNoContent)
	})
}

// allow adds the header that lets the requesting page read the answer, when its origin is allowed.
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
