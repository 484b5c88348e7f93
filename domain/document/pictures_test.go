package document_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"moviola/domain/document"
	"moviola/tests/reference/pages"
)

// TestPictures: every property that is seen has a picture of a movie that has the property, and every one that is only heard has a test.
func TestPictures(t *testing.T) {
	t.Parallel()
	for _, c := range document.Chapters() {
		for _, p := range c.Rows {
			switch {
			case c.Unseen(p):
			case p.Picture == "" && p.Measured == "":
				t.Errorf("%s: %s has neither a picture nor a test", c.Title, p.Name)
			case p.Picture != "":
				if movie := galleryMovie(t, p.Picture); !shows(movie, c.Title, p) {
					t.Errorf("%s: %s is not in the movie %s", c.Title, p.Name, p.Picture)
				}
			}
		}
	}
}

// galleryMovie reads a movie whose picture is there.
func galleryMovie(t *testing.T, name string) map[string]any {
	t.Helper()
	if _, err := os.Stat("../../docs/gallery/" + name + ".jpg"); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile("../../docs/gallery/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var movie map[string]any
	if err := json.Unmarshal(raw, &movie); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return movie
}

// shows says whether a property of a chapter is written in a movie: of a component in one of its groups, else anywhere.
func shows(movie map[string]any, title string, p document.Property) bool {
	id, ofComponent := strings.CutPrefix(title, "Component ")
	group, own, _ := strings.Cut(p.Name, " › ")
	if !ofComponent {
		return has(movie, append([]string{p.Name}, p.Aliases...))
	}
	found := false
	each(movie, func(o map[string]any) {
		settings, _ := o["settings"].(map[string]any)
		if o["component"] != id {
			return
		}
		for name, value := range settings {
			if strings.TrimRight(name, "0123456789") == group {
				found = found || own == "" || has(value, append([]string{own}, p.Aliases...))
			}
		}
	})
	return found
}

// has says whether an object in a value has a member of one of the names; camel and snake case are the same.
func has(value any, names []string) bool {
	found := false
	each(value, func(o map[string]any) {
		for name := range o {
			found = found || slices.Contains(names, strings.ReplaceAll(name, "_", "-"))
		}
	})
	return found
}

// each calls f with every object in a value.
func each(value any, f func(map[string]any)) {
	switch v := value.(type) {
	case map[string]any:
		f(v)
		for _, item := range v {
			each(item, f)
		}
	case []any:
		for _, item := range v {
			each(item, f)
		}
	}
}

// TestMeasured: the tests that the table names are there and speak of the property.
func TestMeasured(t *testing.T) {
	t.Parallel()
	sources := map[string]string{}
	for _, c := range document.Chapters() {
		for _, p := range c.Rows {
			if p.Measured == "" {
				continue
			}
			dir, name, _ := strings.Cut(p.Measured, " ")
			if sources[p.Measured] == "" {
				sources[p.Measured] = testSource(t, dir, name)
			}
			speaks := func(name string) bool {
				return regexp.MustCompile(`\b` + name + `\b`).MatchString(strings.ToLower(sources[p.Measured]))
			}
			if !slices.ContainsFunc(append([]string{p.Name}, p.Aliases...), speaks) {
				t.Errorf("%s: %s is not in %s", c.Title, p.Name, p.Measured)
			}
		}
	}
}

// testSource is the file in which a test of a folder stands.
func testSource(t *testing.T, dir, name string) string {
	t.Helper()
	files, err := filepath.Glob("../../" + dir + "/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(source), "func "+name+"(t *testing.T)") {
			return string(source)
		}
	}
	t.Errorf("there is no %s in %s", name, dir)
	return ""
}

// TestSeenMarkdown: docs/looked-at.md is what the table says.
func TestSeenMarkdown(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/looked-at.md")
	if err != nil {
		t.Fatal(err)
	}
	second := func(picture string) string { return fmt.Sprint(galleryMovie(t, picture)["thumbnail"]) }
	if string(page) != pages.LookedAt(second) {
		t.Error("docs/looked-at.md is not what the table says: run go generate ./domain/document")
	}
}
