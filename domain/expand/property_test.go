package expand_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"moviola/domain/expand"
	_ "moviola/tests/property"
)

// texts that movies are made of: plain ones, expressions of all kinds, and mistakes.
var pieces = []string{
	"x", "", "{{a}}", "a {{b}} c", "{{ n * 2 }}", "{{list}}", "{{obj.k}}", "{{missing}}", "{{ 1 + }}", "{{item}}", "{{index}}", "{{e1_end}}",
	"{{n > 1 ? 'yes' : 'no'}}", "{{range(n)}}", "{{ upper(a) }}", "open {{", "{{c}}",
}

// drawn is a movie with variables, conditions and iterations.
func drawn(t *rapid.T) map[string]any {
	piece := rapid.SampledFrom(pieces)
	thing := rapid.Custom(func(t *rapid.T) map[string]any {
		props := map[string]any{"type": "text", "text": piece.Draw(t, "text"), "settings": map[string]any{"color": piece.Draw(t, "color")}}
		if rapid.Bool().Draw(t, "conditional") {
			props["condition"] = piece.Draw(t, "condition")
		}
		if rapid.Bool().Draw(t, "iterates") {
			props["iterate"] = rapid.SampledFrom([]string{"list", "obj.list", "{{range(3)}}", "2", "missing", "a"}).Draw(t, "iterate")
		}
		if rapid.Bool().Draw(t, "named") {
			props["id"] = "e1"
		}
		if rapid.Bool().Draw(t, "declares") {
			props["variables"] = map[string]any{"a": piece.Draw(t, "a"), "own": piece.Draw(t, "own")}
		}
		return props
	})
	list := func(name string) []any {
		var items []any
		for _, props := range rapid.SliceOfN(thing, 0, 4).Draw(t, name) {
			items = append(items, props)
		}
		return items
	}
	scenes := list("scenes")
	for _, scene := range scenes {
		scene.(map[string]any)["elements"] = list("elements")
	}
	return map[string]any{
		"variables": map[string]any{
			"a": "A", "b": piece.Draw(t, "b"), "c": "{{b}}{{a}}", "n": json.Number("3"), "list": []any{"u", "{{a}}", json.Number("7")},
			"obj": map[string]any{"k": "K", "list": []any{map[string]any{"k": "v"}}},
		},
		"scenes": scenes, "elements": list("movie elements"),
	}
}

// TestExpand_idempotent: what was expanded holds nothing to expand any more, and expanding it again changes nothing. A brace that is left
// open is text.
func TestExpand_idempotent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		movie := drawn(t)
		first, err := expand.Expand(movie, expand.Known{Times: &expand.Times{}}, expand.NewBudget())
		if err != nil {
			t.Fatal(err)
		}
		again, err := expand.Expand(first.Tree, expand.Known{Times: &expand.Times{}}, expand.NewBudget())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(first.Tree, again.Tree); diff != "" || len(again.Problems)+len(again.Warnings)+len(again.Asked) > 0 {
			t.Fatalf("%v, %v (-once +twice):\n%s", again.Problems, again.Warnings, diff)
		}
		raw, err := json.Marshal(first.Tree)
		if err != nil {
			t.Fatal(err)
		}
		for _, left := range []string{`"condition"`, `"iterate"`, `"variables"`, "{{a"} {
			if strings.Contains(string(raw), left) {
				t.Fatalf("%s is left in %s", left, raw)
			}
		}
	})
}

// FuzzExpand: whatever the movie is, it is expanded or refused, it is not changed, and what comes of it can be written as JSON.
func FuzzExpand(f *testing.F) {
	for _, seed := range []string{
		`{"variables":{"a":"{{b}}","b":[1,{"c":"{{a}}"}]},"elements":[{"iterate":"b","iterate-from":-1,"text":"{{a}}{{item.c}}"}]}`,
		`{"scenes":[{"id":"s","iterate":3,"condition":"{{index > 1}}","elements":[{"text":"{{x_end}}"}]},{"import":"s"}]}`,
		`{"width":"{{ max(1, 2) }}","scenes":"{{x}}","elements":[null,5,{"settings":{"a":["{{z}}"]}}]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		dec := json.NewDecoder(strings.NewReader(text))
		dec.UseNumber()
		var movie map[string]any
		if len(text) > 1<<14 || dec.Decode(&movie) != nil || movie == nil {
			return
		}
		before, err := json.Marshal(movie)
		if err != nil {
			return
		}
		result, err := expand.Expand(movie, expand.Known{}, expand.NewBudget())
		if err == nil {
			if _, err := json.Marshal(result.Tree); err != nil {
				t.Errorf("%s: %v", text, err)
			}
		}
		after, err := json.Marshal(movie)
		if err != nil || string(after) != string(before) {
			t.Errorf("%s was changed to %s", before, after)
		}
	})
}
