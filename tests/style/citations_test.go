package style_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestCitations resolves every citation in code, tests, scripts and docs to a heading that exists: decisions, sections of the interface
// ("Spec: …"), of the design, of the movie's rules, of the promises, and ADRs. It fails for a citation of a form that it does not know.
func TestCitations(t *testing.T) {
	t.Parallel()
	targets := readTargets(t, "../..")
	walk(t, "../..", func(path string) {
		if filepath.Base(path) == "citations_test.go" {
			return // names citations that lead nowhere
		}
		for _, text := range citingTexts(t, path) {
			for _, complaint := range targets.check(text) {
				t.Errorf("%s: %s", path, complaint)
			}
		}
	})
	for _, source := range ruleSources(t, "../rules.txt") {
		for _, complaint := range targets.checkSource(source) {
			t.Errorf("tests/rules.txt: %s", complaint)
		}
	}
}

// TestTargets_check has a row for each form of a citation, resolved and not.
func TestTargets_check(t *testing.T) {
	t.Parallel()
	targets := readTargets(t, "../..")
	for text, bad := range map[string]int{
		"Decision 6, and decisions 15, 24 and 29; decision \"Roles\".": 0,
		"Decision 999.":                       1,
		"Decisions 6 and 998 to 999.":         2,
		"Spec: Errors, POST /movies.":         0,
		"Spec: Errors; GET /movies, Rules.":   0,
		"Spec: Versioning 2 and 3.":           0,
		"Spec: Nothing of the kind.":          1,
		"Design §6 and §7, moves.":            0,
		"Design §77.":                         1,
		"Design: the work.":                   1,
		"Movie-schema §3.1; movie-schema §5.": 0,
		"Movie-schema §3.9.":                  1,
		"Reliability §5 M1, reliability §6a.": 0,
		"Reliability §5 M9.":                  1,
		"Reliability 6a.":                     1,
		"ADR 001, ADR 999":                    1,
		"Reference render.md §5":              1,
	} {
		if complaints := targets.check(text); len(complaints) != bad {
			t.Errorf("%q: %q, want %d complaints", text, complaints, bad)
		}
	}
}

// targets are the headings that may be cited.
type targets struct {
	decisions, design, schema, reliability, spec, adrs map[string]bool
}

var (
	headingLine   = regexp.MustCompile(`(?m)^#{2,5} (.+)$`)
	headingNumber = regexp.MustCompile(`^([0-9]+[0-9.a-z]*?)\.? `)
	promiseRow    = regexp.MustCompile(`(?m)^\| ([A-Z][0-9]+) \|`)

	// trigger begins everything that is a citation, or looks like one.
	trigger = regexp.MustCompile(`\b([Dd]ecisions?:? (?:§|"?[0-9R])|[Ss]pec: |[Dd]esign(?::|,? §)|[Mm]ovie[- ]schema(?:[ ,:]|$)|[Rr]eliability(?:[ ,:]+)(?:§|[0-9A-Z]|presigned)|ADRs? [0-9]|[Rr]eference:? (?:render|movie|eventstore|reliability))`)

	decisionForm    = regexp.MustCompile(`^[Dd]ecisions? ("?Roles"?|[0-9]+)((?:(?:,? and |, | to |; )(?:"?Roles"?|[0-9]+)\b)*)`)
	decisionName    = regexp.MustCompile(`Roles|[0-9]+`)
	sectionForm     = regexp.MustCompile(`^(?:[Dd]esign|[Mm]ovie-schema|[Rr]eliability) (§[0-9]+(?:\.[0-9]+|[a-z]\b)?(?: [A-Z][0-9]+)?(?:(?:,? and |, )§[0-9]+(?:\.[0-9]+|[a-z]\b)?)*)`)
	sectionName     = regexp.MustCompile(`§([0-9]+(?:\.[0-9]+|[a-z])?)(?: ([A-Z][0-9]+))?`)
	adrForm         = regexp.MustCompile(`^ADRs? ([0-9]{3})\b`)
	specForm        = regexp.MustCompile(`^[Ss]pec: ([^.:)\n]+)`)
	specOtherSource = regexp.MustCompile(`^(?:[Dd]ecisions?|[Dd]esign|[Mm]ovie-schema|[Rr]eliability|roles by|ADR) ?`)
	specNumbers     = regexp.MustCompile(`(?:,? rules?)? [0-9]+(?:(?:, | and )[0-9]+)*$`)
)

func readTargets(t *testing.T, root string) targets {
	t.Helper()
	read := func(name string) string {
		body, err := os.ReadFile(filepath.Join(root, "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	numbers := func(name string) map[string]bool {
		found := map[string]bool{}
		for _, m := range headingLine.FindAllStringSubmatch(read(name), -1) {
			if n := headingNumber.FindStringSubmatch(m[1]); n != nil {
				found[n[1]] = true
			}
		}
		return found
	}
	to := targets{
		decisions: numbers("decisions.md"), design: numbers("design.md"), schema: numbers("movie-schema.md"),
		reliability: numbers("reliability.md"), spec: map[string]bool{}, adrs: map[string]bool{},
	}
	to.decisions["Roles"] = strings.Contains(read("decisions.md"), "\n## Roles\n")
	for _, m := range promiseRow.FindAllStringSubmatch(read("reliability.md"), -1) {
		to.reliability[m[1]] = true
	}
	for _, m := range headingLine.FindAllStringSubmatch(read("http.md"), -1) {
		to.spec[m[1]] = true
	}
	adrs, err := filepath.Glob(filepath.Join(root, "docs", "adr", "[0-9][0-9][0-9]-*.md"))
	if err != nil || len(adrs) == 0 {
		t.Fatalf("no ADRs: %v", err)
	}
	for _, path := range adrs {
		number := filepath.Base(path)[:3]
		if to.adrs[number] {
			t.Errorf("two ADRs have the number %s", number)
		}
		to.adrs[number] = true
	}
	return to
}

// check returns a complaint for each citation in the text that leads nowhere.
func (to targets) check(text string) []string {
	var complaints []string
	for _, at := range trigger.FindAllStringIndex(text, -1) {
		complaints = append(complaints, to.one(text[at[0]:])...)
	}
	return complaints
}

// one resolves the citation at the begin of the text.
func (to targets) one(text string) []string {
	if m := decisionForm.FindStringSubmatch(text); m != nil {
		return missing(to.decisions, decisionName.FindAllString(m[0], -1), "decision")
	}
	if m := adrForm.FindStringSubmatch(text); m != nil {
		return missing(to.adrs, m[1:2], "ADR")
	}
	if m := sectionForm.FindStringSubmatch(text); m != nil {
		known, kind := to.design, "section of docs/design.md"
		switch text[0] | 0x20 {
		case 'm':
			known, kind = to.schema, "section of docs/movie-schema.md"
		case 'r':
			known, kind = to.reliability, "section of docs/reliability.md"
		}
		var names []string
		for _, s := range sectionName.FindAllStringSubmatch(m[1], -1) {
			names = append(names, s[1])
			if s[2] != "" {
				names = append(names, s[2])
			}
		}
		return missing(known, names, kind)
	}
	if m := specForm.FindStringSubmatch(text); m != nil {
		return to.specParts(m[1])
	}
	return []string{fmt.Sprintf("a citation of an unknown form: %.60q", text)}
}

// specParts resolves "A, detail; B; decision 5": each part but those of other sources names a section, by itself or before a comma.
func (to targets) specParts(text string) []string {
	var complaints []string
	for part := range strings.SplitSeq(text, ";") {
		part = strings.TrimSpace(part)
		if part == "" || specOtherSource.MatchString(part) || to.isSection(part) {
			continue
		}
		complaints = append(complaints, fmt.Sprintf("no section of docs/http.md: %q", part))
	}
	return complaints
}

// isSection says whether the text names a section; statuses, numbers of rules and what follows a comma are details.
func (to targets) isSection(text string) bool {
	for {
		text = strings.TrimSpace(text)
		if to.spec[text] {
			return true
		}
		shorter := specNumbers.ReplaceAllString(text, "")
		if shorter == text {
			comma := strings.LastIndex(text, ",")
			if comma < 0 {
				return false
			}
			shorter = text[:comma]
		}
		text = shorter
	}
}

// checkSource resolves the source of a rule, which names sections without "Spec:" before them.
func (to targets) checkSource(source string) []string {
	if trigger.MatchString(source) {
		return to.check(source)
	}
	return to.specParts(source)
}

func missing(known map[string]bool, names []string, kind string) []string {
	var complaints []string
	for _, name := range names {
		if !known[name] {
			complaints = append(complaints, fmt.Sprintf("no %s %s", kind, name))
		}
	}
	return complaints
}

// citingTexts are the texts of a file in which citations stand: comments and strings of Go files, everything of other ones.
func citingTexts(t *testing.T, path string) []string {
	t.Helper()
	switch {
	case strings.HasSuffix(path, ".go"):
		return goTexts(t, path)
	case strings.HasSuffix(path, ".md"), strings.HasSuffix(path, ".sh"), filepath.Base(path) == "Makefile":
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.ReplaceAll(string(body), "\n\n", "\x00"), "\x00")
	}
	return nil
}

func goTexts(t *testing.T, path string) []string {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, group := range file.Comments {
		texts = append(texts, strings.ReplaceAll(group.Text(), "\n", " "))
	}
	return append(texts, stringLiterals(file)...)
}

func ruleSources(t *testing.T, path string) []string {
	t.Helper()
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var sources []string
	for line := range strings.SplitSeq(string(body), "\n") {
		name, rest, ok := strings.Cut(line, " ")
		if !ok || name == "#" {
			continue
		}
		source, _, ok := strings.Cut(rest, "|")
		if !ok {
			t.Errorf("a rule without a source: %q", line)
		}
		for part := range strings.SplitSeq(source, ";") {
			sources = append(sources, strings.TrimSpace(part))
		}
	}
	return sources
}
