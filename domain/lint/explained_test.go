package lint_test

import (
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"moviola/domain/document"
	"moviola/domain/jsontext"
	"moviola/domain/lint"
)

// reader looks up the properties of a movie in docs/movie.md.
type reader struct {
	chapters map[string]string // the text of each, by its title
	missing  []string
}

// TestExplained: no property of a movie of the gallery, of the library, or of the folder that MOVIOLA_EXAMPLES names is left unexplained: the table
// knows it, and docs/movie.md has its row, with a sentence.
func TestExplained(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/movie.md")
	if err != nil {
		t.Fatal(err)
	}
	chapters := map[string]string{}
	for _, part := range strings.Split("\n"+string(page), "\n#") {
		title, rows, _ := strings.Cut(strings.TrimLeft(part, "# "), "\n")
		chapters[title] = rows
	}
	looked := 0
	for name, raw := range movies(t) {
		tree, err := document.Tree(lint.Plain(raw))
		if err != nil {
			t.Fatal(err)
		}
		r := reader{chapters: chapters}
		looked += r.object(document.MovieKind, "", tree)
		for _, missing := range r.missing {
			t.Errorf("%s: %s", name, missing)
		}
	}
	if looked < 500 {
		t.Errorf("%d properties were looked up", looked)
	}
}

// object looks up the properties of an object and of what is inside of it, and says how many.
func (r *reader) object(kind, pointer string, object map[string]any) (looked int) {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		at := jsontext.Pointer(pointer, name)
		p, ok := document.Find(kind, name)
		switch {
		case !ok && document.OpenKind(kind):
			continue // any property of CSS
		case !ok:
			r.missing = append(r.missing, at+" is in no table")
			continue
		}
		looked++
		if !r.explained(p) {
			r.missing = append(r.missing, fmt.Sprintf("%s: %s has no row with a sentence in docs/movie.md", at, p.Name))
		}
		if p.Type != document.DataType || p.Kind != "" {
			looked += r.inside(p, at, object, object[name])
		}
	}
	return looked
}

// inside looks up what a value holds.
func (r *reader) inside(p document.Property, at string, object map[string]any, value any) (looked int) {
	switch v := value.(type) {
	case map[string]any:
		if p.Kind != document.SettingsKind(document.TypeComponent) {
			return r.object(p.Kind, at, v)
		}
		id, _ := object["component"].(string)
		for group, inner := range v {
			if row := strings.TrimRight(group, "0123456789"); !strings.Contains(r.chapters["Component "+id], "| `"+row) && !strings.Contains(r.chapters["Component "+id], "| `"+group) {
				r.missing = append(r.missing, fmt.Sprintf("%s: the group %s has no row below Component %s", at, group, id))
			}
			if settings, ok := inner.(map[string]any); ok {
				looked += r.object(document.ComponentKind(id, group), jsontext.Pointer(at, group), settings)
			}
		}
	case []any:
		for i, item := range v {
			if inner, ok := item.(map[string]any); ok {
				of := p.Kind
				if of == "element" {
					word, _ := inner["type"].(string)
					of = document.ElementKind(word)
				}
				looked += r.object(of, jsontext.Pointer(at, strconv.Itoa(i)), inner)
			}
		}
	case json.Number, string, bool, nil:
	}
	return looked
}

// explained says that a row of the page has the property and its sentence.
func (r *reader) explained(p document.Property) bool {
	if len(p.Doc) < 10 {
		return false
	}
	for _, rows := range r.chapters {
		for _, line := range strings.Split(rows, "\n") {
			name, rest, ok := strings.Cut(strings.TrimPrefix(line, "| `"), "`")
			if _, own, inGroup := strings.Cut(name, " › "); inGroup {
				name = own
			}
			if ok && name == p.Name && strings.Contains(html.UnescapeString(strings.ReplaceAll(rest, `\|`, "|")), p.Doc) {
				return true
			}
		}
	}
	return false
}
