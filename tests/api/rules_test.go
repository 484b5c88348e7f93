package api_test

import (
	"bufio"
	"os"
	"slices"
	"strings"
	"testing"

	"moviola/tests/harness"
)

func TestMain(m *testing.M) {
	code := m.Run()
	harness.RemoveBinaries()
	os.Exit(code)
}

// rows are all rules, in the order of tests/rules.txt.
func rows() []row {
	return slices.Concat(answerRows, roleRows, keyRows, getRows, listRows, postRows, refusalRows, payloadRows, stateRows, deleteRows, deliveryRows, connectionRows, mediaRows, folderRows, uploadRows, preloadRows, batchRows, slashRows, creditRows, moneyRows, additionRows, templateRows, textRows)
}

// TestRules runs every row against the installations of one world.
func TestRules(t *testing.T) {
	w := newWorld(t)
	t.Run("rows", func(t *testing.T) {
		for _, r := range rows() {
			t.Run(r.rule, func(t *testing.T) {
				t.Parallel()
				r.run(t, w)
			})
		}
	})
	for _, answer := range w.plain.terms.Unseen() {
		if _, known := unseen[answer]; !known && !strings.HasSuffix(answer, " 500") && !strings.HasSuffix(answer, " 503") {
			t.Errorf("the description has an answer that no row got: %s", answer)
		}
	}
}

// unseen are described answers that no row brings about, with the reason. Failures of the service are tested beside the code.
var unseen = map[string]string{
	"GET /v2/movies/events 403":     "no role is below viewer",
	"GET /v2/movies/progress 403":   "no role is below viewer",
	"POST /v2/movies/validate 400":  "it takes a body that breaks off; tested beside the code",
	"POST /v2/movies/still 409":     "it takes three requests at once; tested beside the code",
	"GET /v2/templates/library 404": "it takes a store that fails; tested beside the code",
	"POST /admin/accounts 409":      "it takes two equal random account ids",
	"POST /admin/work/drop 200":     "it takes work that fails ten times: tests/blackbox",
	"POST /admin/work/drop 409":     "it takes work that fails ten times; tested beside the code",

	"POST /admin/projections/rebuild 409": "it takes a rebuild that is running; tested beside the code",

	"POST /mcp 200": "it takes a client of the protocol: tests/blackbox",
	"POST /mcp 202": "it takes a client of the protocol: tests/blackbox",
	"POST /mcp 400": "tests/blackbox",
	"POST /mcp 401": "tests/blackbox",
	"POST /mcp 403": "tests/blackbox",
	"POST /mcp 413": "tests/blackbox",
	"POST /mcp 421": "tests/blackbox",

	"DELETE /v2/media 409":                       "it takes a move that is cut short; tested beside the code",
	"DELETE /v2/media/file 409":                  "it takes a move that is cut short; tested beside the code",
	"GET /v2/preloads/{preload_id} 403":          "no role is below viewer",
	"GET /v2/batches 403":                        "no role is below viewer",
	"GET /v2/batches/{batch_id} 403":             "no role is below viewer",
	"GET /v2/batches/{batch_id}/results.csv 403": "no role is below viewer",
	"POST /v2/batches/cancel 409":                "it takes a batch whose end is recorded: tests/blackbox",
	"POST /v2/connections 409":                   "it takes stored secrets that cannot be read; tested beside the code",
	"POST /v2/connections/test 409":              "it takes stored secrets that cannot be read; tested beside the code",
	"POST /v2/connections/secret 409":            "it takes stored secrets that cannot be read; tested beside the code",
	"DELETE /v2/connections/secret 409":          "it takes stored secrets that cannot be read; tested beside the code",
}

// TestRulesAreListed: every rule of tests/rules.txt has its row, and every row its rule.
func TestRulesAreListed(t *testing.T) {
	t.Parallel()
	file, err := os.Open("../rules.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var listed []string
	for lines := bufio.NewScanner(file); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, rest, _ := strings.Cut(line, " ")
		source, text, ok := strings.Cut(strings.TrimSpace(rest), "|")
		if !ok || strings.TrimSpace(source) == "" || strings.TrimSpace(text) == "" {
			t.Errorf("not `name source | rule`: %s", line)
		}
		if slices.Contains(listed, name) {
			t.Errorf("rule %s is listed twice", name)
		}
		listed = append(listed, name)
	}
	var shown []string
	for _, r := range rows() {
		if slices.Contains(shown, r.rule) {
			t.Errorf("rule %s has two rows", r.rule)
		}
		shown = append(shown, r.rule)
		if !slices.Contains(listed, r.rule) {
			t.Errorf("row %s is not in rules.txt", r.rule)
		}
	}
	for _, name := range listed {
		if !slices.Contains(shown, name) {
			t.Errorf("rule %s has no row", name)
		}
	}
}
