package templates_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	builtin "moviola/domain/template/library"
	"moviola/handlers/http/templates"
)

// described is a movie with a variable of every kind.
const described = `{"variables":{
	"renderMode":"fast","@renderMode":"fast=Fast|slow=Slow and good|plain","?renderMode":"How it is made",
	"video_URL":"https://example.com/a.mp4","logoUrl":"","count":5,"shown":true,"title":"","nothing":null,
	"slides":[{"text":"a","seconds":2}],"tags":["x"],"none":[],"box":{"color":"red","size":{"w":1}},"count":6}}`

// TestFieldsOf has a row for every rule of movie-schema §10.3.
func TestFieldsOf(t *testing.T) {
	t.Parallel()
	want := []templates.Field{
		{Name: "renderMode", Label: "Render Mode", Type: "select", Default: "fast", Help: "How it is made", Options: []templates.Option{
			{Label: "Fast", Value: "fast"}, {Label: "Slow and good", Value: "slow"}, {Label: "plain", Value: "plain"},
		}},
		{Name: "video_URL", Label: "Video URL", Type: "url", Default: "https://example.com/a.mp4"},
		{Name: "logoUrl", Label: "Logo Url", Type: "url"},
		{Name: "count", Label: "Count", Type: "number", Default: "6"},
		{Name: "shown", Label: "Shown", Type: "boolean", Default: "true"},
		{Name: "title", Label: "Title", Type: "text", Required: true},
		{Name: "nothing", Label: "Nothing", Type: "text", Required: true},
		{Name: "slides", Label: "Slides", Type: "array", Default: `[{"text":"a","seconds":2}]`, Spec: []templates.Field{
			{Name: "text", Label: "Text", Type: "text", Default: "a"}, {Name: "seconds", Label: "Seconds", Type: "number", Default: "2"},
		}},
		{Name: "tags", Label: "Tags", Type: "array", Default: `["x"]`, Spec: []templates.Field{{Name: "value", Label: "Value", Type: "text", Default: "x"}}},
		{Name: "none", Label: "None", Type: "array", Default: "[]", Spec: []templates.Field{{Name: "value", Label: "Value", Type: "text"}}},
		{Name: "box", Label: "Box", Type: "collection", Default: `{"color":"red","size":{"w":1}}`, Spec: []templates.Field{
			{Name: "color", Label: "Color", Type: "text", Default: "red"},
			{Name: "size", Label: "Size", Type: "collection", Default: `{"w":1}`, Spec: []templates.Field{{Name: "w", Label: "W", Type: "number", Default: "1"}}},
		}},
	}
	got := templates.FieldsOf([]byte(described), nil)
	if diff := cmp.Diff(want, got[:len(got)-2]); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	for i, name := range []string{"make_webhook_url", "client_data"} {
		if last := got[len(got)-2+i]; last.Name != name || !last.Advanced {
			t.Errorf("%+v, want %s", last, name)
		}
	}
	if empty := templates.FieldsOf([]byte(`{}`), nil); len(empty) != 2 {
		t.Errorf("%d fields without variables", len(empty))
	}
}

// compile reads a schema as an independent validator does.
func compile(t *testing.T, s *templates.Schema) *jsonschema.Schema {
	t.Helper()
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("template.json", doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("template.json")
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return compiled
}

func validate(t *testing.T, s *jsonschema.Schema, variables string) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(variables))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v)
}

// TestSchemaOf: the schema is one of 2020-12, and tells good values from bad ones.
func TestSchemaOf(t *testing.T) {
	t.Parallel()
	s := compile(t, templates.SchemaOf("Sale", []byte(described), nil))
	for _, good := range []string{
		`{}`, `{"renderMode":"slow"}`, `{"count":7}`, `{"count":"7"}`, `{"slides":[{"text":"b","seconds":1},{}]}`, `{"nothing":5}`, `{"none":[1,"a"]}`,
		`{"box":{"color":"blue"}}`, `{"other":1}`,
	} {
		if err := validate(t, s, good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{`[]`, `{"renderMode":"fastest"}`, `{"count":true}`, `{"shown":"yes"}`, `{"slides":"a"}`, `{"slides":["a"]}`, `{"box":{"color":5}}`, `{"title":5}`} {
		if err := validate(t, s, bad); err == nil {
			t.Errorf("%s is valid", bad)
		}
	}
}

// TestSchemaOf_library: the defaults of every template that the program brings along are valid by its own schema.
func TestSchemaOf_library(t *testing.T) {
	t.Parallel()
	all, err := builtin.All()
	if err != nil || len(all) < 12 {
		t.Fatalf("%d templates, %v", len(all), err)
	}
	for _, one := range all {
		var movie struct{ Variables json.RawMessage }
		if err := json.Unmarshal(one.Movie, &movie); err != nil {
			t.Fatal(err)
		}
		if err := validate(t, compile(t, templates.SchemaOf(one.Name, one.Movie, nil)), string(movie.Variables)); err != nil {
			t.Errorf("%s: %v", one.Slug, err)
		}
		for _, f := range templates.FieldsOf(one.Movie, nil) {
			if f.Type == "select" && !strings.Contains(","+valuesOf(f)+",", ","+f.Default+",") {
				t.Errorf("%s: the default of %s is none of %s", one.Slug, f.Name, valuesOf(f))
			}
		}
	}
}

func valuesOf(f templates.Field) string {
	var values []string
	for _, o := range f.Options {
		values = append(values, o.Value)
	}
	return strings.Join(values, ",")
}
