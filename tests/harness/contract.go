package harness

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"moviola/handlers/http/openapi"
)

// Contract is the description of the HTTP interface, compiled so that answers can be checked against it.
type Contract struct {
	routes   []contractRoute
	compiler *jsonschema.Compiler
	mu       sync.Mutex
	seen     map[string]bool
}

type contractRoute struct {
	path     *regexp.Regexp
	template string
	methods  map[string]map[string]contractResponse // method, status
}

type contractResponse struct {
	Ref     string `json:"$ref"`
	Headers map[string]any
	Content map[string]struct{ Schema any }
}

const contractURL = "https://moviola.test/openapi.json"

// contract is compiled once for all tests.
var contract = sync.OnceValues(loadContract)

// LoadContract returns the description that this source tree serves. It is stricter than the document: a field that is not
// described is a mistake.
func LoadContract(t testing.TB) *Contract {
	t.Helper()
	c, err := contract()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func loadContract() (*Contract, error) {
	raw, err := jsonschema.UnmarshalJSON(bytes.NewReader(openapi.Document()))
	if err != nil {
		return nil, err
	}
	closeObjects(raw)
	c := &Contract{compiler: jsonschema.NewCompiler(), seen: map[string]bool{}}
	c.compiler.DefaultDraft(jsonschema.Draft2020)
	c.compiler.AssertFormat()
	if err := c.compiler.AddResource(contractURL, raw); err != nil {
		return nil, err
	}
	var document struct {
		Paths map[string]map[string]struct {
			Responses map[string]contractResponse
		}
	}
	if err := json.Unmarshal(openapi.Document(), &document); err != nil {
		return nil, err
	}
	for template, item := range document.Paths {
		// The parameter path may have several segments.
		pattern := strings.ReplaceAll(regexp.QuoteMeta(template), `\{path\}`, `.+`)
		pattern = regexp.MustCompile(`\\\{\w+\\\}`).ReplaceAllString(pattern, `[^/]+`)
		route := contractRoute{path: regexp.MustCompile("^" + pattern + "$"), template: template,
			methods: map[string]map[string]contractResponse{}}
		for method, op := range item {
			route.methods[strings.ToUpper(method)] = op.Responses
		}
		c.routes = append(c.routes, route)
	}
	// Routes with parameters come last, because they also match the fixed paths of other routes.
	slices.SortFunc(c.routes, func(a, b contractRoute) int {
		return cmp.Or(cmp.Compare(strings.Count(a.template, "{"), strings.Count(b.template, "{")), cmp.Compare(a.template, b.template))
	})
	return c, nil
}

// closeObjects makes every object schema that lists its properties forbid all other properties.
func closeObjects(node any) {
	switch node := node.(type) {
	case map[string]any:
		_, listed := node["properties"]
		if node["type"] == "object" && listed {
			node["additionalProperties"] = false
		}
		for _, child := range node {
			closeObjects(child)
		}
	case []any:
		for _, child := range node {
			closeObjects(child)
		}
	}
}

// Check fails the test when an answer differs from its description in its status, its media type, its body or the headers of
// every answer.
func (c *Contract) Check(t testing.TB, method, address string, answer Answer) {
	t.Helper()
	target, err := url.Parse(address)
	if err != nil {
		t.Errorf("parse %s: %v", address, err)
		return
	}
	name := fmt.Sprintf("%s %s: %d %.300s", method, target.Path, answer.Status, answer.Body)
	if answer.Header.Get("X-Request-Id") == "" {
		t.Errorf("%s: no request id", name)
	}
	if length := answer.Header.Get("Content-Length"); length != "" && method != http.MethodHead &&
		length != strconv.Itoa(len(answer.Body)) {
		t.Errorf("%s: %d bytes, but Content-Length %s", name, len(answer.Body), length)
	}
	if err := c.check(method, target.Path, answer); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// consoles are the paths that the description leaves out: pages for people, and their sign-in.
var consoles = []string{"/console", "/operator"}

func (c *Contract) check(method, path string, answer Answer) error {
	if slices.ContainsFunc(consoles, func(page string) bool { return path == page || strings.HasPrefix(path, page+"/") }) {
		return nil
	}
	at := slices.IndexFunc(c.routes, func(r contractRoute) bool { return r.path.MatchString(path) })
	if at < 0 {
		if answer.Status != http.StatusNotFound {
			return fmt.Errorf("the path is not described")
		}
		return c.validate(errorSchema, answer.Body)
	}
	route := c.routes[at]
	described := method
	if method == http.MethodHead {
		described = http.MethodGet
	}
	responses, ok := route.methods[described]
	if !ok {
		return c.checkUndescribed(method, answer)
	}
	status := strconv.Itoa(answer.Status)
	response, ok := responses[status]
	if !ok {
		return fmt.Errorf("the status is not described")
	}
	if name, shared := strings.CutPrefix(response.Ref, "#"); shared {
		return c.validate(name+"/content/application~1json/schema", answer.Body)
	}
	c.mark(route.template, described, status)
	media, _, _ := strings.Cut(answer.Header.Get("Content-Type"), ";")
	_, known := response.Content[media]
	_, all := response.Content["*/*"]
	switch {
	case len(response.Content) == 0:
		return nil
	case !known && !all:
		return fmt.Errorf("media type %q is not described", media)
	case media != "application/json" || !known || method == http.MethodHead:
		return nil
	}
	pointer := "/paths/" + escapePointer(route.template) + "/" + strings.ToLower(described) + "/responses/" + status
	return c.validate(pointer+"/content/"+escapePointer(media)+"/schema", answer.Body)
}

const errorSchema = "/components/schemas/Error"

// checkUndescribed checks the answer to a method that a path does not have.
func (c *Contract) checkUndescribed(method string, answer Answer) error {
	if answer.Status == http.StatusNoContent && method == http.MethodOptions {
		return nil
	}
	if answer.Status != http.StatusMethodNotAllowed || answer.Header.Get("Allow") == "" {
		return fmt.Errorf("the method is not described")
	}
	return c.validate(errorSchema, answer.Body)
}

func (c *Contract) validate(pointer string, body []byte) error {
	// A compiler is not safe for concurrent use.
	c.mu.Lock()
	schema, err := c.compiler.Compile(contractURL + "#" + pointer)
	c.mu.Unlock()
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("the body is no JSON: %w", err)
	}
	return schema.Validate(value)
}

// mark remembers that an answer of an operation has been seen.
func (c *Contract) mark(template, method, status string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen[method+" "+template+" "+status] = true
}

// Unseen lists the described answers that no checked answer has had yet: "GET /v2/movies 404". Answers to wrong methods are left
// out.
func (c *Contract) Unseen() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []string
	for _, route := range c.routes {
		for method, responses := range route.methods {
			for status, response := range responses {
				if name := method + " " + route.template + " " + status; response.Ref == "" && !c.seen[name] {
					list = append(list, name)
				}
			}
		}
	}
	slices.Sort(list)
	return list
}

// escapePointer writes a name as one part of a JSON pointer inside a URL.
func escapePointer(name string) string {
	return url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
}
