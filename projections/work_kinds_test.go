package projections_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"moviola/projections"
)

// TestWorkKinds: each constant that names a kind of work has one row in the table, and each row such a constant.
func TestWorkKinds(t *testing.T) {
	t.Parallel()
	declared := declaredKinds(t)
	var listed []string
	for _, kind := range projections.WorkKinds() {
		listed = append(listed, kind.Name)
	}
	slices.Sort(declared)
	slices.Sort(listed)
	if !slices.Equal(declared, listed) {
		t.Errorf("the constants name %v, the table %v", declared, listed)
	}
}

// declaredKinds reads the values of the constants Work… that are no states.
func declaredKinds(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || !strings.HasPrefix(spec.Names[0].Name, "Work") || len(spec.Values) != 1 {
				return true
			}
			lit, ok := spec.Values[0].(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			value, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			if value != projections.WorkReady && value != projections.WorkClaimed {
				kinds = append(kinds, value)
			}
			return true
		})
	}
	return kinds
}
