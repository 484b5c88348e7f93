package document_test

import (
	"os"
	"strings"
	"testing"

	"moviola/domain/document"
	"moviola/tests/reference/pages"
)

// TestMarkdown: docs/movie.md is what the table says, and names every property of every kind.
func TestMarkdown(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/movie.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != pages.Movie() {
		t.Error("docs/movie.md is not what the table says: run go generate ./domain/document")
	}
	for _, kind := range document.Kinds() {
		for _, p := range document.Lookup(kind) {
			if !strings.Contains(string(page), "`"+p.Name+"`") && !strings.Contains(string(page), "› "+p.Name+"`") {
				t.Errorf("%s of %s is not explained", p.Name, kind)
			}
		}
	}
}
