package library_test

import (
	"testing"

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
			if s.URL != "" {
				t.Errorf("%s: %s is fetched", one.Slug, s.URL)
			}
		}
		if known := document.KnownLength(m); known > 30 {
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
