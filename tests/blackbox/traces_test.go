package blackbox_test

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"moviola/tests/harness"
)

// span is a span that a collector has got, with the process it comes from.
type span struct {
	*otlp.Span
	process string
}

// attribute is the text of an attribute; empty: there is none.
func (s span) attribute(key string) string {
	for _, a := range s.GetAttributes() {
		if a.GetKey() == key {
			return a.GetValue().GetStringValue()
		}
	}
	return ""
}

// collected is an OTLP collector on loopback.
type collected struct {
	*httptest.Server
	mu    sync.Mutex
	raw   []byte // everything that was sent, one after the other
	spans []span
	keys  map[string]bool // names of all attributes
}

func startCollector(t *testing.T) *collected {
	t.Helper()
	c := &collected{keys: map[string]bool{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body := io.Reader(r.Body)
		if r.Header.Get("Content-Encoding") == "gzip" {
			plain, err := gzip.NewReader(r.Body)
			if err != nil {
				t.Error(err)
				return
			}
			body = plain
		}
		raw, err := io.ReadAll(body)
		var request collector.ExportTraceServiceRequest
		if err != nil || r.URL.Path != "/v1/traces" || proto.Unmarshal(raw, &request) != nil {
			t.Errorf("%s %s: not a request of OTLP (%v)", r.Method, r.URL.Path, err)
			return
		}
		c.take(raw, &request)
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *collected) take(raw []byte, request *collector.ExportTraceServiceRequest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw = append(c.raw, raw...)
	for _, resource := range request.GetResourceSpans() {
		process := ""
		for _, a := range resource.GetResource().GetAttributes() {
			if a.GetKey() == "service.instance.id" {
				process = a.GetValue().GetStringValue()
			}
		}
		c.note(resource.GetResource().GetAttributes())
		for _, scope := range resource.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				c.spans = append(c.spans, span{s, process})
				c.note(s.GetAttributes())
			}
		}
	}
}

func (c *collected) note(attributes []*common.KeyValue) {
	for _, a := range attributes {
		c.keys[a.GetKey()] = true
	}
}

// named are the spans with a name.
func (c *collected) named(name string) []span {
	c.mu.Lock()
	defer c.mu.Unlock()
	var found []span
	for _, s := range c.spans {
		if s.GetName() == name {
			found = append(found, s)
		}
	}
	return found
}

// theClient is the trace context that the client of TestTraces sends.
const theClient, theClientsSpan = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"

// theRoad are the spans of a movie with a picture, a page and a webhook, from the request to the receiver.
var theRoad = []string{
	"POST /v2/movies", "append movie", "work fetch", "fetch sources", "work render", "page still", "render window", "render join",
	"render store", "work deliver", "deliver webhook",
}

// TestTraces: the whole road of a movie through two processes is one trace, which the client's own is linked to; spans hold the
// attributes of docs/operations.md, and no secret.
func TestTraces(t *testing.T) {
	t.Parallel()
	assets, receiver, spans := harness.NewAssets(t), harness.NewReceiver(t), startCollector(t)
	addr := harness.FreeAddr(t)
	harness.StartEventStore(t, t.TempDir(), addr)
	service := harness.NewService(t, "--eventstore", "esdb://"+addr+"?tls=false", "--allow-host", assets.Host,
		"--allow-host", receiver.Host, "--otlp", spans.URL)
	service.Environment = []string{"OTEL_BSP_SCHEDULE_DELAY=100"}
	service.StartAPI("--roles", "api,projector,deliverer,keeper")
	service.StartProcess("renderer", "--roles", "renderer", "--listen", harness.FreeAddr(t))
	client := service.NewAccount("chosen-by-a-client", 600)
	project := submitTraced(t, client, object{
		"scenes": list{object{"duration": 1, "elements": list{
			object{"type": "image", "src": assets.URL + "/picture.png?token=planted-query"},
			object{"type": "html", "html": "<p>planted-text</p>"},
		}}},
		"exports": list{object{"destinations": list{
			object{"type": "webhook", "endpoint": strings.Replace(receiver.URL, "://", "://someone:planted-password@", 1) +
				"/planted-path?secret=planted-hook"},
		}}},
	})
	movie := client.WaitFor(project, "done")
	get(t, *movie.URL)
	harness.Eventually(t, "the road is collected", func() bool {
		return !slices.ContainsFunc(theRoad, func(name string) bool { return len(spans.named(name)) == 0 })
	})
	checkOneTrace(t, spans, project)
	documented := documentedAttributes(t)
	spans.mu.Lock()
	defer spans.mu.Unlock()
	for key := range spans.keys {
		if !documented[key] {
			t.Errorf("docs/operations.md does not tell of the attribute %s", key)
		}
	}
	secrets := []string{
		"planted", "chosen-by-a-client", "picture.png", client.Key, harness.AdminToken, strings.Split(*movie.URL, "/")[5],
	}
	for _, secret := range secrets {
		if strings.Contains(string(spans.raw), secret) {
			t.Errorf("the spans tell %s", secret)
		}
	}
}

// submitTraced posts a movie with a trace context of the client's own, and returns its project.
func submitTraced(t *testing.T, client *harness.Client, movie object) string {
	t.Helper()
	body, err := json.Marshal(movie)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, client.Base+"/v2/movies", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"X-Api-Key": {client.Key}, "Traceparent": {"00-" + theClient + "-" + theClientsSpan + "-01"},
		"Tracestate": {"planted=state"}, "Baggage": {"planted=baggage"}}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var answer struct {
		Project string `json:"project"`
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || answer.Project == "" {
		t.Fatalf("POST /v2/movies: %d, %v", res.StatusCode, err)
	}
	return answer.Project
}

// checkOneTrace: all spans of the road have the trace of the request, which is not the client's; the render's comes from another
// process.
func checkOneTrace(t *testing.T, spans *collected, project string) {
	t.Helper()
	request := spans.named("POST /v2/movies")[0]
	trace := hex.EncodeToString(request.GetTraceId())
	if trace == theClient || len(request.GetParentSpanId()) > 0 {
		t.Errorf("the request belongs to trace %s and parent %x: a client's trace is no parent", trace, request.GetParentSpanId())
	}
	if links := request.GetLinks(); len(links) != 1 || hex.EncodeToString(links[0].GetTraceId()) != theClient ||
		hex.EncodeToString(links[0].GetSpanId()) != theClientsSpan {
		t.Errorf("the request has the links %v, want one to the client's span", links)
	}
	for _, name := range theRoad {
		if !slices.ContainsFunc(spans.named(name), func(s span) bool { return hex.EncodeToString(s.GetTraceId()) == trace }) {
			t.Errorf("%s is not in the trace of the request", name)
		}
	}
	render := spans.named("work render")[0]
	if render.process == request.process || render.process == "" {
		t.Errorf("the render is a span of process %q, the request of %q", render.process, request.process)
	}
	if got := render.attribute("moviola.project"); got != project {
		t.Errorf("the render is of project %q, want %s", got, project)
	}
}

// documentedAttributes are the attributes that docs/operations.md lists.
func documentedAttributes(t *testing.T) map[string]bool {
	t.Helper()
	page, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(page), "\n## Traces\n")
	if !found {
		t.Fatal("docs/operations.md has no section Traces")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	keys := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_.]+)` \\|").FindAllStringSubmatch(section, -1) {
		keys[row[1]] = true
	}
	return keys
}
