package style_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestMakefile: a target that `make help` lists is made even when a file has its name.
func TestMakefile(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^\.PHONY: (.*)$`).FindStringSubmatch(string(content))
	targets := regexp.MustCompile(`(?m)^([a-z-]+):.*## `).FindAllStringSubmatch(string(content), -1)
	if line == nil || len(targets) < 20 {
		t.Fatalf("the Makefile has %d targets, and declares %q", len(targets), line)
	}
	phony := strings.Fields(line[1])
	for _, target := range targets {
		if !slices.Contains(phony, target[1]) {
			t.Errorf("the target %s is not in .PHONY", target[1])
		}
	}
}
