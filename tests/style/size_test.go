package style_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	maxFileLines = 400
	maxFuncLines = 70
	maxLineChars = 130 // a tab counts as one
	maxImports   = 40  // of a package
)

// TestSizes keeps production files, functions and lines readable on a few screens, and every package introduced by a comment.
func TestSizes(t *testing.T) {
	t.Parallel()
	documented, imports := map[string]bool{}, map[string]map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2 || d.Name() == "testdata" || d.Name() == "third_party") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		checkFile(t, path, documented, imports)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, all := range imports {
		if len(all) > maxImports {
			t.Errorf("%s has %d imports; the most is %d: divide it where its parts know least of each other", dir, len(all), maxImports)
		}
	}
	for dir, ok := range documented {
		if !ok {
			t.Errorf("%s has no package comment", dir)
		}
	}
}

// checkLines fails for lines that do not fit beside another window.
func checkLines(t *testing.T, path string) {
	t.Helper()
	source, err := os.ReadFile(path)
	if err != nil {
		t.Errorf("read: %v", err)
		return
	}
	for i, line := range strings.Split(string(source), "\n") {
		if n := utf8.RuneCountInString(line); n > maxLineChars {
			t.Errorf("%s:%d has %d characters; the most is %d", path, i+1, n, maxLineChars)
		}
	}
}

func checkFile(t *testing.T, path string, documented map[string]bool, imports map[string]map[string]bool) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Errorf("parse: %v", err)
		return
	}
	checkLines(t, path)
	dir := filepath.Dir(path)
	documented[dir] = documented[dir] || file.Doc != nil
	if imports[dir] == nil {
		imports[dir] = map[string]bool{}
	}
	for _, one := range file.Imports {
		imports[dir][one.Path.Value] = true
	}
	if lines := fset.Position(file.FileEnd).Line; !ast.IsGenerated(file) && lines > maxFileLines {
		t.Errorf("%s has %d lines; the most is %d", path, lines, maxFileLines)
	}
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if lines := fset.Position(fn.End()).Line - fset.Position(fn.Pos()).Line + 1; lines > maxFuncLines {
			t.Errorf("%s: %s has %d lines; the most is %d", path, fn.Name.Name, lines, maxFuncLines)
		}
	}
}
