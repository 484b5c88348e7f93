package blackbox_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"moviola/domain/document"
	"moviola/tests/harness"
)

// TestAgentProperties: the text for language models and the resource of /mcp name every property of the table of properties.
func TestAgentProperties(t *testing.T) {
	t.Parallel()
	s := startForAgents(t)
	full := s.client.Do(http.MethodGet, "/llms-full.txt", nil)
	requireProperties(t, "/v2/llms-full.txt", full)
	session := connect(t, s.client.Base+"/mcp", s.client.Key)
	read, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "moviola://catalogue/properties"})
	if err != nil {
		t.Fatal(err)
	}
	requireProperties(t, "the resource", harness.Answer{Status: http.StatusOK, Body: []byte(read.Contents[0].Text)})
}

// requireProperties checks that a text names every property of every kind of object, and has each row of the table under its
// heading.
func requireProperties(t *testing.T, where string, text harness.Answer) {
	t.Helper()
	named := map[string]bool{} // "heading: name", and names under any heading
	heading := ""
	for line := range strings.Lines(string(text.Body)) {
		if strings.HasPrefix(line, "#") {
			heading = strings.TrimSpace(strings.TrimLeft(line, "#"))
		}
		if row, is := strings.CutPrefix(line, "- `"); is {
			name, _, _ := strings.Cut(row, "`")
			named[name], named[heading+": "+name] = true, true
		}
	}
	rows, properties := 0, 0
	for _, c := range document.Chapters() {
		for _, p := range c.Rows {
			if rows++; !named[c.Title+": "+p.Name] {
				t.Errorf("%s: chapter %s has no %s", where, c.Title, p.Name)
			}
		}
	}
	for _, kind := range document.Kinds() {
		for _, p := range document.Lookup(kind) {
			if properties++; !slices.ContainsFunc(namesOf(kind, p.Name), func(name string) bool { return named[name] }) {
				t.Errorf("%s: %s of %s is not named", where, p.Name, kind)
			}
		}
	}
	t.Logf("%s: %d rows, %d properties of %d kinds of objects", where, rows, properties, len(document.Kinds()))
	if text.Status != http.StatusOK || rows < 500 || properties < 5000 {
		t.Errorf("%s: status %d, %d rows of the table, %d properties", where, text.Status, rows, properties)
	}
}

// namesOf are the names under which a text may have a property. What only one group of a component has stands under the
// heading of the component.
func namesOf(kind, property string) []string {
	names := []string{property}
	if group, is := strings.CutPrefix(kind, "component:"); is {
		at := strings.LastIndex(group, "/")
		names = append(names, "Component "+group[:at]+": "+group[at+1:]+" › "+property)
	}
	return names
}
