package style_test

import (
	"os"
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
