//go:build !race

package text_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/timeline"
	"moviola/internal/drawing/text"
)

const dejavu = "/usr/share/fonts/truetype/dejavu/"

// installed is the engine of a machine on which the files of a folder are installed, by the names that they are given there.
func installed(t *testing.T, dir string) *text.Engine {
	t.Helper()
	e, err := text.NewOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func install(t *testing.T, dir, name, from string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err != nil {
		t.Fatalf("the tests need the font %s: %v", from, err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// The names of the fonts of a text depend on the content of these fonts, not on what else is installed.
func TestFontsOf(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	install(t, dir, "a.ttf", dejavu+"DejaVuSans.ttf")
	latin := styled("Hello", func(s *timeline.TextSettings) { s.FontFamily = "DejaVu Sans" })
	anton := styled("Hello", func(s *timeline.TextSettings) { s.FontFamily = "Anton" })
	greek := styled("Ελλάδα", func(s *timeline.TextSettings) { s.FontFamily = "Anton" })
	writings := []text.Writing{
		{Families: []string{"DejaVu Sans"}, Words: "Hello"},
		{Page: "<p style='font:12px DejaVu_Sans'>Hello", Words: "Hello"},
		{Families: []string{"Anton"}, Words: "Ελλάδα"},
	}
	names := func(e *text.Engine) (all [][]string) {
		for _, words := range []timeline.Text{latin, anton, greek} {
			found, err := e.FontsOf(words)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, found)
		}
		for _, w := range writings {
			found, err := e.FontsOfAll(w)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, found)
		}
		return all
	}
	before := names(installed(t, dir))
	for i, found := range before {
		if len(found) == 0 || slices.ContainsFunc(found, func(name string) bool { return len(name) < 64 }) {
			t.Errorf("writing %d: fonts %q", i, found)
		}
	}
	install(t, dir, "b.ttf", dejavu+"DejaVuSansMono.ttf") // has Greek too, and comes after the other
	if diff := cmp.Diff(before, names(installed(t, dir))); diff != "" {
		t.Errorf("another font that is installed changes (-before +after):\n%s", diff)
	}
	content, err := os.ReadFile(filepath.Join(dir, "a.ttf"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.ttf"), append(content, 0), 0o600); err != nil {
		t.Fatal(err)
	}
	after := names(installed(t, dir))
	for i := range before {
		if same := cmp.Equal(before[i], after[i]); same != (i == 1) { // the second is in a shipped font only
			t.Errorf("writing %d: the fonts are the same: %v", i, same)
		}
	}
}

// A missing family is named by what takes its place.
func TestFontsOf_StandIn(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{{"Nowhere Slab", "Roboto Slab"}, {"Nowhere", "Inter"}} {
		missing, err := bare(t).FontsOf(styled("Hello", func(s *timeline.TextSettings) { s.FontFamily = pair[0] }))
		if err != nil {
			t.Fatal(err)
		}
		there, err := bare(t).FontsOf(styled("Hello", func(s *timeline.TextSettings) { s.FontFamily = pair[1] }))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(there, missing); diff != "" || len(there) != 1 || !strings.HasSuffix(there[0], "/0") {
			t.Errorf("%s (-want +got):\n%s", pair[0], diff)
		}
	}
}
