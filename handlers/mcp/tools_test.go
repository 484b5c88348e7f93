package mcp

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// answering serves one answer at each path, and notes the requests.
type answering struct {
	answers map[string]string
	asked   []string
}

func (a *answering) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.asked = append(a.asked, r.Method+" "+r.URL.String())
	_, _ = w.Write([]byte(a.answers[r.URL.Path]))
}

// TestFindTemplates_tag: with a tag, templates of the library without it are not found. GET /templates/library answers all
// that are published, whatever their tags are.
func TestFindTemplates_tag(t *testing.T) {
	t.Parallel()
	service := &answering{answers: map[string]string{
		"/v2/templates":         `{"templates":[{"id":"own","name":"Own","tags":["sale"]}]}`,
		"/v2/templates/library": `{"templates":[{"id":"other","name":"Other","tags":["news"]},{"id":"shared","name":"Shared","tags":["new","sale"]}]}`,
	}}
	for arguments, want := range map[string][]string{
		`{}`:                               {"own", "other", "shared"},
		`{"tag":"sale"}`:                   {"own", "shared"},
		`{"tag":"sale","search":"shared"}`: {"shared"},
		`{"tag":"sal"}`:                    {"own"}, // the service has chosen the account's own
	} {
		r, err := findTemplates(t.Context(), caller{serve: service}, json.RawMessage(arguments))
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, one := range r.facts["templates"].([]found) {
			ids = append(ids, one.ID)
		}
		if diff := cmp.Diff(want, ids); diff != "" {
			t.Errorf("%s (-want +got):\n%s", arguments, diff)
		}
	}
}

// TestWholeNumbers: a whole number may be written as JSON Schema allows it.
func TestWholeNumbers(t *testing.T) {
	t.Parallel()
	for arguments, want := range map[string]string{
		`{"movie":{},"max_credits":20}`:   "20",
		`{"movie":{},"max_credits":20.0}`: "20",
		`{"movie":{},"max_credits":2e1}`:  "20",
		`{"movie":{},"max_credits":1e30}`: "9007199254740992",
	} {
		service := &answering{answers: map[string]string{"/v2/movies": `{"project":"p"}`}}
		if _, err := render(t.Context(), caller{serve: service}, json.RawMessage(arguments)); err != nil {
			t.Errorf("%s: %v", arguments, err)
		}
		if !slices.Equal(service.asked, []string{"POST http://localhost/v2/movies?max_credits=" + want}) {
			t.Errorf("%s: asked %q", arguments, service.asked)
		}
	}
}

// TestPut_keepsTheAddress: the error of an upload does not tell the address, with which anybody could upload.
func TestPut_keepsTheAddress(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(nil)
	gone.Close()
	err := put(t.Context(), &http.Client{}, gone.URL+"/v2/media/upload/secret", "image/png", strings.NewReader("x"), 1)
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("error %v", err)
	}
}
