package deploy

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/promql/parser"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write deploy/grafana/moviola.json anew")

// TestDashboard: the file is what its table says.
func TestDashboard(t *testing.T) {
	made, err := Dashboard()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, "deploy", "grafana", "moviola.json")
	if *update {
		if err := os.WriteFile(path, made, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if kept, err := os.ReadFile(path); err != nil || !bytes.Equal(kept, made) {
		t.Errorf("%s is not what dashboard.go makes (%v): go test ./tests/deploy -run TestDashboard -update", path, err)
	}
}

// standard are labels that Prometheus itself sets, and metrics that are not the service's own.
var (
	standard = []string{"instance", "job", "le"}
	foreign  = regexp.MustCompile(`^(up|go_[a-z_]+|process_[a-z_]+)$`)
	suffix   = regexp.MustCompile(`_(bucket|sum|count)$`)
)

// metric is a row of docs/metrics.md, or of the rules.
type metric struct {
	kind   string
	labels []string
}

var metricRow = regexp.MustCompile("(?m)^\\| `(moviola_[a-z0-9_]+)` \\| (\\w+) \\| ([a-z, ]*) \\|")

// documented are the metrics of docs/metrics.md, which tests/blackbox holds against a service that runs.
func documented(t *testing.T) map[string]metric {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, "docs", "metrics.md"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]metric{}
	for _, row := range metricRow.FindAllStringSubmatch(string(page), -1) {
		all[row[1]] = metric{row[2], strings.FieldsFunc(row[3], func(r rune) bool { return r == ',' || r == ' ' })}
	}
	if len(all) < 40 {
		t.Fatalf("docs/metrics.md names %d metrics", len(all))
	}
	return all
}

type rule struct{ Record, Alert, Expr string }

func rules(t *testing.T) (all []rule) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, "deploy", "prometheus", "rules.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Groups []struct{ Rules []rule } }
	if err := yaml.Unmarshal(content, &file); err != nil {
		t.Fatal(err)
	}
	for _, group := range file.Groups {
		all = append(all, group.Rules...)
	}
	return all
}

// TestQueries: what rules and dashboard ask for, the service tells, with these labels; counters and histograms are asked as such. The
// dashboard shows every metric that is documented.
func TestQueries(t *testing.T) {
	known := documented(t)
	for _, rule := range rules(t) {
		if rule.Record == "" {
			continue
		}
		expr := parsed(t, rule.Expr)
		recorded := metric{kind: "gauge"}
		if aggregate, ok := expr.(*parser.AggregateExpr); ok {
			recorded.labels = aggregate.Grouping
		}
		known[rule.Record] = recorded
	}
	shown := map[string]bool{}
	for _, rule := range rules(t) {
		checkQuery(t, rule.Record+rule.Alert, rule.Expr, known, map[string]bool{})
	}
	for _, row := range board {
		for _, panel := range row.panels {
			for _, query := range panel.queries {
				checkQuery(t, panel.title, query.expr, known, shown)
				checkLegend(t, panel.title, query)
			}
		}
	}
	for name := range known {
		if !shown[name] && name != "moviola_keys_live" && name != "moviola_disk_low" && !strings.HasSuffix(name, ":ratio_rate5m") {
			t.Errorf("no panel shows %s", name)
		}
	}
}

func parsed(t *testing.T, text string) parser.Expr {
	t.Helper()
	expr, err := parser.NewParser(parser.Options{}).ParseExpr(strings.ReplaceAll(text, "$__rate_interval", "5m"))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return expr
}

// checkQuery holds names, labels and types in a query against what is known, and notes what it asks for.
func checkQuery(t *testing.T, where, text string, known map[string]metric, asked map[string]bool) {
	t.Helper()
	var labels []string
	check := func(used []string) {
		for _, label := range used {
			if !slices.Contains(labels, label) && !slices.Contains(standard, label) {
				t.Errorf("%s: no metric in it has the label %s: %s", where, label, text)
			}
		}
	}
	parser.Inspect(parsed(t, text), func(node parser.Node, path []parser.Node) error {
		selector, ok := node.(*parser.VectorSelector)
		if !ok || foreign.MatchString(selector.Name) {
			return nil
		}
		name := selector.Name
		if _, ok := known[name]; !ok {
			name = suffix.ReplaceAllString(name, "")
		}
		its, ok := known[name]
		if !ok {
			t.Errorf("%s: there is no metric %s", where, selector.Name)
		}
		if histogram := name != selector.Name; histogram != (its.kind == "histogram") {
			t.Errorf("%s: %s is a %s", where, selector.Name, its.kind)
		}
		if its.kind != "gauge" && !rated(path) {
			t.Errorf("%s: %s counts since the process began: ask for its rate", where, selector.Name)
		}
		asked[name] = true
		labels = append(labels, its.labels...)
		for _, matcher := range selector.LabelMatchers {
			if !slices.Contains(its.labels, matcher.Name) && matcher.Name != "__name__" && !slices.Contains(standard, matcher.Name) {
				t.Errorf("%s: %s has no label %s", where, selector.Name, matcher.Name)
			}
		}
		return nil
	})
	parser.Inspect(parsed(t, text), func(node parser.Node, _ []parser.Node) error {
		if aggregate, ok := node.(*parser.AggregateExpr); ok {
			check(aggregate.Grouping)
		}
		return nil
	})
}

// rated says whether a rate is taken of what stands at the end of a path.
func rated(path []parser.Node) bool {
	return slices.ContainsFunc(path, func(node parser.Node) bool {
		call, ok := node.(*parser.Call)
		return ok && slices.Contains([]string{"rate", "increase"}, call.Func.Name)
	})
}

var placeholder = regexp.MustCompile(`\{\{(\w+)\}\}`)

// checkLegend: series are named by labels that are left.
func checkLegend(t *testing.T, where string, asked query) {
	t.Helper()
	aggregate, ok := parsed(t, asked.expr).(*parser.AggregateExpr)
	if !ok {
		return
	}
	for _, name := range placeholder.FindAllStringSubmatch(asked.legend, -1) {
		if aggregate.Op != parser.TOPK && !slices.Contains(aggregate.Grouping, name[1]) {
			t.Errorf("%s: %s is aggregated away: %s", where, name[1], asked.expr)
		}
	}
}

// TestAlerts: docs/operations.md says of every alert what it means and what to do, and of no other one.
func TestAlerts(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	tests, err := os.ReadFile(filepath.Join(root, "deploy", "prometheus", "rules_test.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, rule := range rules(t) {
		if rule.Alert == "" {
			continue
		}
		there[rule.Alert] = true
		if !strings.Contains(string(page), "| `"+rule.Alert+"` |") {
			t.Errorf("docs/operations.md does not say what to do about %s", rule.Alert)
		}
		if !strings.Contains(string(tests), "alertname: "+rule.Alert+"\n        exp_alerts:") {
			t.Errorf("rules_test.yaml does not let %s fire", rule.Alert)
		}
		if !strings.Contains(string(tests), "alertname: "+rule.Alert+"}") {
			t.Errorf("rules_test.yaml does not see %s clear", rule.Alert)
		}
	}
	for _, named := range regexp.MustCompile("(?m)^\\| `(Moviola\\w+)` \\|").FindAllStringSubmatch(string(page), -1) {
		if !there[named[1]] {
			t.Errorf("docs/operations.md tells of %s, which is no alert", named[1])
		}
	}
}

// TestRules: promtool takes the rules, and each alert fires in its fault and clears.
func TestRules(t *testing.T) {
	for _, args := range [][]string{{"check", "rules", "rules.yaml"}, {"test", "rules", "rules_test.yaml"}} {
		cmd := exec.CommandContext(t.Context(), "promtool", args...)
		cmd.Dir = filepath.Join(root, "deploy", "prometheus")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
}
