package library_test

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"moviola/domain/document"
	"moviola/domain/template"
	"moviola/domain/template/library"
)

// TestAll: every template of the program is complete, small enough, needs nothing from outside, and has no mistake or warning. Decision 42.
func TestAll(t *testing.T) {
	t.Parallel()
	all, err := library.All()
	if err != nil || len(all) < 12 {
		t.Fatalf("%d templates, %v", len(all), err)
	}
	ids := map[template.ID]string{}
	for _, one := range all {
		if other, again := ids[one.ID]; again {
			t.Errorf("%s and %s have one id", one.Slug, other)
		}
		ids[one.ID] = one.Slug
		if _, ok := template.ParseID(string(one.ID)); !ok || one.Name == "" || len(one.Tags) < 2 || one.Prompt == "" || len(one.Movie) > template.MaxBody {
			t.Errorf("%s: id %s, name %q, tags %q, %d bytes", one.Slug, one.ID, one.Name, one.Tags, len(one.Movie))
		}
		m, err := document.Parse(one.Movie)
		if err != nil {
			t.Errorf("%s: %v", one.Slug, err)
			continue
		}
		if err := document.Validate(m); err != nil || len(m.Warnings) > 0 || m.Waits() {
			t.Errorf("%s: %v, warnings %q, waits %v", one.Slug, err, m.Warnings, m.Waits())
		}
		for _, s := range document.Sources(m) {
			if s.URL == "" {
				continue
			}
			name, ours := strings.CutPrefix(s.URL, library.Photographs)
			if _, err := os.Stat("../../../third_party/photographs/" + name); !ours || err != nil {
				t.Errorf("%s: %s is fetched (%v)", one.Slug, s.URL, err)
			}
			if name != "dandelion.jpg" && one.Credit == "" { // that one is in the public domain
				t.Errorf("%s shows %s and names nobody", one.Slug, name)
			}
		}
		if known := document.LeastCredits(m); known > 30 {
			t.Errorf("%s lasts %d seconds", one.Slug, known)
		}
	}
}

// TestAll_ids pins an id: templates keep theirs for ever.
func TestAll_ids(t *testing.T) {
	t.Parallel()
	all, err := library.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range all {
		if one.Slug == "quote-card" && one.ID != "ZIFyOLMupsuznjqamaWY" {
			t.Errorf("id %s", one.ID)
		}
	}
}

// TestAll_texts: every text that a template shows is made of variables, but for signs without letters.
func TestAll_texts(t *testing.T) {
	t.Parallel()
	all, err := library.All()
	if err != nil {
		t.Fatal(err)
	}
	expression := regexp.MustCompile(`(?s)\{\{.*?\}\}`)
	for _, one := range all {
		var movie any
		if err := json.Unmarshal(one.Movie, &movie); err != nil {
			t.Fatal(err)
		}
		for _, text := range textsIn(movie) {
			if rest := strings.ReplaceAll(expression.ReplaceAllString(text, ""), "__num__", ""); strings.ContainsFunc(rest, unicode.IsLetter) {
				t.Errorf("%s shows %q whatever its variables say", one.Slug, rest)
			}
		}
	}
}

// textsIn are the properties text of elements and groups.
func textsIn(value any) []string {
	var all []string
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			all = append(all, textsIn(item)...)
		}
	case map[string]any:
		for name, item := range v {
			text, isText := item.(string)
			switch {
			case name == "variables":
			case name == "text" && isText:
				all = append(all, text)
			default:
				all = append(all, textsIn(item)...)
			}
		}
	}
	return all
}

// TestTemplate_At: an installation shows the photographs at its own address.
func TestTemplate_At(t *testing.T) {
	t.Parallel()
	all, err := library.All()
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, one := range all {
		movie := one.At("https://video.example.com/library/photographs/")
		shown += bytes.Count(movie, []byte("https://video.example.com/library/photographs/"))
		if bytes.Contains(movie, []byte(library.Photographs)) || !json.Valid(movie) {
			t.Errorf("%s keeps an address of no installation", one.Slug)
		}
		if library.CreditOf(one.ID) != one.Credit {
			t.Errorf("%s: credit %q", one.Slug, library.CreditOf(one.ID))
		}
	}
	if shown < 10 {
		t.Errorf("%d photographs", shown)
	}
}
