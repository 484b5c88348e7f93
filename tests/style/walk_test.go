package style_test

import (
	"go/ast"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// walk calls visit with every file below the root that people write: not what is generated, shipped from elsewhere or kept for tests.
func walk(t *testing.T, root string, visit func(path string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2 && d.Name() != ".ci"
		if d.IsDir() && (hidden || d.Name() == "testdata" || d.Name() == "third_party" || d.Name() == "gallery" || d.Name() == "bin") {
			return fs.SkipDir
		}
		if !d.IsDir() {
			visit(path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// stringLiterals are the values of all strings in a file.
func stringLiterals(file *ast.File) []string {
	var texts []string
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil {
				texts = append(texts, text)
			}
		}
		return true
	})
	return texts
}
