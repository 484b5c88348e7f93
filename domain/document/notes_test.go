package document_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"moviola/domain/document"
)

// Every note says where in its element it is, whatever spelling was used there, and which element of the document that was made of.
func TestNotes(t *testing.T) {
	t.Parallel()
	tests := []struct{ movie, want string }{
		{`{"elements":[{"type":"text"}]}`, `Movie Element #1 /text property_missing true`},
		{`{"elements":[{"type":"text","text":"x","fade_in":-1}]}`, `Movie Element #1 /fade_in value_range true`},
		{`{"elements":[{"type":"text","text":"x","chroma-key":{"color":"#nothing"}}]}`, `Movie Element #1 /chroma-key/color value_type true`},
		{`{"elements":[{"type":"text","text":"x","rotate":{"angle":"left"}}]}`, `Movie Element #1 /rotate/angle value_type true`},
		{`{"scenes":[{"transition":{"style":"x"},"elements":[]}]}`, `Scene #1 /transition/style value_unknown false`},
		{`{"thumbnail":{"time":"x"},"elements":[]}`, `Movie /thumbnail/time value_type true`},
		{`{"background-color":"transparent","exports":[{"format":"webm"}],"scenes":[{},{"background-color":"red"},{"background-color":"transparent"}]}`,
			`Scene #1 /background-color property_idle false`},
		{`{"background-color":"transparent","exports":[{"format":"gif"}],"scenes":[{}]}`, ``},
		{`{"background_color":"transparent","exports":[{"format":"webm"}],"scenes":[{"background_color":"red"}]}`, ``},
		{`{"background-color":"transparent","exports":[{"format":"webm"}],"scenes":[{"background-color":null}]}`,
			`Scene #1 /background-color property_idle false`},
		{`{"exports":[{"format":"webm"}],"scenes":[{}]}`, ``},
		{`{"width":101,"elements":[]}`, `Movie /width value_adjusted false`},
		{`{"elements":[{"type":"text","text":"x","settings":{"opacity":"much"}}]}`, `Movie Element #1 /settings/opacity value_type false`},
		{`{"elements":[{"type":"text","text":"{{ 1 + }}"}]}`, `Movie Element #1 /text expression_invalid true of 0`},
		{`{"elements":[{"type":"text","text":"a"},{"type":"text","text":"a","settings":{"a":["x{{none}}"]}}]}`,
			`Movie Element #2 /settings/a/0 variable_undefined false of 1`},
		{`{"variables":{"a":"{{none}}"},"elements":[{"type":"text","text":"{{a}}"}]}`, `Movie /variables/a variable_undefined false`},
		{`{"elements":[{"type":"text","text":"a","condition":"{{false}}"},{"type":"text","text":"a","iterate":"{{[1]}}","position":"x"}]}`,
			`Movie Element #1 /position value_unknown false of 1`},
	}
	for _, tt := range tests {
		m, err := document.Parse([]byte(tt.movie))
		if err != nil {
			t.Fatal(err)
		}
		tree, _ := document.Tree([]byte(tt.movie))
		var notes []string
		for _, n := range m.Notes() {
			note := fmt.Sprint(n.Ref, " ", n.Path, " ", n.Code, " ", n.Fatal)
			elements, _ := tree["elements"].([]any)
			for i, e := range elements {
				if n.From != nil && reflect.DeepEqual(n.From, e) {
					note += fmt.Sprint(" of ", i)
				}
			}
			notes = append(notes, note)
		}
		if got := strings.Join(notes, "; "); got != tt.want {
			t.Errorf("%s:\n%s, want\n%s", tt.movie, got, tt.want)
		}
	}
}

// TestValidate_AfterManyNotes: warnings beyond the number that is kept do not hide a mistake.
func TestValidate_AfterManyNotes(t *testing.T) {
	t.Parallel()
	elements := strings.Repeat(`{"type":"text","text":"x","position":"nowhere"},`, 2100) + `{"type":"image"},{"type":"video"}`
	for _, variables := range []string{``, `"variables":{"a":"{{1}}"},`} {
		m, err := document.Parse([]byte(`{` + variables + `"elements":[` + elements + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		requireError(t, document.Validate(m), "element_invalid", "Movie Element #2101: The element type 'image' requires a 'src' property.")
		if n := len(m.Notes()); n > 2001 {
			t.Errorf("%d notes are kept", n)
		}
	}
}
