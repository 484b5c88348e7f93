package document_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"moviola/domain/document"
	_ "moviola/tests/property"
)

var errNoBody = errors.New("there is no such template")

// bodies loads templates from a map.
func bodies(of map[string]string) func(id, by string) ([]byte, error) {
	return func(id, _ string) ([]byte, error) {
		if body, ok := of[id]; ok {
			return []byte(body), nil
		}
		return nil, errNoBody
	}
}

// TestFill lays documents over the templates that they refer to. Movie-schema §1, template; decision 41.
func TestFill(t *testing.T) {
	t.Parallel()
	of := bodies(map[string]string{
		"base":   `{"fps":30,"width":640,"variables":{"a":{"x":1,"y":2},"l":[1,2]},"scenes":[{"id":"of base"}],"elements":[{"id":"e"}],"client-data":{"k":1}}`,
		"middle": `{"template":"base","fps":24,"variables":{"a":{"y":3}},"scenes":[{"id":"not shown"}]}`,
	})
	tests := []struct{ name, given, want string }{
		{"no reference", `{"scenes":[ ]}`, `{"scenes":[ ]}`},
		{"alone", `{"template":"base"}`, `{"client-data":{"k":1},"elements":[{"id":"e"}],"fps":30,"scenes":[{"id":"of base"}],"variables":{"a":{"x":1,"y":2},"l":[1,2]},"width":640}`},
		{"variables key by key, lists whole", `{"template":"base","variables":{"a":{"z":9},"l":[7]}}`,
			`{"client-data":{"k":1},"elements":[{"id":"e"}],"fps":30,"scenes":[{"id":"of base"}],"variables":{"a":{"x":1,"y":2,"z":9},"l":[7]},"width":640}`},
		{"properties over it, scenes and elements not", `{"template":"base","fps":null,"width":"100","scenes":[],"elements":[1],"client-data":{"m":2},"exports":[{}]}`,
			`{"client-data":{"k":1,"m":2},"elements":[{"id":"e"}],"exports":[{}],"fps":null,"scenes":[{"id":"of base"}],"variables":{"a":{"x":1,"y":2},"l":[1,2]},"width":"100"}`},
		{"a chain", `{"template":"middle","variables":{"l":null}}`,
			`{"client-data":{"k":1},"elements":[{"id":"e"}],"fps":24,"scenes":[{"id":"of base"}],"variables":{"a":{"x":1,"y":3},"l":null},"width":640}`},
		{"the other spelling", `{"templateId":"middle","fps":1}`,
			`{"client-data":{"k":1},"elements":[{"id":"e"}],"fps":1,"scenes":[{"id":"of base"}],"variables":{"a":{"x":1,"y":3},"l":[1,2]},"width":640}`},
	}
	for _, tt := range tests {
		got, err := document.Fill([]byte(tt.given), of)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if diff := cmp.Diff(tt.want, string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	if _, err := document.Fill([]byte(`{"template":"nope"}`), of); !errors.Is(err, errNoBody) {
		t.Errorf("error %v of a template that is not there", err)
	}
}

// TestFill_elements shows a template by an element of the deprecated type: its elements stand in the place of that element, later, with
// variables and a condition of their own.
func TestFill_elements(t *testing.T) {
	t.Parallel()
	const id, inner = "Abcd1234Efgh5678Ijkl", "Bbcd1234Efgh5678Ijkl"
	of := bodies(map[string]string{
		id: `{"variables":{"a":1,"b":2},"elements":[{"x":"over all","start":1}],"scenes":[{"duration":3,"elements":[{"x":"{{a}}"}]},
			{"variables":{"b":5},"elements":[{"x":"{{b}}","start":"{{n}}","condition":"{{b}}"},{"type":"template","template":"` + inner + `"}]}]}`,
		inner:                  `{"template":"base"}`,
		"base":                 `{"scenes":[{"elements":[{"x":"innermost"}]}]}`,
		"Cbcd1234Efgh5678Ijkl": `{"elements":[{"type":"template","template":"Cbcd1234Efgh5678Ijkl"}]}`,
	})
	given := `{"scenes":[{"elements":[{"x":0},{"type":"Template","template":"` + id + `","settings":{"a":9},"start":2,"condition":"{{go}}"}]}]}`
	got, err := document.Fill([]byte(given), of)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"scenes":[{"elements":[{"x":0},` +
		`{"__template":"Abcd1234Efgh5678Ijkl /elements/0","condition":"{{go}}","start":3,"variables":{"a":9,"b":2},"x":"over all"},` +
		`{"__template":"Abcd1234Efgh5678Ijkl /scenes/0/elements/0","condition":"{{go}}","start":2,"variables":{"a":9,"b":2},"x":"{{a}}"},` +
		`{"__template":"Abcd1234Efgh5678Ijkl /scenes/1/elements/0","condition":"{{ (go) and (b) }}","start":"{{ (n) + 5 }}","variables":{"a":9,"b":5},"x":"{{b}}"},` +
		`{"__template":"base /scenes/0/elements/0","condition":"{{go}}","start":5,"variables":{"a":9,"b":5},"x":"innermost"}]}]}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	_, err = document.Fill([]byte(`{"elements":[{"type":"template","template":"Cbcd1234Efgh5678Ijkl"}]}`), of)
	requireError(t, err, "template_chain_too_long", "More than 10 templates refer to one another")
	component := `{"elements":[{"type":"template","template":"basic/001"}]}`
	if got, err := document.Fill([]byte(component), of); err != nil || string(got) != component {
		t.Errorf("a component became %s, %v", got, err)
	}
	m := mustParse(t, want)
	if len(m.Warnings) == 0 {
		t.Error("nobody is warned")
	}
}

// value draws JSON.
func value(t *rapid.T, depth int) any {
	switch kind := rapid.IntRange(0, 5).Draw(t, "kind"); {
	case kind == 0:
		return nil
	case kind == 1:
		return rapid.StringN(0, 3, -1).Draw(t, "text")
	case kind == 2 || depth == 0:
		return json.Number(rapid.SampledFrom([]string{"0", "1", "2.50"}).Draw(t, "number"))
	case kind == 3:
		return []any{value(t, depth-1)}
	}
	return tree(t, depth-1)
}

func tree(t *rapid.T, depth int) map[string]any {
	out := map[string]any{}
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "__proto__"}), 0, 4, rapid.ID).Draw(t, "names") {
		out[name] = value(t, depth)
	}
	return out
}

// TestMerge_laws: merging with nothing, or with itself, changes nothing; what is laid over wins; three merge the same in either
// order of steps as long as objects stay objects; nothing that is given is changed.
func TestMerge_laws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := tree(t, 3), tree(t, 3)
		copied, err := json.Marshal([]any{a, b})
		if err != nil {
			t.Fatal(err)
		}
		none := map[string]any{}
		for name, pair := range map[string][2]map[string]any{
			"nothing over a":    {a, document.Merge(a, none)},
			"a over nothing":    {a, document.Merge(none, a)},
			"a over itself":     {a, document.Merge(a, a)},
			"b once and twice":  {document.Merge(a, b), document.Merge(document.Merge(a, b), b)},
			"b over a, kept":    {b, document.Merge(document.Merge(a, b), b)},
			"a, then b, then a": {document.Merge(document.Merge(a, b), a), document.Merge(document.Merge(document.Merge(a, b), a), a)},
		} {
			if name == "b over a, kept" {
				for key, value := range b { // every scalar and list of b is there
					if _, isObject := value.(map[string]any); !isObject && !cmp.Equal(value, pair[1][key]) {
						t.Fatalf("%s is %v, want %v", key, pair[1][key], value)
					}
				}
				continue
			}
			if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
				t.Fatalf("%s:\n%s", name, diff)
			}
		}
		if after, err := json.Marshal([]any{a, b}); err != nil || string(after) != string(copied) {
			t.Fatalf("%s was changed to %s", copied, after)
		}
	})
}

// TestFill_elementsAt moves the elements of a template to the start of the element that shows it, however that is written.
func TestFill_elementsAt(t *testing.T) {
	t.Parallel()
	const id = "Abcd1234Efgh5678Ijkl"
	of := bodies(map[string]string{id: `{"elements":[{"start":1},{"start":-1},{}],"scenes":[{"elements":[{"start":"{{n}}"}]},{"elements":[{},{"start":" "}]}]}`})
	for start, want := range map[string][]string{
		`2`:             {`3`, `-1`, `2`, `"{{ (n) + 2 }}"`, `7`, `7`},
		`"2"`:           {`3`, `-1`, `2`, `"{{ (n) + 2 }}"`, `7`, `7`},
		`-1`:            {`1`, `-1`, ``, `"{{n}}"`, `5`, `5`},
		`"{{ s * 2 }}"`: {`"{{ ( s * 2 ) + 1 }}"`, `-1`, `"{{ ( s * 2 ) + 0 }}"`, `"{{ (n) + ( s * 2 ) + 0 }}"`, `"{{ ( s * 2 ) + 5 }}"`, `"{{ ( s * 2 ) + 5 }}"`},
		`"soon"`:        {`1`, `-1`, ``, `"{{n}}"`, `5`, `5`},
	} {
		got, err := document.Fill([]byte(`{"elements":[{"type":"template","template":"`+id+`","start":`+start+`}]}`), of)
		if err != nil {
			t.Fatal(err)
		}
		var movie struct {
			Elements []struct{ Start json.RawMessage }
		}
		if err := json.Unmarshal(got, &movie); err != nil {
			t.Fatal(err)
		}
		var starts []string
		for _, e := range movie.Elements {
			starts = append(starts, string(e.Start))
		}
		if diff := cmp.Diff(want, starts); diff != "" {
			t.Errorf("%s (-want +got):\n%s", start, diff)
		}
	}
}

// TestFill_elementsBound: what the elements of a template get from the element that shows it is bounded, all copies together.
func TestFill_elementsBound(t *testing.T) {
	t.Parallel()
	const id = "Abcd1234Efgh5678Ijkl"
	of := bodies(map[string]string{id: `{"elements":[{}` + strings.Repeat(",{}", 299) + `]}`})
	long := strings.Repeat("x", 100_000)
	for _, given := range []string{
		`"variables":{"a":{"b":["` + long + `"]}}`, `"settings":{"` + long + `":1}`, `"condition":"` + long + `"`, `"start":"{{` + long + `}}"`,
	} {
		_, err := document.Fill([]byte(`{"elements":[{"type":"template","template":"`+id+`",`+given+`}]}`), of)
		requireError(t, err, "movie_expansion_too_large", "The movie is too large once its templates are filled in: their elements get more "+
			"than 16777216 bytes of variables, conditions and times")
	}
}
