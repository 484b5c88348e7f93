package style_test

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// TestModules resolves the packages of nested modules that make test runs: a module that is new in the main one is missing there
// until their go.mod names it too (go mod tidy).
func TestModules(t *testing.T) {
	t.Parallel()
	for _, module := range []string{"client", "console/build", "internal/drawing/rows/asm", "tests/console", "tests/mongo"} {
		cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-test", "./...")
		cmd.Dir = filepath.Join("../..", module)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", module, err, out)
		}
	}
}
