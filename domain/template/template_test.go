package template_test

import (
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/template"
)

const (
	alice = domain.AccountID("alice")
	bob   = domain.AccountID("bob")
	id    = template.ID("Abcd1234Efgh5678Ijkl")
)

var (
	t0      = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	body    = template.Body{Hash: "h1", Size: 2, Width: 640, Height: 360}
	created = template.Created{Account: alice, Name: "Sale", Tags: []string{"a"}, Body: body, At: t0}
	example = template.Example{Project: "p1", Body: "h1", Video: "v", Thumbnail: "t"}
)

func given(events ...domain.Event) *template.Template {
	t := template.New(id)
	for _, event := range events {
		t.Apply(event)
	}
	return t
}

func requireCode(t *testing.T, name string, err error, code string) {
	t.Helper()
	var refusal *domain.Error
	if err == nil && code == "" || errors.As(err, &refusal) && refusal.Code == code {
		return
	}
	t.Errorf("%s: error %v, want code %q", name, err, code)
}

// TestTemplate has a row for every decision: given events, when decided, then events or a refusal.
func TestTemplate(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	published, unpublished := template.Published{Change: 1, Example: example, At: t0}, template.Unpublished{Change: 2, At: t0}
	large := template.Body{Size: template.MaxBody + 1}
	type decide func(*template.Template) ([]domain.Event, error)
	create := func(d template.Draft) decide {
		return func(s *template.Template) ([]domain.Event, error) { return s.Create(alice, d, t0) }
	}
	update := func(by domain.AccountID, c template.Change) decide {
		return func(s *template.Template) ([]domain.Event, error) { return s.Update(by, c, t0) }
	}
	sweep := func(now time.Time) decide {
		return func(s *template.Template) ([]domain.Event, error) { return s.Sweep(now, time.Hour), nil }
	}
	tests := []struct {
		name   string
		given  []domain.Event
		decide decide
		want   []domain.Event
		code   string
	}{
		{"create", nil, create(template.Draft{Name: " Sale ", Tags: []string{" a ", "", "a"}, Body: body}), []domain.Event{created}, ""},
		{"create without name", nil, create(template.Draft{Name: " ", Body: body}), nil, "name_required"},
		{"create with a long name", nil, create(template.Draft{Name: strings.Repeat("é", 101)}), nil, "name_too_long"},
		{"create with a large movie", nil, create(template.Draft{Name: "x", Body: large}), nil, "template_movie_invalid"},
		{"create with a long prompt", nil, create(template.Draft{Name: "x", Prompt: strings.Repeat("x", 20_001)}), nil, "prompt_too_long"},
		{"create with long tags", nil, create(template.Draft{Name: "x", Tags: []string{strings.Repeat("x", 64_001)}}), nil, "tags_too_long"},
		{"create twice", []domain.Event{created}, create(template.Draft{Name: "x"}), nil, "template_exists"},
		{"update", []domain.Event{created}, update(alice, template.Change{Request: "r", Name: text(" New "), Tags: &[]string{"b "}, Body: &body}),
			[]domain.Event{template.Updated{Change: "r", Name: text("New"), Tags: &[]string{"b"}, Body: &body, At: t0}}, ""},
		{"update to no name", []domain.Event{created}, update(alice, template.Change{Name: text("")}), nil, "name_required"},
		{"update another's", []domain.Event{created}, update(bob, template.Change{}), nil, "template_not_owned"},
		{"update an unknown one", nil, update(alice, template.Change{}), nil, "template_not_owned"},
		{"update a deleted one", []domain.Event{created, template.Deleted{}}, update(alice, template.Change{}), nil, "template_not_owned"},
		{"delete", []domain.Event{created}, func(s *template.Template) ([]domain.Event, error) { return s.Delete(alice, t0) }, []domain.Event{template.Deleted{At: t0}}, ""},
		{"delete another's", []domain.Event{created}, func(s *template.Template) ([]domain.Event, error) { return s.Delete(bob, t0) }, nil, "template_not_found"},
		{"sweep", []domain.Event{created, template.Deleted{At: t0}}, sweep(t0.Add(time.Hour)), []domain.Event{template.Swept{At: t0.Add(time.Hour)}}, ""},
		{"sweep too early", []domain.Event{created, template.Deleted{At: t0}}, sweep(t0.Add(time.Hour - 1)), nil, ""},
		{"sweep twice", []domain.Event{created, template.Deleted{At: t0}, template.Swept{At: t0}}, sweep(t0.Add(time.Hour)), nil, ""},
		{"sweep one that is there", []domain.Event{created}, sweep(t0.Add(time.Hour)), nil, ""},
		{"sweep an unknown one", nil, sweep(t0.Add(time.Hour)), nil, ""},
		{"create one that was swept", []domain.Event{created, template.Deleted{At: t0}, template.Swept{At: t0}}, create(template.Draft{Name: "x"}), nil, "template_exists"},
		{"publish", []domain.Event{created}, func(s *template.Template) ([]domain.Event, error) { return s.Publish(example, 0, t0) }, []domain.Event{published}, ""},
		{"publish an example that was requested before the withdrawal", []domain.Event{created, template.Unpublished{Change: 1, At: t0}},
			func(s *template.Template) ([]domain.Event, error) { return s.Publish(example, 0, t0) }, nil, ""},
		{"publish an example that was requested after the withdrawal", []domain.Event{created, template.Unpublished{Change: 1, At: t0}},
			func(s *template.Template) ([]domain.Event, error) { return s.Publish(example, 1, t0) },
			[]domain.Event{template.Published{Change: 2, Example: example, At: t0}}, ""},
		{"publish an example of the same body", []domain.Event{created, published, unpublished},
			func(s *template.Template) ([]domain.Event, error) {
				return s.Publish(template.Example{Project: "p2", Body: "h1"}, 2, t0)
			}, nil, ""},
		{"publish an unknown one", nil, func(s *template.Template) ([]domain.Event, error) { return s.Publish(example, 0, t0) }, nil, "template_not_found"},
		{"republish", []domain.Event{created, published, unpublished}, func(s *template.Template) ([]domain.Event, error) { return s.Republish(t0) },
			[]domain.Event{template.Published{Change: 3, Example: example, At: t0}}, ""},
		{"republish without example", []domain.Event{created}, func(s *template.Template) ([]domain.Event, error) { return s.Republish(t0) }, nil, ""},
		{"unpublish", []domain.Event{created, published}, func(s *template.Template) ([]domain.Event, error) { return s.Unpublish(t0) }, []domain.Event{unpublished}, ""},
		{"unpublish while the first example may be pending", []domain.Event{created}, func(s *template.Template) ([]domain.Event, error) { return s.Unpublish(t0) },
			[]domain.Event{template.Unpublished{Change: 1, At: t0}}, ""},
		{"unpublish an unknown one", nil, func(s *template.Template) ([]domain.Event, error) { return s.Unpublish(t0) }, nil, "template_not_found"},
	}
	for _, tt := range tests {
		got, err := tt.decide(given(tt.given...))
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		requireCode(t, tt.name, err, tt.code)
	}
}

// TestTemplate_Duplicate copies what may be rendered. Decisions 6 and 41.
func TestTemplate_Duplicate(t *testing.T) {
	t.Parallel()
	published := template.Published{Change: 1, Example: example}
	changed := template.Body{Hash: "h2"}
	for name, tt := range map[string]struct {
		source []domain.Event
		by     domain.AccountID
		wanted string
		name   string
		code   string
	}{
		"own":              {[]domain.Event{created}, alice, "", "Sale (custom)", ""},
		"with a name":      {[]domain.Event{created}, alice, " Mine ", "Mine", ""},
		"of the library":   {[]domain.Event{created, published}, bob, "", "Sale (custom)", ""},
		"private":          {[]domain.Event{created}, bob, "", "", "template_not_found"},
		"no longer there":  {[]domain.Event{created, published, template.Unpublished{Change: 2}}, bob, "", "", "template_not_found"},
		"deleted":          {[]domain.Event{created, template.Deleted{}}, alice, "", "", "template_not_found"},
		"with a long name": {[]domain.Event{created}, alice, strings.Repeat("x", 101), "", "name_too_long"},
		"of a long name":   {[]domain.Event{template.Created{Account: alice, Name: strings.Repeat("é", 100)}}, alice, "", strings.Repeat("é", 91) + " (custom)", ""},
	} {
		source := given(tt.source...)
		got, err := template.New("Bbcd1234Efgh5678Ijkl").Duplicate(source, tt.by, tt.wanted, changed, t0)
		requireCode(t, name, err, tt.code)
		if err != nil {
			continue
		}
		copied := got[0].(template.Duplicated)
		if copied.Name != tt.name || copied.Account != tt.by || copied.Source != id || copied.SourceRevision != source.Revision() || copied.Body != changed {
			t.Errorf("%s: %+v", name, copied)
		}
	}
}

func TestID(t *testing.T) {
	t.Parallel()
	drawn, err := template.NewID(rand.Reader)
	if _, ok := template.ParseID(string(drawn)); !ok || err != nil {
		t.Errorf("id %s, %v", drawn, err)
	}
	for _, text := range []string{"", "short", "../4567890123456789a", "Abcd1234Efgh5678Ijk-", strings.Repeat("é", 20), strings.Repeat("a", 21)} {
		if _, ok := template.ParseID(text); ok {
			t.Errorf("%q is an id", text)
		}
	}
}
