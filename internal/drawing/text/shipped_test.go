//go:build !race

package text_test

import (
	"path/filepath"
	"testing"

	"moviola/domain/timeline"
	"moviola/internal/drawing/text"
	"moviola/third_party/fonts"
)

// bare is an engine as on a machine without any font.
func bare(t *testing.T) *text.Engine {
	t.Helper()
	return text.NewBare()
}

// A machine without fonts has the shipped ones: the default fonts of texts and components among them, each weight that is shipped, and
// the letters of every subset.
func TestShipped_NeedNoSystem(t *testing.T) {
	t.Parallel()
	e := bare(t)
	for _, f := range fonts.Faces() {
		lines, warnings, err := e.Runs(styled("Zażółć gęślą, Größe", func(s *timeline.TextSettings) {
			s.FontFamily, s.FontWeight, s.Italic = f.Family, f.Weight, f.Italic
		}), 800, 100)
		if err != nil || len(warnings) > 0 {
			t.Fatalf("%s: %v, %q", f.Family, err, warnings)
		}
		for _, run := range lines[0] {
			if run.Missing {
				t.Errorf("%s %d: %q has letters without a glyph", f.Family, f.Weight, run.Text)
			}
		}
	}
	if got := len(e.Shipped()); got != len(fonts.Faces()) {
		t.Errorf("%d of %d fonts are offered to pages", got, len(fonts.Faces()))
	}
}

// What is installed is taken from the machine.
func TestShipped_InstalledComeFirst(t *testing.T) {
	t.Parallel()
	for _, f := range engine(t).Shipped() {
		if f.Family == "Inter" || f.Family == "Roboto" {
			t.Fatalf("%s is installed and still offered", f.Family)
		}
	}
}

// Of two fonts of a family that say the same weight, the regular one is drawn: Debian's Bebas Neue has a Book of weight 400 too.
func TestInstalled_RegularBeforeBook(t *testing.T) {
	t.Parallel()
	if got := engine(t).FileOf("Bebas Neue", 400); filepath.Base(got) != "BebasNeue-Regular.otf" {
		t.Errorf("Bebas Neue is drawn from %s", got)
	}
}

// Every class has a stand-in that is shipped.
func TestStandIns_AreShipped(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Nowhere", "Nowhere Serif", "Nowhere Mono", "Nowhere Script", "Nowhere Slab", "Nowhere Condensed", "Impact", "Titan One"} {
		_, warnings, err := bare(t).Runs(styled("Hello", func(s *timeline.TextSettings) { s.FontFamily = name }), 800, 100)
		if err != nil || len(warnings) != 1 {
			t.Errorf("%s: %v, %q", name, err, warnings)
		}
	}
}
