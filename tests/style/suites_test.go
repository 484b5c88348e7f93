package style_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestSuites: tests/README.md names every folder below tests.
func TestSuites(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	folders, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		if f.IsDir() && !strings.Contains(string(page), "`"+f.Name()+"`") {
			t.Errorf("tests/README.md says nothing of tests/%s", f.Name())
		}
	}
}

// TestPropertySeeds: packages with property tests try the same cases each time, as tests/property says.
func TestPropertySeeds(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.ImportPath}} {{.TestImports}} {{.XTestImports}}", "../../...").Output()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for p := range strings.Lines(string(out)) {
		name, _, _ := strings.Cut(p, " ")
		if !strings.Contains(p, "pgregory.net/rapid") {
			continue
		}
		found++
		if !strings.Contains(p, "moviola/tests/property") {
			t.Errorf("%s has property tests and does not import moviola/tests/property", name)
		}
	}
	if found == 0 {
		t.Error("no package with property tests was found")
	}
}
