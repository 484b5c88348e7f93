// Package openapi serves the description of the HTTP API: an OpenAPI document, and pages for people, which load nothing from
// other hosts. The document is assembled when it is first requested, from openapi.json, from the declarations of the resources
// (handlers/http/operation), and from the schemas of movies, which are generated from the table of properties
// (domain/document).
package openapi

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"github.com/gorilla/mux"

	"moviola/docs/gallery"
	"moviola/domain/document"
	"moviola/handlers/http/operation"
	"moviola/handlers/http/web"
	"moviola/third_party/scalar"
)

// head has the parts of the document that no operation declares, among them the title, the servers, the groups, the webhooks,
// and answers that many operations have.
//
//go:embed openapi.json
var head []byte

// Document is the OpenAPI document, as JSON. The caller must not change it.
func Document() []byte {
	raw, err := assembled()
	if err != nil {
		// This does not happen: the document depends only on data in the program, and the tests of this package
		// assemble it too.
		panic("openapi: " + err.Error())
	}
	return raw
}

// assembled returns openapi.json completed with the declarations of the resources and the schemas of movies.
var assembled = sync.OnceValues(func() ([]byte, error) {
	var top, components map[string]json.RawMessage
	if err := json.Unmarshal(head, &top); err != nil {
		return nil, fmt.Errorf("read openapi.json: %w", err)
	}
	if err := json.Unmarshal(top["components"], &components); err != nil {
		return nil, fmt.Errorf("read the components of openapi.json: %w", err)
	}
	paths, schemas, err := operation.Document(rooms()...)
	if err != nil {
		return nil, err
	}
	for name, schema := range document.OpenSchemas() {
		if schemas[name] != nil {
			return nil, fmt.Errorf("the model %s is declared, and made of the table of properties", name)
		}
		schemas[name] = schema
	}
	top["paths"] = paths
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

// Pages serves the OpenAPI document, the viewer that displays it, and the reference of the movie JSON. It is safe for concurrent
// use.
type Pages struct {
	parts map[string]part // files of the documentation, by the last part of their path
	home  string          // where a browser that requests / is redirected to; empty: to the documentation
}

// part is a file of the documentation.
type part struct {
	contentType string
	body        []byte
	packed      bool // the content is compressed by gzip
}

var (
	//go:embed viewer.html
	viewer []byte
	//go:embed start.js
	start []byte
	//go:embed movie.html
	movieText string
)

// New returns the pages. Browsers that request / are redirected to home; empty: to the documentation. An error means that the
// embedded reference of the movie JSON is broken.
func New(home string) (*Pages, error) {
	movie, err := movieReference()
	if err != nil {
		return nil, fmt.Errorf("make the reference of the movie JSON: %w", err)
	}
	p := &Pages{home: home, parts: map[string]part{
		"viewer.js": {contentType: scriptType, body: scalar.Packed, packed: true}, "start.js": {contentType: scriptType, body: start},
		"movie": {contentType: pageType, body: movie},
	}}
	pictures, err := fs.Glob(gallery.Pictures, "*.jpg")
	if err != nil {
		return nil, err
	}
	for _, name := range pictures {
		body, err := gallery.Pictures.ReadFile(name)
		if err != nil {
			return nil, err
		}
		p.parts[name] = part{contentType: "image/jpeg", body: body}
	}
	return p, nil
}

const (
	scriptType = "text/javascript; charset=utf-8"
	pageType   = "text/html; charset=utf-8"
)

// markdownLink matches links to other pages of the documentation. The service does not serve those pages.
var markdownLink = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)

// movieReference returns the page with all properties of the movie JSON.
var movieReference = sync.OnceValues(func() ([]byte, error) {
	page, err := template.New("movie").Funcs(template.FuncMap{
		"prose": func(text string) string { return markdownLink.ReplaceAllString(text, "docs/$1") },
	}).Parse(movieText)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = page.Execute(&out, document.Chapters())
	return out.Bytes(), err
})

// Routes registers the paths of the documentation on the root router. Requests to them need no API key.
func (p *Pages) Routes(router *mux.Router) {
	router.HandleFunc("/", p.root)
	operation.Register(router, []operation.Route{
		{Operation: getDescription, Serve: sendJSON(Document)},
		{Operation: getMovieSchema, Serve: sendJSON(movieSchema)},
		{Operation: getLlms, Serve: sendText(func() string { return llms })},
		{Operation: getLlmsFull, Serve: sendText(full)},
		{Operation: getDocs, Serve: func(w http.ResponseWriter, _ *http.Request) {
			p.send(w, part{contentType: pageType,
				body: viewer})
		}},
		{Operation: getDocsPart, Serve: p.servePart},
	})
}

// sendJSON serves a JSON text to tools. Pages of other sites may read it too.
func sendJSON(body func() []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		cacheable(w)
		web.Send(w, http.StatusOK, "application/json; charset=utf-8", body())
	}
}

func sendText(text func() string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		cacheable(w)
		web.Send(w, http.StatusOK, "text/plain; charset=utf-8", []byte(text()))
	}
}

// servePart serves a file of the documentation.
func (p *Pages) servePart(w http.ResponseWriter, r *http.Request) {
	found, ok := p.parts[mux.Vars(r)["part"]]
	if !ok {
		web.NotFound(w, r)
		return
	}
	p.send(w, found)
}

// root redirects a browser that requests the path / to p.home or, when that is empty, to the documentation. For other
// clients the path / is not found.
func (p *Pages) root(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || !strings.Contains(r.Header.Get("Accept"), "text/html") {
		web.NotFound(w, r)
		return
	}
	w.Header().Set("Vary", "Accept")
	http.Redirect(w, r, cmp.Or(p.home, getDocs.Path), http.StatusFound)
}

// policy restricts pages of the documentation to this service's own resources. Inline styles are allowed because the viewer
// writes them.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"font-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func (p *Pages) send(w http.ResponseWriter, f part) {
	if f.contentType == pageType {
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("Referrer-Policy", "no-referrer")
	}
	cacheable(w)
	if f.packed {
		web.SendPacked(w, http.StatusOK, f.contentType, f.body)
		return
	}
	web.Send(w, http.StatusOK, f.contentType, f.body)
}

// cacheable lets clients cache an answer for 300 seconds. The answer changes only with a new version of the program.
func cacheable(w http.ResponseWriter) { w.Header().Set("Cache-Control", "public, max-age=300") }
