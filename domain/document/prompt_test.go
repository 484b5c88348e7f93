package document_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/document"
)

func TestParse_Prompt(t *testing.T) {
	t.Parallel()
	m := mustParse(t, `{"elements":[
		{"type":"image","prompt":" a cat \n","model":"flux-pro","aspect-ratio":"VERTICAL","connection":"mine","model-settings":{"seed":7}},
		{"type":"image","prompt":"a cat"}]}`)
	want := &document.Prompt{Text: "a cat", Model: "flux-pro", Aspect: document.Vertical, Connection: "mine",
		ModelSettings: map[string]any{"seed": json.Number("7")}}
	if diff := cmp.Diff(want, m.Elements[0].Prompt); diff != "" {
		t.Errorf("prompt (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(&document.Prompt{Text: "a cat", Aspect: document.Horizontal}, m.Elements[1].Prompt); diff != "" {
		t.Errorf("plain prompt (-want +got):\n%s", diff)
	}
	if err := document.Validate(m); err != nil {
		t.Error(err)
	}
}

func TestParse_PromptAspect(t *testing.T) {
	t.Parallel()
	tests := []struct{ props, want, warning string }{
		{``, document.Horizontal, ""},
		{`"aspect-ratio":"squared"`, document.Squared, ""},
		{`"aspect-ratio":"square","width":10,"height":90`, document.Squared, ""},
		{`"aspect-ratio":"round"`, document.Horizontal, "The aspect ratio \"round\" is unknown"},
		{`"width":300`, document.Horizontal, ""},
		{`"width":300,"height":200`, document.Horizontal, ""},
		{`"width":"300","height":"280"`, document.Squared, ""},
		{`"width":280,"height":300`, document.Squared, ""},
		{`"width":200,"height":300`, document.Vertical, ""},
	}
	for _, tt := range tests {
		t.Run(tt.props, func(t *testing.T) {
			t.Parallel()
			m := mustParse(t, strings.Replace(`{"elements":[{"type":"image","prompt":"x",P}]}`, ",P", strings.TrimSuffix(","+tt.props, ","), 1))
			if got := m.Elements[0].Prompt.Aspect; got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if said := strings.Join(m.Warnings, "\n"); !strings.Contains(said, tt.warning) || tt.warning == "" && said != "" {
				t.Errorf("warnings %q, want %q", said, tt.warning)
			}
		})
	}
}

// A picture with an address is not made, whatever its prompt says.
func TestParse_PromptBesideSrc(t *testing.T) {
	t.Parallel()
	m := mustParse(t, `{"elements":[{"type":"image","prompt":"a cat","src":"http://x.test/a.png"}]}`)
	e := m.Elements[0]
	if e.Prompt != nil || e.Src != "http://x.test/a.png" || len(m.Warnings) != 1 {
		t.Errorf("got %+v, warnings %q", e, m.Warnings)
	}
}

// TestSources_Prompt: pictures that are made of the same are one source, whatever their place; others are others.
func TestSources_Prompt(t *testing.T) {
	t.Parallel()
	m := mustParse(t, `{"elements":[
		{"type":"image","prompt":"a cat","x":4},{"type":"image","prompt":"a cat","cache":false},
		{"type":"image","prompt":"a cat","aspect-ratio":"squared"},{"type":"image","prompt":"a dog"}]}`)
	sources := document.Sources(m)
	if len(sources) != 3 {
		t.Fatalf("got %d sources: %+v", len(sources), sources)
	}
	first := sources[0]
	if !first.Fresh || first.Kind != document.TypeImage || first.URL != "" || first.Prompt == nil || first.Key != m.Elements[1].Src {
		t.Errorf("got %+v", first)
	}
	if sources[1].Key == first.Key || sources[2].Key == first.Key || sources[1].Key == sources[2].Key {
		t.Error("different pictures have the same key")
	}
}
