// Command mutateguard shows that every line of the guard on outgoing connections is held by a test: it takes the lines away
// one by one, runs the guard's tests without each, and prints which test noticed. It fails when no test notices that one is
// away.
//
// What is taken away: each entry of the guard's lists, each condition that refuses something, each part of a condition joined by
// && or ||. The sources stay as they are; the compiler is given changed copies.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

const guardFolder = "adapters/outbound"

// files are the sources that refuse something. The others dial, time and explain.
var files = []string{"address.go", "dial.go", "guard.go", "own.go", "url.go"}

func main() {
	only := flag.String("only", "", "regular expression on FILE:LINE and text: leave the others out")
	workers := flag.Int("workers", 2, "tests that run beside each other")
	flag.Parse()
	survived, err := run(*only, *workers)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutateguard:", err)
		os.Exit(2)
	}
	if survived > 0 {
		os.Exit(1)
	}
}

// mutation is one change: the bytes from start to end become text.
type mutation struct {
	file       string
	line       int
	start, end int
	text       string
	what       string
}

func (m mutation) String() string { return fmt.Sprintf("%s:%d: %s", m.file, m.line, m.what) }

func run(only string, workers int) (survived int, err error) {
	wanted, err := regexp.Compile(only)
	if err != nil {
		return 0, err
	}
	var all []mutation
	for _, name := range files {
		found, err := mutationsOf(name)
		if err != nil {
			return 0, err
		}
		for _, m := range found {
			if wanted.MatchString(m.String()) {
				all = append(all, m)
			}
		}
	}
	dir, err := os.MkdirTemp("", "mutateguard-")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	results := make([]string, len(all))
	queue := make(chan int)
	var done sync.WaitGroup
	for range workers {
		done.Go(func() {
			for i := range queue {
				results[i] = try(dir, i, all[i])
			}
		})
	}
	for i := range all {
		queue <- i
	}
	close(queue)
	done.Wait()
	for i, m := range all {
		fmt.Printf("%-90s %s\n", m, results[i])
		if strings.HasPrefix(results[i], "SURVIVED") {
			survived++
		}
	}
	fmt.Printf("%d of %d lines are held by a test\n", len(all)-survived, len(all))
	return survived, nil
}

// mutationsOf finds what can be taken away from one file.
func mutationsOf(name string) ([]mutation, error) {
	path := filepath.Join(guardFolder, name)
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, source, 0)
	if err != nil {
		return nil, err
	}
	var found []mutation
	add := func(from, to token.Pos, text, what string) {
		start, end := set.Position(from), set.Position(to)
		found = append(found, mutation{file: name, line: start.Line, start: start.Offset, end: end.Offset, text: text,
			what: what + " " + strings.Join(strings.Fields(string(source[start.Offset:end.Offset])), " ")})
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.GenDecl:
			for _, spec := range n.Specs {
				entries(spec, add)
			}
		case *ast.IfStmt:
			if refuses(n.Body) {
				add(n.Cond.Pos(), n.Cond.End(), "false && ("+text(source, set, n.Cond)+")", "without the refusal when")
				operands(n.Cond, add, source, set)
			}
		case *ast.ReturnStmt:
			operands(n, add, source, set)
		}
		return true
	})
	return found, nil
}

// operands takes the sides of what is joined by && and || away, in turn.
func operands(in ast.Node, add func(from, to token.Pos, text, what string), source []byte, set *token.FileSet) {
	ast.Inspect(in, func(node ast.Node) bool {
		n, ok := node.(*ast.BinaryExpr)
		if ok && (n.Op == token.LAND || n.Op == token.LOR) {
			x, y := text(source, set, n.X), text(source, set, n.Y)
			add(n.X.Pos(), n.Y.End(), neutral(n.Op, x)+n.Op.String()+"("+y+")", "the left side is nothing:")
			add(n.X.Pos(), n.Y.End(), "("+x+")"+n.Op.String()+neutral(n.Op, y), "the right side is nothing:")
		}
		return true
	})
}

// neutral is an operand that changes nothing; the names in it are still used.
func neutral(op token.Token, operand string) string {
	if op == token.LAND {
		return "(true || (" + operand + "))"
	}
	return "(false && (" + operand + "))"
}

func text(source []byte, set *token.FileSet, node ast.Node) string {
	return string(source[set.Position(node.Pos()).Offset:set.Position(node.End()).Offset])
}

// entries are those of a list at the top of a file.
func entries(spec ast.Spec, add func(from, to token.Pos, text, what string)) {
	value, ok := spec.(*ast.ValueSpec)
	if !ok || len(value.Values) != 1 {
		return
	}
	var list []ast.Expr
	switch v := value.Values[0].(type) {
	case *ast.CompositeLit:
		list = v.Elts
	case *ast.CallExpr:
		if name, ok := v.Fun.(*ast.Ident); ok && name.Name == "prefixes" {
			list = v.Args
		}
	}
	for _, entry := range list {
		replacement := "-1"
		if lit, ok := entry.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			replacement = `"nothing.at.all"`
			if strings.Contains(lit.Value, "/") {
				replacement = `"255.255.255.255/32"`
			}
		}
		add(entry.Pos(), entry.End(), replacement, "without")
	}
}

// refuses says whether a block does nothing but return false, or something named after a refusal.
func refuses(body *ast.BlockStmt) bool {
	if len(body.List) != 1 {
		return false
	}
	last, ok := body.List[0].(*ast.ReturnStmt)
	if !ok || len(last.Results) == 0 {
		return false
	}
	var out bytes.Buffer
	ast.Inspect(last, func(node ast.Node) bool {
		if name, ok := node.(*ast.Ident); ok {
			out.WriteString(name.Name + " ")
		}
		return true
	})
	return strings.Contains(out.String(), "refuse") || strings.Contains(out.String(), "false") ||
		strings.Contains(out.String(), "Refused")
}

var failed = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

// try runs the guard's tests without one line and says what noticed.
func try(dir string, number int, m mutation) string {
	original, err := filepath.Abs(filepath.Join(guardFolder, m.file))
	if err != nil {
		return "SURVIVED: " + err.Error()
	}
	source, err := os.ReadFile(original)
	if err != nil {
		return "SURVIVED: " + err.Error()
	}
	changed := filepath.Join(dir, fmt.Sprintf("%d.go", number))
	overlay := filepath.Join(dir, fmt.Sprintf("%d.json", number))
	content, err := json.Marshal(map[string]any{"Replace": map[string]string{original: changed}})
	if err == nil {
		err = os.WriteFile(overlay, content, 0o600)
	}
	if err == nil {
		err = os.WriteFile(changed, apply(source, m), 0o600)
	}
	if err != nil {
		return "SURVIVED: " + err.Error()
	}
	out, err := exec.Command("go", "test", "-count=1", "-failfast", "-timeout", "2m", "-vet=off", "-overlay", overlay,
		"./"+guardFolder).CombinedOutput()
	switch found := failed.FindSubmatch(out); {
	case err == nil:
		return "SURVIVED"
	case found != nil:
		return "caught by " + string(found[1])
	case bytes.Contains(out, []byte("[build failed]")), bytes.Contains(out, []byte("[setup failed]")):
		return "SURVIVED: it does not compile: " + string(out)
	default:
		return "caught by a crash or a hang"
	}
}

// apply makes the change.
func apply(source []byte, m mutation) []byte {
	out := append([]byte{}, source[:m.start]...)
	out = append(out, m.text...)
	return append(out, source[m.end:]...)
}
