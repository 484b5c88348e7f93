package projections_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/template"
	"moviola/eventstore"
	"moviola/eventstore/memory"
	"moviola/projections"
)

func templateID(n int) template.ID { return template.ID(fmt.Sprintf("template%012d", n)) }

func created(owner domain.AccountID, name string, at time.Time, tags ...string) template.Created {
	return template.Created{Account: owner, Name: name, Tags: tags, Body: template.Body{Hash: "h1", Size: 2, Width: 640, Height: 360}, At: at}
}

var example = template.Example{Project: "exampleproject01", Body: "h1", Video: "library/v.mp4", Thumbnail: "library/t.jpg"}

func namesOf(templates []projections.Template) []string {
	names := []string{}
	for _, t := range templates {
		names = append(names, t.Name)
	}
	return names
}

// TestTemplates follows templates through their lives, and lists them. Decisions 40 and 42.
func TestTemplates(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	models := w.open(t)
	start(t, models)
	name, tags := "Renamed", []string{"new"}
	one, two, three, foreign := templateID(1), templateID(2), templateID(3), templateID(4)
	w.append(t, template.Stream(one), created(alice, "One", minute(1), "ads"))
	w.append(t, template.Stream(two), created(alice, "Two", minute(2), "ads", "own"), template.Published{Change: 1, Example: example, At: minute(9)})
	w.append(t, template.Stream(three), template.Duplicated{Source: one, Account: alice, Name: "Three", At: minute(3)}, template.Deleted{At: minute(4)})
	w.append(t, template.Stream(foreign), created(bob, "Foreign", minute(5), "ads"), template.Published{Change: 1, Example: example, At: minute(6)},
		template.Unpublished{Change: 2, At: minute(7)})
	last := w.append(t, template.Stream(one), template.Updated{Change: "c", Name: &name, Tags: &tags, Body: &template.Body{Hash: "h2", Width: 1280, Height: 720}, At: minute(8)})
	waitFor(t, models, last)

	got, ok, err := models.Templates.Get(t.Context(), one)
	want := projections.Template{
		ID: string(one), Revision: 1, Account: string(alice), State: "alive", Name: "Renamed", Tags: tags, BodyHash: "h2", Width: 1280, Height: 720,
		CreatedAt: minute(1), UpdatedAt: minute(8),
	}
	if diff := cmp.Diff(want, got); diff != "" || !ok || err != nil {
		t.Errorf("found %v, %v (-want +got):\n%s", ok, err, diff)
	}
	for name, list := range map[string]struct {
		ask  func() ([]projections.Template, error)
		want []string
	}{
		"owned": {func() ([]projections.Template, error) {
			return models.Templates.Owned(t.Context(), projections.TemplateList{Account: alice})
		}, []string{"Renamed", "Two"}},
		"with a tag": {func() ([]projections.Template, error) {
			return models.Templates.Owned(t.Context(), projections.TemplateList{Account: alice, Tag: "own"})
		}, []string{"Two"}},
		"nothing": {func() ([]projections.Template, error) {
			return models.Templates.Owned(t.Context(), projections.TemplateList{Account: "nobody"})
		}, []string{}},
		"library": {func() ([]projections.Template, error) { return models.Templates.Library(t.Context(), bob, nil) }, []string{"Two"}},
		"library and tagged": {func() ([]projections.Template, error) {
			return models.Templates.Library(t.Context(), alice, []string{"new", "ads"})
		}, []string{"Renamed", "Two"}},
		"others' stay away": {func() ([]projections.Template, error) {
			return models.Templates.Library(t.Context(), alice, []string{"ads"})
		}, []string{"Two"}},
	} {
		templates, err := list.ask()
		if diff := cmp.Diff(list.want, namesOf(templates)); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
	if _, ok, err := models.Templates.Get(t.Context(), three); ok || err != nil {
		t.Errorf("a deleted template is found, %v", err)
	}
}

// TestTemplates_Get shows what was done a moment ago.
func TestTemplates_Get(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	models := w.open(t) // whose reader does not run
	w.append(t, template.Stream(templateID(1)), created(alice, "One", minute(1)))
	if got, ok, err := models.Templates.Get(t.Context(), templateID(1)); !ok || err != nil || got.Name != "One" {
		t.Errorf("got %+v, %v, %v", got, ok, err)
	}
}

// TestTemplates_Owned reads lists that are longer than a page.
func TestTemplates_Owned(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	models := w.open(t)
	start(t, models)
	var last eventstore.Appended
	const n = projections.MaxPage + 5
	for i := range n {
		last = w.append(t, template.Stream(templateID(i)), created(alice, fmt.Sprint(i), minute(i)))
	}
	waitFor(t, models, last)
	owned, err := models.Templates.Owned(t.Context(), projections.TemplateList{Account: alice})
	if err != nil || len(owned) != n || owned[0].Name != fmt.Sprint(n-1) || owned[n-1].Name != "0" {
		t.Errorf("%d templates, %v", len(owned), err)
	}
}

// BenchmarkLibrary measures a look at a library of 16 templates.
func BenchmarkLibrary(b *testing.B) {
	log := eventstore.NewLog(memory.New(), eventstore.NewCodec())
	var last eventstore.Appended
	for i := range 16 {
		stream := template.Stream(templateID(i))
		mustAppend(b, log, stream, eventstore.NoStream, created(alice, "A template of the library", minute(i), "one", "two", "three"))
		last = mustAppend(b, log, stream, 0, template.Published{Change: 1, Example: example, At: minute(i)})
	}
	models := openAt(b, log)
	go func() { _ = models.Reader.Run(b.Context()) }()
	if err := models.Reader.WaitFor(b.Context(), last.Position); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if library, err := models.Templates.Library(b.Context(), bob, []string{"two"}); err != nil || len(library) != 16 {
			b.Fatal(len(library), err)
		}
	}
}
