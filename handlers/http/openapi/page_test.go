package openapi_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/connection"
	"moviola/domain/document"
	"moviola/handlers/http/openapi"
	"moviola/handlers/http/web"
)

// ask sends a request to the pages.
func ask(t *testing.T, method, path, accept string) *httptest.ResponseRecorder {
	t.Helper()
	pages, err := openapi.New("")
	if err != nil {
		t.Fatal(err)
	}
	router := web.NewRouter()
	pages.Routes(router)
	request := httptest.NewRequest(method, path, nil)
	request.Header.Set("Accept", accept)
	answer := httptest.NewRecorder()
	router.ServeHTTP(answer, request)
	return answer
}

// TestDocument: programs get the document, of the version that the specification says. Spec: Versioning 1.
func TestDocument(t *testing.T) {
	t.Parallel()
	answer := ask(t, "GET", "/v2/openapi.json", "")
	var d struct {
		OpenAPI string
		Info    struct{ Version string }
		Tags    []struct{ Name string }
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	if d.Info.Version != "2.0.0" || !strings.HasPrefix(d.OpenAPI, "3.1.") {
		t.Errorf("version %s of OpenAPI %s", d.Info.Version, d.OpenAPI)
	}
	if d.Tags[0].Name != "Movies" || d.Tags[len(d.Tags)-1].Name != "Operator" {
		t.Errorf("in the order %v", d.Tags)
	}
	if answer.Header().Get("Content-Type") != "application/json; charset=utf-8" || !bytes.Equal(answer.Body.Bytes(), openapi.Document()) {
		t.Errorf("headers %v", answer.Header())
	}
}

// TestPages: the pages work offline. Everything on them is served beside them, and their policy lets nothing else in.
func TestPages(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/docs", "/docs/movie"} {
		answer := ask(t, "GET", path, "text/html")
		policy := answer.Header().Get("Content-Security-Policy")
		if answer.Code != http.StatusOK || !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "http") {
			t.Errorf("%s: %d, %v", path, answer.Code, answer.Header())
		}
		links := regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(answer.Body.String(), -1)
		for _, link := range links {
			name, local := strings.CutPrefix(link[1], "#")
			if local && !strings.Contains(answer.Body.String(), `id="`+name+`"`) {
				t.Errorf("%s leads to %s, which is not on it", path, link[1])
			}
			if !local && ask(t, "GET", link[1], "").Code != http.StatusOK {
				t.Errorf("%s needs %s", path, link[1])
			}
		}
		if len(links) < 4 {
			t.Errorf("%s has %d links", path, len(links))
		}
	}
	movie := ask(t, "GET", "/docs/movie", "text/html").Body.String()
	for _, p := range document.Lookup(document.ElementKind("image")) {
		if !strings.Contains(movie, "<code>"+p.Name+"</code>") {
			t.Errorf("%s is not explained", p.Name)
		}
	}
	if got := ask(t, "GET", "/docs/viewer.js", ""); got.Code != http.StatusOK || !strings.Contains(got.Body.String(), "createApiReference") {
		t.Errorf("the viewer: %d, %d bytes", got.Code, got.Body.Len())
	}
}

// TestRoot: a browser is led to the documentation, everybody else is told that there is nothing.
func TestRoot(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		method, accept string
		status         int
	}{
		{"GET", "text/html,application/xhtml+xml,*/*;q=0.8", http.StatusFound},
		{"HEAD", "text/html", http.StatusFound},
		{"GET", "*/*", http.StatusNotFound},
		{"GET", "", http.StatusNotFound},
		{"POST", "text/html", http.StatusNotFound},
	} {
		answer := ask(t, row.method, "/", row.accept)
		if answer.Code != row.status || row.status == http.StatusFound && answer.Header().Get("Location") != "/docs" {
			t.Errorf("%s with Accept %q: %d %v", row.method, row.accept, answer.Code, answer.Header())
		}
	}
}

// TestDocument_connections: the document knows the kinds of connections and their settings as the domain has them.
func TestDocument_connections(t *testing.T) {
	t.Parallel()
	var d struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]struct{ Enum []string }
			}
		}
	}
	if err := json.Unmarshal(openapi.Document(), &d); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Connection", "SaveConnection"} {
		properties := d.Components.Schemas[name].Properties
		if diff := cmp.Diff(connection.Kinds(), properties["type"].Enum); diff != "" {
			t.Errorf("types of %s (-domain +document):\n%s", name, diff)
		}
		for _, kind := range connection.Kinds() {
			for _, f := range connection.Kind(kind).Fields() {
				if _, there := properties[f.Name]; !there && (name == "SaveConnection" || !f.Secret) {
					t.Errorf("%s lacks %s of %s", name, f.Name, kind)
				}
			}
		}
	}
}
