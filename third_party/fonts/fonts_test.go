package fonts_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"moviola/third_party/fonts"
)

// Every file is the published one, to the byte.
func TestFiles_AreUnchanged(t *testing.T) {
	t.Parallel()
	sums, err := os.ReadFile("SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for line := range strings.Lines(string(sums)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		want[name] = sum
	}
	found, err := filepath.Glob("*/*")
	if err != nil || len(found) != len(want) {
		t.Fatalf("%d files, %d sums, %v", len(found), len(want), err)
	}
	for _, name := range found {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != want[filepath.ToSlash(name)] {
			t.Errorf("%s is not the published file", name)
		}
	}
}

// Every family has a name, a licence and a regular weight, and every file says which characters it is for.
func TestFaces(t *testing.T) {
	t.Parallel()
	regular := map[string]bool{}
	for _, f := range fonts.Faces() {
		if f.Family == "" || f.Range == "" || f.Weight < 100 || f.Weight > 900 {
			t.Errorf("face %+v", f)
		}
		content, err := fonts.Read(f.Path)
		if err != nil || string(content[:4]) != "wOFF" {
			t.Errorf("%s: %v", f.Path, err)
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(f.Path), "LICENSE")); err != nil {
			t.Error(err)
		}
		regular[f.Family] = regular[f.Family] || f.Weight == 400 && !f.Italic
	}
	for family, ok := range regular {
		if !ok {
			t.Errorf("%s has no regular weight", family)
		}
	}
	for _, family := range []string{"Inter", "Roboto", "Anton", "Oswald"} {
		if !regular[family] {
			t.Errorf("%s, a default, is not shipped", family)
		}
	}
}
