package pages_test

import (
	"maps"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"moviola/tests/reference/pages"
)

// TestSheets: every movie of the gallery that shows many properties at once has a line that says what is seen in it, and no other has one.
func TestSheets(t *testing.T) {
	t.Parallel()
	movies, err := filepath.Glob("../../../docs/gallery/*.json")
	if err != nil || len(movies) < 50 {
		t.Fatalf("%d movies, %v", len(movies), err)
	}
	lines := maps.Clone(pages.Sheets)
	for _, file := range movies {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		number, err := strconv.Atoi(strings.SplitN(name, "-", 2)[0])
		if err != nil {
			t.Fatal(err)
		}
		if lines[name] == "" && number >= 28 {
			t.Errorf("%s: nothing says what is seen", name)
		}
		delete(lines, name)
	}
	for name := range lines {
		t.Errorf("there is no movie %s", name)
	}
}
