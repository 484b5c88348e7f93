package openapi_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/mux"
	"github.com/sirupsen/logrus"

	"moviola/domain/result"
	"moviola/handlers/http/access"
	"moviola/handlers/http/admin"
	moviebatches "moviola/handlers/http/batches"
	"moviola/handlers/http/connections"
	"moviola/handlers/http/credits"
	"moviola/handlers/http/deliveries"
	"moviola/handlers/http/files"
	"moviola/handlers/http/keys"
	"moviola/handlers/http/movies"
	"moviola/handlers/http/openapi"
	"moviola/handlers/http/templates"
	"moviola/handlers/http/trail"
	"moviola/handlers/http/web"
	"moviola/handlers/mcp"
	"moviola/projections"
)

// neverAnswered are codes that no client reads over HTTP, with the reason.
var neverAnswered = map[string]string{
	"secret_differs":      "it ends the start of a process",
	"render_failed":       "it is the kind of a message in the status of a movie",
	"key_exists":          "it takes two equal random keys",
	"preload_exists":      "it takes two equal random ids",
	"connection_provider": "a movie's error, and a remark of validation",
	"setting_bound":       "it is the kind of a message in the results of deliveries",
	"setting_secret":      "it is the kind of a message in the results of deliveries",
	"not_delivered":       "it is the kind of a message in the results of deliveries",

	"email_not_in_plan":    "it is the kind of a message in the results of deliveries",
	"email_quota_exceeded": "it is the kind of a message in the results of deliveries",
}

type documented struct {
	Paths map[string]map[string]struct {
		Parameters []struct{ Name, In string }
		Security   *[]map[string][]string
		Responses  map[string]any
	}
	Components struct {
		Schemas map[string]struct{ Enum []string }
	}
}

func read(t *testing.T) documented {
	t.Helper()
	var d documented
	if err := json.Unmarshal(openapi.Document(), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// operations are all that a key opens, with nothing behind them.
func operations(t *testing.T) []access.Operation {
	t.Helper()
	movies, err := movies.New(movies.Config{
		Movies: struct{ movies.Movies }{}, Gate: struct{ movies.Gate }{}, Accounts: struct{ movies.Accounts }{}, Balances: struct{ movies.Balances }{}, Presence: struct{ movies.Presence }{},
		Files: struct{ movies.Files }{}, Submit: struct{ movies.Submitter }{}, Previews: struct{ movies.Previews }{}, Delete: struct{ movies.Deleter }{}, Cancel: struct{ movies.Canceller }{},
		Redeliver: struct{ movies.Redeliverer }{}, History: (*projections.Movies)(nil), Projected: struct{ web.Projected }{},
		PublicURL: "https://video.example", Tokens: result.NewTokens(make([]byte, 32)), CursorKey: make([]byte, 32), Log: logrus.New(),
	})
	if err != nil {
		t.Fatal(err)
	}
	own, err := keys.New(keys.Config{
		Keys: struct{ keys.Lister }{}, Issue: struct{ keys.Issuer }{}, Revoke: struct{ keys.Revoker }{}, Projected: struct{ web.Projected }{},
		CursorKey: make([]byte, 32), Log: logrus.New(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(
		movies.Operations(),
		own.Operations(),
		money(t).Operations(),
		savedConnections(t).Operations(), deliveryLog(t).Operations(),
		library(t).Operations(),
		batches(t).Operations(),
		movieBatches(t).Operations(),
		catalogue(t).Operations(),
	)
}

func movieBatches(t *testing.T) *moviebatches.API {
	t.Helper()
	api, err := moviebatches.New(moviebatches.Config{
		Request: struct{ moviebatches.Requester }{}, Cancel: struct{ moviebatches.Canceller }{}, Batches: struct{ moviebatches.BatchReader }{},
		Projected: struct{ web.Projected }{}, PublicURL: "https://video.example", Tokens: result.NewTokens(make([]byte, 32)),
		CursorKey: make([]byte, 32), Log: logrus.New(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return api
}

func catalogue(t *testing.T) *templates.API {
	t.Helper()
	api, err := templates.New(templates.Config{
		Templates: struct{ templates.Reader }{}, Movies: struct{ templates.Movies }{}, Save: struct{ templates.Saver }{},
		Duplicate: struct{ templates.Duplicator }{}, Delete: struct{ templates.Deleter }{}, Publish: struct{ templates.Publisher }{},
		Gate: struct{ templates.Gate }{}, Files: struct{ templates.Files }{}, Projected: struct{ web.Projected }{},
		Acts: struct{ trail.Recorder }{}, PublicURL: "https://video.example", Log: logrus.New(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return api
}

func money(t *testing.T) *credits.API {
	t.Helper()
	api, err := credits.New(credits.Config{
		Totals: struct{ credits.Totals }{}, Standings: struct{ credits.Standings }{},
		Statements: struct{ credits.Statements }{}, Gate: struct{ credits.Gate }{}, CursorKey: make([]byte, 32), Log: logrus.New(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return api
}

func deliveryLog(t *testing.T) *deliveries.API {
	t.Helper()
	api, err := deliveries.New(deliveries.Config{
		Deliveries: struct{ deliveries.Lister }{}, History: struct{ deliveries.Histories }{}, Exchanges: struct{ deliveries.Exchanges }{},
		Inboxes:   struct{ deliveries.Inboxes }{},
		CursorKey: make([]byte, 32), Log: logrus.New(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return api
}

func savedConnections(t *testing.T) *connections.API {
	t.Helper()
	api, err := connections.New(connections.Config{
		Connections: struct{ connections.Lister }{}, Save: struct{ connections.Saver }{}, Delete: struct{ connections.Deleter }{},
		Test: struct{ connections.Tester }{}, Projected: struct{ web.Projected }{}, CursorKey: make([]byte, 32), Log: logrus.New(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return api
}

func agents(t *testing.T) *mcp.Server {
	t.Helper()
	server, err := mcp.New(mcp.Config{
		Gate: struct{ mcp.Gate }{}, Operations: operations(t), Interface: http.NotFoundHandler(), PublicURL: "https://video.example", Version: "1", Log: logrus.New(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return server
}

// TestRoutes: every route that is served is described, and every one that is described is served.
func TestRoutes(t *testing.T) {
	t.Parallel()
	pages, err := openapi.New("")
	if err != nil {
		t.Fatal(err)
	}
	router := web.NewRouter()
	access.New(access.Config{}).Routes(router, operations(t)...)
	for _, part := range []interface{ Routes(*mux.Router) }{files.New(files.Config{}), library(t), catalogue(t), admin.New(admin.Config{}), pages, agents(t)} {
		part.Routes(router)
	}
	var served, described []string
	err = router.Walk(func(route *mux.Route, _ *mux.Router, _ []*mux.Route) error {
		methods, ok := route.GetHandler().(web.Methods)
		if !ok {
			return nil // a subrouter
		}
		path, err := route.GetPathTemplate()
		path = strings.ReplaceAll(path, ":.+}", "}") // the rest of a path is one parameter
		for method := range methods {
			served = append(served, method+" "+path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for path, item := range read(t).Paths {
		for method := range item {
			described = append(described, strings.ToUpper(method)+" "+path)
		}
	}
	slices.Sort(served)
	slices.Sort(described)
	if diff := cmp.Diff(served, described); diff != "" {
		t.Errorf("routes (-served +described):\n%s", diff)
	}
}

var pathParameter = regexp.MustCompile(`\{(\w+)\}`)

// TestParameters: what a path leaves open is described.
func TestParameters(t *testing.T) {
	t.Parallel()
	d := read(t)
	for path, item := range d.Paths {
		for method, op := range item {
			for _, found := range pathParameter.FindAllStringSubmatch(path, -1) {
				if !slices.ContainsFunc(op.Parameters, func(p struct{ Name, In string }) bool { return p.In == "path" && p.Name == found[1] }) {
					t.Errorf("%s %s does not describe {%s}", method, path, found[1])
				}
			}
		}
	}
}

// TestCodes: every code that the code can answer is listed, and every one that is listed is there. Decision 1.
func TestCodes(t *testing.T) {
	t.Parallel()
	found := map[string]string{}
	for _, dir := range []string{"handlers", "commands", "domain"} {
		maps.Copy(found, codesIn(t, filepath.Join("..", "..", "..", dir)))
	}
	for code, reason := range neverAnswered {
		if _, ok := found[code]; !ok {
			t.Errorf("%s is nowhere in the code any more (%s)", code, reason)
		}
		delete(found, code)
	}
	listed := read(t).Components.Schemas["ErrorCode"].Enum
	for code, place := range found {
		if !slices.Contains(listed, code) {
			t.Errorf("%s: code %s is not in errorCodes (codes.go)", place, code)
		}
	}
	for _, code := range listed {
		if _, ok := found[code]; !ok {
			t.Errorf("ErrorCode of the document lists %s, which is nowhere in the code", code)
		}
		if !strings.Contains(string(openapi.Document()), "- `"+code+"`: ") {
			t.Errorf("%s is not explained", code)
		}
	}
}

// codesIn finds the codes of every domain.Errorf below a folder, with where they are.
func codesIn(t *testing.T, root string) map[string]string {
	t.Helper()
	codes := map[string]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(node ast.Node) bool {
			if code, ok := codeOf(node); ok {
				codes[code] = files.Position(node.Pos()).String()
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return codes
}

// codeOf is the code of a call of domain.Errorf.
func codeOf(node ast.Node) (string, bool) {
	call, ok := node.(*ast.CallExpr)
	if !ok || len(call.Args) < 3 {
		return "", false
	}
	function, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || function.Sel.Name != "Errorf" {
		return "", false
	}
	if pkg, ok := function.X.(*ast.Ident); !ok || pkg.Name != "domain" {
		return "", false
	}
	literal, ok := call.Args[1].(*ast.BasicLit)
	if !ok {
		return "", false
	}
	code, err := strconv.Unquote(literal.Value)
	return code, err == nil
}

// TestSecurity: an operation is described as open to everybody if it needs neither an API key nor an operator's token.
func TestSecurity(t *testing.T) {
	t.Parallel()
	keyed := map[string]bool{}
	for _, op := range operations(t) {
		keyed[op.Path] = true
	}
	for path, item := range read(t).Paths {
		for method, op := range item {
			open := op.Security != nil && len(*op.Security) == 0
			if want := !keyed[path] && !strings.HasPrefix(path, "/admin/") && path != mcp.Path; open != want {
				t.Errorf("%s %s: open to everybody: %v", method, path, open)
			}
			if _, ok := op.Responses["405"]; !ok {
				t.Errorf("%s %s does not describe 405", method, path)
			}
		}
	}
}
