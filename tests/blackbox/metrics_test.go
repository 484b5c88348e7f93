package blackbox_test

import (
	"bufio"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"moviola/tests/harness"
)

// mostSeries is how many series one metric may have in a process that serves one account: the operations of the interface with their statuses
// are the most.
const mostSeries = 200

// TestMetrics: a service that made and delivered one movie shows every metric of docs/metrics.md, under the name, type and labels that
// stand there, and no label has a value that a client chose. Its log tells the movie's road under one request id, and no secret.
func TestMetrics(t *testing.T) {
	t.Parallel()
	assets, receiver, ops := harness.NewAssets(t), harness.NewReceiver(t), harness.FreeAddr(t)
	service := harness.NewService(t, "--allow-host", assets.Host, "--allow-host", receiver.Host)
	collector := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(collector.Close)
	service.StartAPI("--ops-listen", ops, "--log-format", "json", "--otlp", collector.URL, "--anchor-to", t.TempDir())
	client := service.NewAccount("chosen-by-a-client", 600)
	secrets := []string{"planted-query", "planted-hook", "planted-path", client.Key, harness.AdminToken}
	project := submitAs(t, client, "one-request", map[string]any{
		"scenes": list{object{"duration": 1, "elements": list{object{"type": "image", "src": assets.URL + "/picture.png?token=planted-query"}}}},
		"exports": list{object{"destinations": list{
			object{"type": "webhook", "endpoint": receiver.URL + "/planted-path?secret=planted-hook"},
		}}},
	})
	movie := client.WaitFor(project, "done")
	token := strings.Split(*movie.URL, "/")[5]
	if answer := client.Do(http.MethodGet, "/movies?project="+project+"&token=planted-query", nil); answer.Status != http.StatusOK {
		t.Errorf("the movie: %d", answer.Status)
	}
	get(t, *movie.URL)
	var families map[string]*dto.MetricFamily
	harness.Eventually(t, "the delivery is counted", func() bool {
		families = scrape(t, "http://"+ops+"/metrics")
		return len(families["moviola_delivery_attempts_total"].GetMetric()) > 0 && families["moviola_credits_total"] != nil && families["moviola_anchors_total"] != nil &&
			strings.Contains(families["moviola_credits_total"].String(), "charged")
	})
	checkDocumented(t, families)
	checkLabels(t, families, append(secrets, project, token, "chosen-by-a-client"))
	harness.Eventually(t, "the log tells of the delivery", func() bool { return len(road(service.API.Output(), project)) >= len(stations) })
	checkOneRoad(t, service.API.Output(), project, "one-request")
	for _, secret := range append(secrets, token) {
		if strings.Contains(service.API.Output(), secret) {
			t.Errorf("the log tells %s:\n%s", secret, service.API.Output())
		}
	}
}

// submitAs posts a movie under a request id and returns its project.
func submitAs(t *testing.T, client *harness.Client, request string, movie object) string {
	t.Helper()
	body, err := json.Marshal(movie)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, client.Base+"/v2/movies", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Api-Key", client.Key)
	r.Header.Set("X-Request-Id", request)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var answer struct {
		Project string `json:"project"`
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || res.StatusCode != http.StatusOK || res.Header.Get("X-Request-Id") != request {
		t.Fatalf("POST /v2/movies: %d, request %q, %v", res.StatusCode, res.Header.Get("X-Request-Id"), err)
	}
	return answer.Project
}

func scrape(t *testing.T, address string) map[string]*dto.MetricFamily {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(get(t, address)))
	if err != nil {
		t.Fatalf("%s: %v", address, err)
	}
	return families
}

// notHere are documented metrics that show nothing after one movie.
var notHere = []string{"moviola_render_pages_total", "moviola_storage_limit_files"}

// checkDocumented holds the metrics against the tables of docs/metrics.md.
func checkDocumented(t *testing.T, families map[string]*dto.MetricFamily) {
	t.Helper()
	documented := documentedMetrics(t)
	for name, family := range families {
		if !strings.HasPrefix(name, "moviola_") {
			continue
		}
		row := strings.ToLower(family.GetType().String()) + " " + strings.Join(labelsOf(family), ", ")
		if documented[name] != row {
			t.Errorf("docs/metrics.md says %q of %s, it is %q", documented[name], name, row)
		}
		if family.GetHelp() == "" {
			t.Errorf("%s has no help", name)
		}
		if counter := family.GetType() == dto.MetricType_COUNTER; counter != strings.HasSuffix(name, "_total") {
			t.Errorf("%s is a %s: only counters end with _total", name, family.GetType())
		}
		delete(documented, name)
	}
	for name := range documented {
		if !slices.Contains(notHere, name) {
			t.Errorf("docs/metrics.md tells of %s, which is not there", name)
		}
	}
	for _, name := range []string{"go_goroutines", "process_resident_memory_bytes"} {
		if families[name] == nil {
			t.Errorf("no %s", name)
		}
	}
}

// documentedMetrics are type and labels of each metric, as in "counter kind, result", by name.
func documentedMetrics(t *testing.T) map[string]string {
	t.Helper()
	file, err := os.Open("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	documented := map[string]string{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		cells := strings.Split(lines.Text(), "|")
		if len(cells) < 6 || !strings.HasPrefix(cells[1], " `moviola_") {
			continue
		}
		documented[strings.Trim(cells[1], " `")] = strings.TrimSpace(cells[2]) + " " + strings.TrimSpace(cells[3])
	}
	if err := lines.Err(); err != nil || len(documented) == 0 {
		t.Fatalf("docs/metrics.md: %d metrics, %v", len(documented), err)
	}
	return documented
}

func labelsOf(family *dto.MetricFamily) []string {
	names := map[string]bool{}
	for _, metric := range family.GetMetric() {
		for _, label := range metric.GetLabel() {
			names[label.GetName()] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// checkLabels refuses values that a client chose, and metrics with many series.
func checkLabels(t *testing.T, families map[string]*dto.MetricFamily, chosen []string) {
	t.Helper()
	for name, family := range families {
		if n := len(family.GetMetric()); n > mostSeries {
			t.Errorf("%s has %d series", name, n)
		}
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				if slices.ContainsFunc(chosen, func(s string) bool { return strings.Contains(label.GetValue(), s) }) {
					t.Errorf("%s has %s=%q", name, label.GetName(), label.GetValue())
				}
			}
		}
	}
}

// stations are the messages of a movie's road in the log.
var stations = []string{"movie submitted", "render claimed", "render finished", "delivery tried"}

// logLine is what the log tells of a station.
type logLine struct {
	Message string `json:"msg"`
	Request string `json:"request"`
	Project string `json:"project"`
	Account string `json:"account"`
	Stages  *int64 `json:"ms_window"`
}

// road are the stations of a movie that the log has told of so far.
func road(output, project string) map[string]logLine {
	found := map[string]logLine{}
	for text := range strings.Lines(output) {
		var l logLine
		if json.Unmarshal([]byte(text), &l) == nil && l.Project == project && slices.Contains(stations, l.Message) {
			found[l.Message] = l
		}
	}
	return found
}

// checkOneRoad looks at the lines of a movie's road, all with the request that it began with.
func checkOneRoad(t *testing.T, output, project, request string) {
	t.Helper()
	found := road(output, project)
	for _, message := range stations {
		if l := found[message]; l.Request != request || l.Account == "" {
			t.Errorf("the line %q: %+v, want request %s and the account; the log:\n%s", message, l, request, output)
		}
	}
	if found["render finished"].Stages == nil {
		t.Error("the line of the finished render does not tell where the time went")
	}
}
