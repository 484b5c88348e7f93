package style_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestUseCases keeps commands readable as a table: a file has one use case, and a port stands with those who call it.
func TestUseCases(t *testing.T) {
	t.Parallel()
	// By folder: interfaces with their files, and how often identifiers stand there; how often names of other packages stand anywhere.
	ports, words, foreign := map[string]map[string]string{}, map[string]map[string]int{}, map[string]int{}
	walk(t, "../../commands", func(path string) {
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Errorf("parse: %v", err)
			return
		}
		dir := filepath.Dir(path)
		if ports[dir] == nil {
			ports[dir], words[dir] = map[string]string{}, map[string]int{}
		}
		var handlers []string
		ast.Inspect(file, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.FuncDecl:
				if x.Recv != nil && x.Name.Name == "Handle" {
					handlers = append(handlers, receiver(x))
				}
			case *ast.TypeSpec:
				if _, ok := x.Type.(*ast.InterfaceType); ok {
					ports[dir][x.Name.Name] = path
				}
			case *ast.SelectorExpr:
				if from, ok := x.X.(*ast.Ident); ok {
					foreign[from.Name+"."+x.Sel.Name]++
				}
			case *ast.Ident:
				words[dir][x.Name]++
			}
			return true
		})
		if len(handlers) > 1 {
			t.Errorf("%s handles %s: one use case, one file", path, strings.Join(handlers, ", "))
		}
	})
	for dir, all := range ports {
		for name, path := range all {
			if words[dir][name] < 2 && foreign[filepath.Base(dir)+"."+name] == 0 { // its declaration is the only one
				t.Errorf("%s declares %s, which no use case calls: declare it where it is called", path, name)
			}
		}
	}
}

// receiver is the type of a method.
func receiver(fn *ast.FuncDecl) string {
	at := fn.Recv.List[0].Type
	if star, ok := at.(*ast.StarExpr); ok {
		at = star.X
	}
	if name, ok := at.(*ast.Ident); ok {
		return name.Name
	}
	return "a type"
}
