package timeline_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/document"
)

// asked are the settings of texts that are asked for by name in this package.
var asked = regexp.MustCompile(`\bs\.(?:first|word|length|sides|color|align|unreadable)\(([^()]*(?:\([^()]*\))?[^()]*)\)`)

// TestSettingsOfTexts_Read: every setting of a text that is read is in the table of properties.
func TestSettingsOfTexts_Read(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	quoted, read := regexp.MustCompile(`"([a-z-]+)"`), map[string]bool{}
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, call := range asked.FindAllSubmatch(source, -1) {
			for _, literal := range quoted.FindAllSubmatch(call[1], -1) {
				read[string(literal[1])] = true
			}
		}
	}
	for name := range read {
		if _, ok := document.Find(document.SettingsKind(document.TypeText), name); !ok {
			t.Errorf("the setting %s is read and not in the table", name)
		}
	}
	if len(read) < 30 {
		t.Errorf("%d settings were found", len(read))
	}
}

// TestProperties_Aliases: another name of a property does what its first name does.
func TestProperties_Aliases(t *testing.T) {
	t.Parallel()
	held := 0
	kinds := []string{}
	for kind := range stages {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	for _, kind := range kinds {
		for _, p := range document.Lookup(kind) {
			if exempt[kind+" "+p.Name] != "" {
				continue
			}
			_, with := pair(t, kind, p)
			want := observe(t, with)
			for _, alias := range p.Aliases {
				other := renamed(t, with, p, alias)
				got := observe(t, other)
				if diff := cmp.Diff(want, got, cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" && !onlyNames(kind) {
					t.Errorf("%s %s, written %s:\n%s", kind, p.Name, alias, diff)
				}
				held++
			}
		}
	}
	t.Logf("%d other names are held", held)
}

// onlyNames says that what is observed of a kind holds its members by their names, as they are written.
func onlyNames(kind string) bool {
	return kind == document.DestinationKind || kind == document.SettingsKind(document.TypeSubtitles)
}

// renamed writes a property of a movie by another name, where the example of the property stands.
func renamed(t *testing.T, movie []byte, p document.Property, alias string) []byte {
	t.Helper()
	before, after, found := strings.Cut(string(movie), `"`+p.Name+`":`)
	if !found {
		t.Fatalf("%s is not in %s", p.Name, movie)
	}
	other := before + `"` + alias + `":` + after
	if !json.Valid([]byte(other)) {
		t.Fatalf("%s", other)
	}
	return []byte(other)
}
