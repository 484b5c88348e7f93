package rows_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestGenerated holds the assembly against what its generator writes.
func TestGenerated(t *testing.T) {
	t.Parallel()
	if os.Getenv("MOVIOLA_TEST_LONG") == "" {
		t.Skip("builds the generator: set MOVIOLA_TEST_LONG")
	}
	dir := t.TempDir()
	made := filepath.Join(dir, "rows.s")
	cmd := exec.CommandContext(t.Context(), "go", "run", "-C", "asm", ".", "-out", made, "-stubs", filepath.Join(dir, "stub.go"), "-pkg", "rows")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !bytes.Equal(code(t, made), code(t, "rows_amd64.s")) {
		t.Error("rows_amd64.s is not what asm writes: go generate ./internal/drawing/rows")
	}
}

// code is a generated file without its first line, which names the command.
func code(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(data, []byte("\n"))
	return rest
}
