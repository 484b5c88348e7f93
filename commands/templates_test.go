package commands_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/commands"
	"moviola/commands/templates"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/movie"
	"moviola/domain/template"
	"moviola/eventstore"
)

// templateID returns the id of the nth template of a test.
func templateID(n int) template.ID { return template.ID(fmt.Sprintf("template%012d", n)) }

func (w *world) templateConfig() templates.TemplateConfig {
	return templates.TemplateConfig{Log: w.log, Files: w.files, Now: w.clock, NewID: func() template.ID {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.next++
		return templateID(w.next)
	}}
}

// save creates a template of alice (empty id), or updates one, and returns its id.
func (w *world) save(id template.ID, movieJSON string) template.ID {
	w.t.Helper()
	name := "Sale"
	saved, err := templates.NewSaveTemplateHandler(w.templateConfig()).Handle(w.t.Context(), templates.SaveTemplate{
		Account: alice, ID: id, Name: &name, Movie: []byte(movieJSON),
	})
	w.must(err)
	return saved.ID
}

// template folds a template.
func (w *world) template(id template.ID) *template.Template {
	w.t.Helper()
	t := template.New(id)
	_, err := w.log.Fold(w.t.Context(), template.Stream(id), t.Apply)
	w.must(err)
	return t
}

func refusalCode(err error) string {
	var refusal *domain.Error
	if errors.As(err, &refusal) {
		return refusal.Code
	}
	return fmt.Sprint(err)
}

// TestSaveTemplate creates and updates a template: parts that a command leaves out stay, and the movie is replaced as a
// whole. Decision 41.
func TestSaveTemplate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := templates.NewSaveTemplateHandler(w.templateConfig())
	name, tags := "Sale", []string{"a"}
	saved, err := h.Handle(t.Context(), templates.SaveTemplate{Account: alice, Name: &name, Tags: &tags})
	w.must(err)
	first := w.template(saved.ID)
	if first.Name() != "Sale" || mustRead(t, w.files, blobkey.Body(saved.ID, first.Body().Hash)) != "{}" || first.Body().Width != 640 {
		t.Errorf("created %s with %+v", first.Name(), first.Body())
	}
	saved, err = h.Handle(t.Context(), templates.SaveTemplate{Account: alice, ID: saved.ID, Movie: []byte(`{"resolution":"{{r}}","variables":{"r":"hd"}}`)})
	w.must(err)
	second := w.template(saved.ID)
	if second.Name() != "Sale" || second.Body().Width != 1280 || second.Body().Hash == first.Body().Hash {
		t.Errorf("updated to %s with %+v", second.Name(), second.Body())
	}
	for code, cmd := range map[string]templates.SaveTemplate{
		"template_not_owned":     {Account: mallory, ID: saved.ID, Name: &name},
		"name_required":          {Account: alice},
		"template_movie_invalid": {Account: alice, Name: &name, Movie: []byte(`[1]`)},
	} {
		if _, err := h.Handle(t.Context(), cmd); refusalCode(err) != code {
			t.Errorf("error %v, want %s", err, code)
		}
	}
	large := []byte(`{"comment":"` + strings.Repeat("x", template.MaxBody) + `"}`)
	if _, err := h.Handle(t.Context(), templates.SaveTemplate{Account: alice, ID: saved.ID, Movie: large}); refusalCode(err) != "template_movie_invalid" {
		t.Errorf("error %v of a large movie", err)
	}
	unknown := templates.SaveTemplate{Account: alice, ID: templateID(99), Name: &name}
	if _, err := h.Handle(t.Context(), unknown); refusalCode(err) != "template_not_owned" {
		t.Errorf("error %v of an unknown template", err)
	}
}

// TestSaveTemplate_atOnce: updates at the same time all apply.
func TestSaveTemplate_atOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.save("", "{}")
	h := templates.NewSaveTemplateHandler(w.templateConfig())
	const n = 20
	var all sync.WaitGroup
	failed := make([]error, n)
	for i := range n {
		all.Go(func() {
			name := fmt.Sprint("name ", i)
			_, failed[i] = h.Handle(t.Context(), templates.SaveTemplate{Account: alice, ID: id, Name: &name})
		})
	}
	all.Wait()
	w.must(errors.Join(failed...))
	if got := w.template(id).Revision(); got != n {
		t.Errorf("revision %d after %d updates", got, n)
	}
}

// TestDuplicateTemplate copies the account's own templates and published ones, with other values of variables. Decisions 6
// and 41.
func TestDuplicateTemplate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	source := w.save("", `{"variables":{"a":{"x":1,"y":2},"b":3},"scenes":[]}`)
	h := templates.NewDuplicateTemplateHandler(w.templateConfig())
	copied, err := h.Handle(t.Context(), templates.DuplicateTemplate{Account: alice, Source: source, Variables: map[string]any{"a": map[string]any{"y": 5}, "c": "new"}})
	w.must(err)
	if copied.Name != "Sale (custom)" || copied.ID == source {
		t.Errorf("copied to %+v", copied)
	}
	body := mustRead(t, w.files, blobkey.Body(copied.ID, w.template(copied.ID).Body().Hash))
	if diff := cmp.Diff(`{"scenes":[],"variables":{"a":{"x":1,"y":5},"b":3,"c":"new"}}`, body); diff != "" {
		t.Errorf("movie (-want +got):\n%s", diff)
	}
	foreign := templates.DuplicateTemplate{Account: mallory, Source: source, Name: "Mine"}
	if _, err := h.Handle(t.Context(), foreign); refusalCode(err) != "template_not_found" {
		t.Errorf("error %v of a foreign template", err)
	}
	w.must(w.appendTo(template.Stream(source), template.Published{Change: 1, Example: template.Example{Project: project}}))
	if copied, err = h.Handle(t.Context(), foreign); err != nil || copied.Name != "Mine" {
		t.Errorf("copied to %+v, %v", copied, err)
	}
}

// appendTo adds an event at the end of a stream.
func (w *world) appendTo(stream string, event domain.Event) error {
	last, err := w.log.Last(w.t.Context(), stream)
	if err == nil {
		_, err = w.log.Append(w.t.Context(), stream, last.Revision, eventstore.Meta{Time: w.clock()}, event)
	}
	return err
}

// TestDeleteTemplate ends a template for good; movies submitted before still have its body.
func TestDeleteTemplate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.save("", "{}")
	h := templates.NewDeleteTemplateHandler(w.templateConfig())
	if _, err := h.Handle(t.Context(), templates.DeleteTemplate{Account: mallory, ID: id}); refusalCode(err) != "template_not_found" {
		t.Errorf("error %v of a foreign template", err)
	}
	body := w.template(id).Body().Hash
	_, err := h.Handle(t.Context(), templates.DeleteTemplate{Account: alice, ID: id})
	w.must(err)
	if _, err := h.Handle(t.Context(), templates.DeleteTemplate{Account: alice, ID: id}); refusalCode(err) != "template_not_found" {
		t.Errorf("error %v the second time", err)
	}
	if mustRead(t, w.files, blobkey.Body(id, body)) != "{}" {
		t.Error("the body is gone")
	}
}

// TestSubmitMovie_template renders by reference: variables and properties of the body go over the template's, and the event records
// what was used. A template that is changed afterwards changes nothing. Spec: POST /movies; design §3.
func TestSubmitMovie_template(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 100)
	base := w.save("", `{"resolution":"hd","variables":{"n":2,"t":"base"},"scenes":[{"elements":[{"type":"text","text":"{{t}}","duration":"{{n}}"}]}]}`)
	middle := w.save("", `{"template":"`+string(base)+`","variables":{"n":3},"elements":[{"type":"text","text":"not shown"}]}`)
	body := `{"template":"` + string(middle) + `","variables":{"t":"mine"},"resolution":"sd","exports":[{"destinations":[{"type":"webhook","endpoint":"https://x/{{n}}"}]}]}`
	got, err := w.submitHandler().Handle(t.Context(), commands.SubmitMovie{Account: alice, Body: []byte(body)})
	w.must(err)
	submitted := w.last(movie.Stream(got.Project)).(movie.Submitted)
	want := []movie.TemplateUse{
		{ID: string(middle), Revision: 0, Body: w.template(middle).Body().Hash}, {ID: string(base), Revision: 0, Body: w.template(base).Body().Hash},
	}
	if diff := cmp.Diff(want, submitted.Templates); diff != "" || submitted.Held != 3 || submitted.Destinations != 1 {
		t.Errorf("held %d, %d destinations, templates (-want +got):\n%s", submitted.Held, submitted.Destinations, diff)
	}
	if stored := mustRead(t, w.files, blobkey.Document(alice, got.Project)); stored != body {
		t.Errorf("stored %s", stored)
	}
	w.save(base, `{"scenes":[{"duration":60}]}`)
	filled, err := commands.FillDocument(t.Context(), w.files, []byte(body), submitted.Templates)
	w.must(err)
	const filledWant = `{"exports":[{"destinations":[{"endpoint":"https://x/{{n}}","type":"webhook"}]}],"resolution":"sd",` +
		`"scenes":[{"elements":[{"duration":"{{n}}","text":"{{t}}","type":"text"}]}],"variables":{"n":3,"t":"mine"}}`
	if diff := cmp.Diff(filledWant, string(filled)); diff != "" {
		t.Errorf("filled (-want +got):\n%s", diff)
	}
}

// TestSubmitMovie_templateRefused: unknown and foreign templates are refused alike, wherever they stand in a chain. Decision 6; T3.
func TestSubmitMovie_templateRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 100)
	w.grant(mallory, 100)
	private := w.save("", `{"scenes":[{"duration":2}]}`)
	self := w.save("", `{}`)
	w.save(self, `{"template":"`+string(self)+`"}`)
	there := w.save("", `{}`)
	back := w.save("", `{"template":"`+string(there)+`"}`)
	w.save(there, `{"template":"`+string(back)+`"}`)
	unknown := w.save("", `{"template":"Abcd1234Efgh5678Ijkl"}`)
	keys := w.save("", `{"variables":{"k":"AKIAABCDEFGHIJKLMNOP"},"scenes":[],"exports":[{"destinations":[{"type":"aws-s3","id":"{{k}}"}]}]}`)
	chain := private
	for range 11 {
		chain = w.save("", `{"template":"`+string(chain)+`"}`)
	}
	for name, tt := range map[string]struct {
		account  domain.AccountID
		template string
		code     string
	}{
		"unknown":           {alice, "Abcd1234Efgh5678Ijkl", "template_not_found"},
		"malformed":         {alice, "../secret", "template_not_found"},
		"foreign":           {mallory, string(private), "template_not_found"},
		"unknown in chain":  {alice, string(unknown), "template_not_found"},
		"itself":            {alice, string(self), "template_circle"},
		"a circle of two":   {alice, string(there), "template_circle"},
		"a long chain":      {alice, string(chain), "template_chain_too_long"},
		"keys in variables": {alice, string(keys), "aws_keys_in_movie"},
	} {
		_, err := w.submitHandler().Handle(t.Context(), commands.SubmitMovie{Account: tt.account, Body: []byte(`{"template":"` + tt.template + `"}`)})
		if refusalCode(err) != tt.code {
			t.Errorf("%s: %v, want %s", name, err, tt.code)
		}
		if tt.code == "template_not_found" && err.Error() != "Template not found" {
			t.Errorf("%s: %v", name, err)
		}
	}
	w.must(w.appendTo(template.Stream(private), template.Published{Change: 1, Example: template.Example{Project: project}}))
	if _, err := w.submitHandler().Handle(t.Context(), commands.SubmitMovie{Account: mallory, Body: []byte(`{"template":"` + string(private) + `"}`)}); err != nil {
		t.Errorf("a published template: %v", err)
	}
}

// TestDuplicateTemplate_markup: a copy with other variables is no larger than its source, also when that has much markup.
func TestDuplicateTemplate_markup(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	page := `{"variables":{"a":1},"scenes":[{"elements":[{"type":"html","html":"` + strings.Repeat("<b>&</b>", 12_000) + `"}]}]}`
	h := templates.NewDuplicateTemplateHandler(w.templateConfig())
	copied, err := h.Handle(t.Context(), templates.DuplicateTemplate{Account: alice, Source: w.save("", page), Variables: map[string]any{"a": 2}})
	w.must(err)
	if size := w.template(copied.ID).Body().Size; size != int64(len(page)) {
		t.Errorf("the copy has %d bytes, its source %d", size, len(page))
	}
}
