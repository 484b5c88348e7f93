package matrix_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/internal/app"
	"moviola/tests/harness"
)

var documented = regexp.MustCompile("(?m)^\\| `((?:GET|POST|PUT|DELETE) /v2/[^`]*)` \\| (\\w+) \\|$")

// TestDocs: docs/keys.md says which role each route needs.
func TestDocs(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(harness.Root(t), "docs", "keys.md"))
	if err != nil {
		t.Fatal(err)
	}
	served, described := map[string]string{}, map[string]string{}
	for _, route := range routes(t) {
		if route.Guard == app.GuardKey {
			served[route.Name()] = fmt.Sprint(route.Role)
		}
	}
	for _, line := range documented.FindAllStringSubmatch(string(text), -1) {
		described[line[1]] = line[2]
	}
	if diff := cmp.Diff(served, described); diff != "" {
		t.Errorf("routes and their roles (-served +docs/keys.md):\n%s", diff)
	}
}
