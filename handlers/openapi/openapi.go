// Package openapi serves the description of the HTTP interface: as an OpenAPI document for programs, and as a page for people
// that needs nothing from elsewhere. The document is openapi.json, with the schemas of movies, which are made of the table of properties
// (domain/document); tests hold it and the code against each other.
package openapi

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	"github.com/gorilla/mux"

	"moviola/domain/document"
	"moviola/handlers/web"
)

//go:embed openapi.json
var written []byte

// Paths of the description.
const (
	documentPath = "/v2/openapi.json"
	schemaPath   = "/v2/movie.schema.json"
	pagePath     = "/docs"
)

// Document is the OpenAPI document, as JSON. The caller must not change it.
func Document() []byte {
	raw, err := assembled()
	if err != nil {
		panic("openapi: " + err.Error()) // the document in this program is broken: New says so first
	}
	return raw
}

// assembled is openapi.json with the schemas of movies.
var assembled = sync.OnceValues(func() ([]byte, error) {
	var top, components, schemas map[string]json.RawMessage
	for _, level := range []struct {
		raw  func() []byte
		into *map[string]json.RawMessage
	}{
		{func() []byte { return written }, &top}, {func() []byte { return top["components"] }, &components},
		{func() []byte { return components["schemas"] }, &schemas},
	} {
		if err := json.Unmarshal(level.raw(), level.into); err != nil {
			return nil, fmt.Errorf("read the OpenAPI document: %w", err)
		}
	}
	for name, schema := range document.OpenSchemas() {
		if schemas[name] != nil {
			return nil, fmt.Errorf("openapi.json has a schema %s, which is made of the table of properties", name)
		}
		schemas[name] = schema
	}
	var err error
	if components["schemas"], err = json.Marshal(schemas); err != nil {
		return nil, err
	}
	if top["components"], err = json.Marshal(components); err != nil {
		return nil, err
	}
	return json.Marshal(top)
})

// movieSchema is the JSON Schema of movies.
var movieSchema = sync.OnceValue(document.Schema)

// Pages serves the document and the page made from it. It is safe for concurrent use.
type Pages struct{ page []byte }

// New returns the pages. An error means that the document in this program is broken.
func New() (*Pages, error) {
	raw, err := assembled()
	if err != nil {
		return nil, err
	}
	var d description
	if err := json.Unmarshal(raw, &d); err != nil {
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
	for path, body := range map[string]func() []byte{documentPath: Document, schemaPath: movieSchema} {
		router.Handle(path, web.Methods{http.MethodGet: func(w http.ResponseWriter, _ *http.Request) {
			// Tools on pages of other sites read it.
			w.Header().Set("Access-Control-Allow-Origin", "*")
			cacheable(w)
			web.Send(w, http.StatusOK, "application/json; charset=utf-8", body())
		}})
	}
	router.Handle(pagePath, web.Methods{http.MethodGet: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		w.Header().Set("Referrer-Policy", "no-referrer")
		cacheable(w)
		web.Send(w, http.StatusOK, "text/html; charset=utf-8", p.page)
	}})
}

// cacheable lets an answer be kept for a while: it changes with the program only.
func cacheable(w http.ResponseWriter) { w.Header().Set("Cache-Control", "public, max-age=300") }
