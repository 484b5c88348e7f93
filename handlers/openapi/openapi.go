// Package openapi serves the description of the HTTP interface: as an OpenAPI document for programs, and as a page for people
// that needs nothing from elsewhere. The document is openapi.json; tests hold it and the code against each other.
package openapi

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/gorilla/mux"

	"moviola/handlers/web"
)

//go:embed openapi.json
var document []byte

// Paths of the description.
const (
	documentPath = "/v2/openapi.json"
	pagePath     = "/docs"
)

// Document is the OpenAPI document, as JSON. The caller must not change it.
func Document() []byte { return document }

// Pages serves the document and the page made from it. It is safe for concurrent use.
type Pages struct{ page []byte }

// New returns the pages. An error means that the document in this program is broken.
func New() (*Pages, error) {
	var d description
	if err := json.Unmarshal(document, &d); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	page, err := render(d)
	if err != nil {
		return nil, fmt.Errorf("make a page of the OpenAPI document: %w", err)
	}
	return &Pages{page: page}, nil
}

// Routes registers the paths on the root router. No key is asked for.
func (p *Pages) Routes(router *mux.Router) {
	router.Handle(documentPath, web.Methods{http.MethodGet: func(w http.ResponseWriter, _ *http.Request) {
		// Tools on pages of other sites read it.
		w.Header().Set("Access-Control-Allow-Origin", "*")
		cacheable(w)
		web.Send(w, http.StatusOK, "application/json; charset=utf-8", document)
	}})
	router.Handle(pagePath, web.Methods{http.MethodGet: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		w.Header().Set("Referrer-Policy", "no-referrer")
		cacheable(w)
		web.Send(w, http.StatusOK, "text/html; charset=utf-8", p.page)
	}})
}

// cacheable lets an answer be kept for a while: it changes with the program only.
func cacheable(w http.ResponseWriter) { w.Header().Set("Cache-Control", "public, max-age=300") }
