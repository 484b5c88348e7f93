package openapi_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"moviola/domain/document"
	"moviola/handlers/http/openapi"
)

// compiled compiles the schema at a place of a JSON document by an independent validator.
func compiled(t *testing.T, raw []byte, at string) *jsonschema.Schema {
	t.Helper()
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("https://moviola.test/schema.json", tree); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("https://moviola.test/schema.json" + at)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// held validates a movie by a schema. It returns the schema's objections.
func held(t *testing.T, schema *jsonschema.Schema, raw []byte) error {
	t.Helper()
	movie, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(movie)
}

// TestSchema: the JSON Schema of movies takes the movies of the gallery and of the library, and OpenAPI takes them too.
func TestSchema(t *testing.T) {
	t.Parallel()
	closed, open := compiled(t, document.Schema(), ""), compiled(t, openapi.Document(), "#/components/schemas/Movie")
	examples := os.Getenv("MOVIOLA_EXAMPLES") // movies from the field: as in tests/blackbox
	if examples == "" {
		examples = "../../../../shared/examples"
	}
	found := 0
	for _, pattern := range []string{"../../../docs/gallery/*.json", "../../../domain/template/library/templates/*", filepath.Join(examples, "*.json")} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var saved struct{ Movie json.RawMessage }
			if json.Unmarshal(raw, &saved) == nil && saved.Movie != nil {
				raw = saved.Movie
			}
			found++
			for name, schema := range map[string]*jsonschema.Schema{"movie.schema.json": closed, "openapi.json": open} {
				if err := held(t, schema, raw); err != nil {
					t.Errorf("%s: %s: %v", name, filepath.Base(file), err)
				}
			}
		}
	}
	if found < 60 {
		t.Errorf("%d movies were found", found)
	}
}

// TestSchema_Mistakes: the file marks what OpenAPI lets pass.
func TestSchema_Mistakes(t *testing.T) {
	t.Parallel()
	closed, open := compiled(t, document.Schema(), ""), compiled(t, openapi.Document(), "#/components/schemas/Movie")
	for _, row := range []struct {
		movie string
		good  bool
	}{
		{`{"$schema": "https://video.example/v2/movie.schema.json", "scenes": [{"elements": []}]}`, true},
		{`{"elements": [{"type": "image", "src": "https://a.example/b.png", "zoom": "2", "z_index": "{{ 3 }}", "fade-in": null}]}`, true},
		{`{"elements": [{"type": "text", "text": 5, "settings": {"font-size": 40, "Font-Size": "3vw"}}]}`, false},
		{`{"elements": [{"type": "text", "text": 5, "settings": {"font_size": 40}}]}`, true},
		{`{"elements": [{"type": "html", "html": "a", "settings": {"text-wrap": "balance"}}]}`, true},
		{`{"elements": [{"type": "image", "src": "https://a.example/b.png", "positon": "center"}]}`, false},
		{`{"elements": [{"type": "image", "src": "https://a.example/b.png", "zoom": 50}]}`, false},
		{`{"elements": [{"type": "image", "src": "https://a.example/b.png", "zoom": "near"}]}`, false},
		{`{"elements": [{"type": "picture", "src": "https://a.example/b.png"}]}`, false},
		{`{"elements": [{"type": "image", "src": "https://a.example/b.png", "rotate": 45, "crop": {"width": 1, "height": 1, "z": 1}}]}`, false},
		{`{"elements": [{"type": "audio", "src": "https://a.example/b.mp3", "x": 5}]}`, false},
		{`{"elements": [{"type": "component", "component": "basic/050", "settings": {"headline": "Hi", "lead": {"text": ["a"], "fontSize": "2vw"}}}]}`, true},
		{`{"elements": [{"type": "component", "component": "basic/050", "settings": {"header": "Hi"}}]}`, false},
		{`{"elements": [{"type": "component", "component": "basic/050", "settings": {"headline": {"txt": "Hi"}}}]}`, false},
		{`{"elements": [{"type": "component", "component": "shape/rectangle", "settings": {"rectangle12": {"left": "5%", "animate": {"left": 3}}}}]}`, true},
		{`{"resolution": "4k", "scenes": []}`, false},
		{`{"scenes": [{"transition": "fade", "duration": "auto"}], "thumbnail": 2, "exports": [{"destinations": [{"type": "webhook"}]}]}`, true},
		{`{"scenes": [{"transition": {"style": "fdae"}}]}`, false},
	} {
		if err := held(t, closed, []byte(row.movie)); (err == nil) != row.good {
			t.Errorf("%s: %v", row.movie, err)
		}
		if err := held(t, open, []byte(row.movie)); err != nil {
			t.Errorf("OpenAPI refuses %s: %v", row.movie, err)
		}
	}
}

// TestOpenSchemas_defaults: generators take a property with a default for one that is always there, and clients would have to write all of them.
// The default is told in words.
func TestOpenSchemas_defaults(t *testing.T) {
	t.Parallel()
	told := 0
	for name, raw := range document.OpenSchemas() {
		if bytes.Contains(raw, []byte(`"default":`)) {
			t.Errorf("%s has a default", name)
		}
		told += bytes.Count(raw, []byte(" Default: "))
	}
	if told < 50 {
		t.Errorf("%d defaults are told", told)
	}
}
