// Command draw prints comments and log messages of the program, drawn by a seed, for a reader who has not seen the code. A text
// that the reader has to read twice should be rewritten.
//
//	go run -C tools ./draw -seed 7
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

func main() {
	seed := flag.Uint64("seed", 1, "what is drawn: the same seed draws the same of the same program")
	comments := flag.Int("comments", 100, "how many comments")
	messages := flag.Int("messages", 40, "how many log messages")
	under := flag.String("under", "..", "the folder whose files are read")
	flag.Parse()
	var found texts
	if err := found.read(*under); err != nil {
		log.Fatal(err)
	}
	r := rand.New(rand.NewPCG(*seed, 0))
	fmt.Printf("seed %d: %d of %d comments, %d of %d log messages\n", *seed, min(*comments, len(found.comments)),
		len(found.comments), min(*messages, len(found.messages)), len(found.messages))
	show(r, found.comments, *comments)
	show(r, found.messages, *messages)
}

// show prints up to n texts, drawn without replacement.
func show(r *rand.Rand, all []string, n int) {
	for i, at := range r.Perm(len(all))[:min(n, len(all))] {
		fmt.Printf("\n%d. %s\n", i+1, all[at])
	}
}

// texts are the comments and log messages of the program, each with the place where it stands.
type texts struct{ comments, messages []string }

// read collects the texts of the production files below a folder.
func (t *texts) read(folder string) error {
	return filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && leftOut(d.Name()) {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, source, parser.ParseComments)
		if err != nil || ast.IsGenerated(file) {
			return err
		}
		lines := strings.Split(string(source), "\n")
		at := func(p token.Pos) string { return path + ":" + strconv.Itoa(files.Position(p).Line) + "\n" }
		for _, c := range file.Comments {
			if text := strings.TrimSpace(c.Text()); text != "" {
				t.comments = append(t.comments, at(c.Pos())+text+"\n    | "+about(lines, files.Position(c.Pos()), files.Position(c.End())))
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && logs(call) {
				if text := literal(call.Args[0]); text != "" {
					t.messages = append(t.messages, at(call.Pos())+text)
				}
			}
			return true
		})
		return nil
	})
}

// leftOut reports whether a folder has no files of the program: it holds tests or others' code.
func leftOut(folder string) bool {
	return strings.HasSuffix(folder, "test") ||
		slices.Contains([]string{"third_party", "tests", "testdata", "node_modules", ".git"}, folder)
}

// about returns the line of code that a comment is about: its own, or the one after it.
func about(lines []string, from, to token.Position) string {
	if code := strings.TrimSpace(lines[from.Line-1][:from.Column-1]); code != "" {
		return code
	}
	return strings.TrimSpace(lines[min(to.Line, len(lines)-1)])
}

// logs reports whether a call writes a line to the log.
func logs(call *ast.CallExpr) bool {
	method, ok := call.Fun.(*ast.SelectorExpr)
	levels := []string{"Debug", "Info", "Warn", "Error", "Debugf", "Infof", "Warnf", "Errorf"}
	if !ok || len(call.Args) == 0 || !slices.Contains(levels, method.Sel.Name) {
		return false
	}
	of, named := method.X.(*ast.Ident)
	return !named || of.Name != "fmt"
}

// literal returns the text of a string, or of several that are added; empty: it is computed.
func literal(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(x.Value)
		if err == nil {
			return text
		}
	case *ast.BinaryExpr:
		return literal(x.X) + literal(x.Y)
	}
	return ""
}
