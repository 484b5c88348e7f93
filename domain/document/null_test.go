package document_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/document"
)

// Properties that some clients send as null when they have nothing to say: those of the movie, of a scene and of an element.
var (
	ofMovie = []string{
		"resolution", "width", "height", "quality", "fps", "cache", "draft", "id", "comment", "client-data", "client_data", "variables", "template",
		"templateId", "project", "exports", "preload", "thumbnail", "settings", "background-color", "condition", "elements", "scenes",
	}
	ofScene = []string{
		"duration", "background-color", "transition", "cache", "comment", "condition", "id", "variables", "iterate", "iterate-as", "iterate-from", "iterate-to",
		"iterate-step", "iterate_as", "import", "elements",
	}
	ofElement = []string{
		"id", "start", "duration", "extra-time", "fade-in", "fade-out", "z-index", "cache", "condition", "variables", "comment", "save-to-media", "position", "x", "y",
		"width", "height", "scale", "resize", "crop", "rotate", "zoom", "pan", "pan-distance", "pan-crop", "flip-horizontal", "flip-vertical", "mask", "chroma-key",
		"correction", "volume", "muted", "seek", "loop", "src", "prompt", "model", "aspect-ratio", "connection", "model-settings", "style", "settings", "html",
		"tailwindcss", "wait", "dpi", "capture", "component", "voice", "text", "captions", "language", "color", "opacity", "amplitude", "iterate", "template",
	}
)

// withNulls gives an object null for every property that it does not have, and so on for the scenes and elements in it.
func withNulls(t *testing.T, props map[string]any, names []string) {
	t.Helper()
	for _, name := range names {
		if _, has := props[name]; !has {
			props[name] = nil
		}
	}
	for list, inner := range map[string][]string{"scenes": ofScene, "elements": ofElement} {
		items, _ := props[list].([]any)
		for _, item := range items {
			withNulls(t, item.(map[string]any), inner)
		}
	}
}

// A property that is null is one that is not there. Decision 23; C#, Java and n8n send what is empty like that.
func TestParse_Null(t *testing.T) {
	t.Parallel()
	for i, raw := range []string{
		`{"scenes":[{}]}`, `{"scenes":[]}`, `{"elements":[{"type":"text","text":"a"}]}`,
		`{"scenes":[{"duration":2,"elements":[{"type":"video","src":"http://h/v.mp4"},{"type":"image","src":"http://h/i.png","crop":{"width":2,"height":2}}]}]}`,
		`{"scenes":[{"id":"a","elements":[{"type":"text","text":"a"}]},{"import":"a"},{"import":"a","elements":[{"type":"text","text":"{{n}}"}]}],"variables":{"n":null}}`,
		`{"scenes":[{"iterate":2,"elements":[{"type":"voice","text":"{{index}}"}]}],"elements":[{"type":"audio","src":"http://h/a.mp3"},{"type":"subtitles"}]}`,
		`{"scenes":[{"elements":[{"type":"component","component":"basic/000"},{"type":"audiogram"},{"type":"html","html":"x"},{"type":"image","prompt":"p"}]}]}`,
	} {
		var tree map[string]any
		if err := json.Unmarshal([]byte(raw), &tree); err != nil {
			t.Fatal(err)
		}
		withNulls(t, tree, ofMovie)
		nulls, err := json.Marshal(tree)
		if err != nil {
			t.Fatal(err)
		}
		want, got := mustParse(t, raw), mustParse(t, string(nulls))
		for _, m := range []*document.Movie{want, got} {
			if err := document.Validate(m); err != nil {
				t.Errorf("movie %d: %v", i, err)
			}
		}
		// What is not exported is how the movie was written.
		if diff := cmp.Diff(fmt.Sprintf("%+v", shownOf(want)), fmt.Sprintf("%+v", shownOf(got))); diff != "" {
			t.Errorf("movie %d (-without +with):\n%s", i, diff)
		}
	}
}

// shownOf is what a movie shows, as JSON.
func shownOf(m *document.Movie) string {
	raw, err := json.Marshal(m)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}
