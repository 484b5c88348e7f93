package watch_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"moviola/tests/harness"
)

// Times of the rules are divided by hurry, so that a run sees every alert fire and clear within minutes: an hour is two minutes.
// Metrics are read
// each second. A process counts its queue anew every five seconds at most, which no shorter time would see.
const hurry = 30

var (
	ranges    = regexp.MustCompile(`\[(\d+)([smh])\]`)
	pauses    = regexp.MustCompile(`(for|interval): (\d+)([smh])`)
	threshold = regexp.MustCompile(`(moviola:render_wait_seconds:max > )(\d+)`)
)

// hurried is a text of rules whose times are divided.
func hurried(text string) string {
	text = ranges.ReplaceAllStringFunc(text, func(s string) string {
		m := ranges.FindStringSubmatch(s)
		return fmt.Sprintf("[%dms]", divided(m[1], m[2]).Milliseconds())
	})
	text = pauses.ReplaceAllStringFunc(text, func(s string) string {
		m := pauses.FindStringSubmatch(s)
		return fmt.Sprintf("%s: %dms", m[1], divided(m[2], m[3]).Milliseconds())
	})
	return threshold.ReplaceAllStringFunc(text, func(s string) string {
		m := threshold.FindStringSubmatch(s)
		return m[1] + fmt.Sprint(divided(m[2], "s").Seconds())
	})
}

func divided(number, unit string) time.Duration {
	d, err := time.ParseDuration(number + unit)
	if err != nil {
		panic(err)
	}
	return max(d/hurry, time.Second)
}

// prometheus is a server that scrapes the installation.
type prometheus struct {
	t       *testing.T
	base    string
	process *harness.Process
	began   time.Time
}

// startPrometheus starts Debian's Prometheus on the rules of deploy/, hurried, with the addresses that it scrapes by their names.
func startPrometheus(t *testing.T, targets map[string]string) *prometheus {
	t.Helper()
	dir := t.TempDir()
	rules, err := os.ReadFile(filepath.Join(harness.Root(t), "deploy", "prometheus", "rules.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var config strings.Builder
	config.WriteString("global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}\nrule_files: [rules.yaml]\n" +
		"scrape_configs:\n  - job_name: moviola\n    static_configs:\n")
	for name, address := range targets {
		fmt.Fprintf(&config, "      - {targets: [%q], labels: {process: %s}}\n", address, name)
	}
	for name, content := range map[string]string{"rules.yaml": hurried(string(rules)), "prometheus.yaml": config.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := &prometheus{t: t, began: time.Now()}
	address := harness.FreeAddr(t)
	p.base = "http://" + address
	p.process = harness.Start(t, "prometheus", "prometheus", nil, "--config.file", filepath.Join(dir, "prometheus.yaml"),
		"--storage.tsdb.path", filepath.Join(dir, "data"), "--web.listen-address", address)
	harness.Eventually(t, "Prometheus is ready", func() bool {
		if p.process.Exited() {
			t.Fatalf("Prometheus ended:\n%s", p.process.Output())
		}
		res, err := http.Get(p.base + "/-/ready")
		if err != nil {
			return false
		}
		_ = res.Body.Close()
		return res.StatusCode == http.StatusOK
	})
	return p
}

// ask reads the data of an answer of Prometheus's own interface.
func (p *prometheus) ask(path string, query url.Values, into any) {
	p.t.Helper()
	res, err := http.Get(p.base + path + "?" + query.Encode())
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	answer := struct {
		Status, Error string
		Data          any
	}{Data: into}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || answer.Status != "success" {
		p.t.Fatalf("%s %v: %v %s", path, query, err, answer.Error)
	}
}

// firing are the names of the alerts that fire now.
func (p *prometheus) firing() map[string]bool {
	p.t.Helper()
	var got struct {
		Alerts []struct {
			Labels map[string]string
			State  string
		}
	}
	p.ask("/api/v1/alerts", nil, &got)
	names := map[string]bool{}
	for _, a := range got.Alerts {
		if a.State == "firing" {
			names[a.Labels["alertname"]] = true
		}
	}
	return names
}

// points counts the samples that a query has had since the server began.
func (p *prometheus) points(expr string) int {
	p.t.Helper()
	var got struct {
		Result []struct{ Values [][2]any }
	}
	p.ask("/api/v1/query_range", url.Values{
		"query": {expr}, "step": {"1"},
		"start": {strconv.FormatInt(p.began.Unix(), 10)}, "end": {strconv.FormatInt(time.Now().Unix(), 10)},
	}, &got)
	n := 0
	for _, series := range got.Result {
		for _, v := range series.Values {
			if v[1] != "NaN" {
				n++
			}
		}
	}
	return n
}

// alerts are the names of the alerts in the rules.
func alerts(t *testing.T) (names []string) {
	t.Helper()
	rules, err := os.ReadFile(filepath.Join(harness.Root(t), "deploy", "prometheus", "rules.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`alert: (\w+)`).FindAllStringSubmatch(string(rules), -1) {
		names = append(names, m[1])
	}
	return names
}

// panel is a query of the dashboard.
type panel struct{ title, expr string }

// panels are all queries of the dashboard, as Grafana sends them.
func panels(t *testing.T) (all []panel) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(harness.Root(t), "deploy", "grafana", "moviola.json"))
	if err != nil {
		t.Fatal(err)
	}
	type board struct {
		Title   string
		Targets []struct{ Expr string }
		Panels  []board
	}
	var root board
	if err := json.Unmarshal(content, &root); err != nil {
		t.Fatal(err)
	}
	var walk func(board)
	walk = func(b board) {
		for _, target := range b.Targets {
			all = append(all, panel{b.Title, strings.ReplaceAll(target.Expr, "$__rate_interval", "10s")})
		}
		for _, inner := range b.Panels {
			walk(inner)
		}
	}
	walk(root)
	return all
}
