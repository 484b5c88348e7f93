package openapi_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"moviola/handlers/openapi"
	"moviola/handlers/web"
)

func get(t *testing.T, path string) *httptest.ResponseRecorder {
	t.Helper()
	pages, err := openapi.New()
	if err != nil {
		t.Fatal(err)
	}
	router := web.NewRouter()
	pages.Routes(router)
	answer := httptest.NewRecorder()
	router.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
	return answer
}

func TestDocument_Served(t *testing.T) {
	t.Parallel()
	answer := get(t, "/v2/openapi.json")
	var d struct {
		OpenAPI string
		Info    struct{ Version string }
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	// Spec: Versioning 1.
	if d.Info.Version != "2.0.0" || !strings.HasPrefix(d.OpenAPI, "3.1.") {
		t.Errorf("version %s of OpenAPI %s", d.Info.Version, d.OpenAPI)
	}
	if answer.Header().Get("Content-Type") != "application/json; charset=utf-8" || !bytes.Equal(answer.Body.Bytes(), openapi.Document()) {
		t.Errorf("headers %v", answer.Header())
	}
}

// The page works offline: nothing on it is fetched from elsewhere, and no script is needed.
func TestPage(t *testing.T) {
	t.Parallel()
	answer := get(t, "/docs")
	page := answer.Body.String()
	if answer.Header().Get("Content-Type") != "text/html; charset=utf-8" || !strings.Contains(answer.Header().Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("headers %v", answer.Header())
	}
	for _, foreign := range []string{"<script", "@import", "<img"} {
		if strings.Contains(page, foreign) {
			t.Errorf("the page has %q", foreign)
		}
	}
	var d struct {
		Paths      map[string]map[string]struct{ OperationID string }
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(openapi.Document(), &d); err != nil {
		t.Fatal(err)
	}
	for path, item := range d.Paths {
		for _, op := range item {
			if !strings.Contains(page, path) || !strings.Contains(page, `<section id="`+strings.ToLower(op.OperationID)+`">`) {
				t.Errorf("%s %s is not on the page", path, op.OperationID)
			}
		}
	}
	for name := range d.Components.Schemas {
		if !strings.Contains(page, `<section id="schema-`+name+`">`) {
			t.Errorf("schema %s is not on the page", name)
		}
	}
	checkLinks(t, page)
	checkTags(t, page)
}

// checkLinks: every link on the page leads somewhere on it, or to the document.
func checkLinks(t *testing.T, page string) {
	t.Helper()
	links := regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(page, -1)
	if len(links) < 20 {
		t.Errorf("%d links", len(links))
	}
	for _, link := range links {
		name, local := strings.CutPrefix(link[1], "#")
		if local && !strings.Contains(page, `id="`+name+`"`) || !local && link[1] != "/v2/openapi.json" {
			t.Errorf("a link to %s", link[1])
		}
	}
}

// checkTags: what is opened is closed.
func checkTags(t *testing.T, page string) {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(strings.TrimPrefix(page, "<!doctype html>\n")))
	decoder.Entity = xml.HTMLEntity
	var open []string
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("inside %v: %v", open, err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			open = append(open, token.Name.Local)
		case xml.EndElement:
			open = slices.Delete(open, len(open)-1, len(open))
		}
	}
}
