package style_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// nouns are words that several parts of a video service would like to use, each with the package in which types may bear it alone, or its
// plural. There it means what docs/glossary.md says. Elsewhere the name of a type says which one it is: MovieBatch, PreloadBatch.
var nouns = []struct{ one, many, home string }{
	{"batch", "batches", "domain/batch"},     // movies of one template, one for each row
	{"document", "documents", "projections"}, // a row of a read model
	{"library", "libraries", "projections"},  // the uploaded files of an account
	{"plan", "plans", "domain/plan"},         // what an account may do
	{"shelf", "shelves", "adapters/blobs"},   // the database of small files
	{"look", "looks", "domain/document"},     // how all movies of an installation are drawn: flag --look
	{"stage", "stages", "nothing"},           // a measured part of a render, which is a string
	{"turn", "turns", "nothing"},             // a place in a queue, or a rotation
}

// alike are types that bear a noun as rightly as those of its package, each with the reason.
var alike = map[string]string{
	"adapters/sqlite.Documents":  "implements projections.Documents",
	"adapters/mongodb.Documents": "implements projections.Documents",
}

// vague are words that do not say what a function does.
var vague = []string{"dress", "aim", "sight", "yields", "restraint", "ripe", "look", "stage", "turns", "gather"}

// terms are functions whose name is a vague word and the right term, each with the reason.
var terms = map[string]string{
	"domain/document.Look":                 "the version of the look, flag --look",
	"handlers/background/processors.Stage": "a stage of a render, as metrics and traces name it",
	"internal/tracing.Stage":               "a stage of a render, as metrics and traces name it",
}

// TestWords holds the names of types and functions against the glossary: a noun with several meanings stands alone in one package only, and
// nothing is named by a word that does not say what it does.
func TestWords(t *testing.T) {
	t.Parallel()
	walk(t, "../..", func(path string) {
		own, _ := filepath.Rel("../..", filepath.Dir(path))
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || below(own, "tests") || below(own, "client") {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Errorf("parse: %v", err)
			return
		}
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				checkVague(t, own, d.Name.Name)
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if one, ok := spec.(*ast.TypeSpec); ok {
						checkNoun(t, own, one.Name.Name)
					}
				}
			}
		}
	})
}

func checkVague(t *testing.T, own, name string) {
	t.Helper()
	if _, ok := terms[own+"."+name]; !ok && slices.Contains(vague, strings.ToLower(name)) {
		t.Errorf("%s: the name of %s does not say what it does", own, name)
	}
}

func checkNoun(t *testing.T, own, name string) {
	t.Helper()
	bare := strings.ToLower(name)
	for _, noun := range nouns {
		if _, ok := alike[own+"."+name]; !ok && (bare == noun.one || bare == noun.many) && own != noun.home {
			t.Errorf("%s: %s alone is a type of %s: say in the name which %s this is", own, name, noun.home, noun.one)
		}
	}
}
