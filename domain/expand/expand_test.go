package expand_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/expand"
	"moviola/domain/expr"
)

// tree reads JSON as the movies are read.
func tree(t testing.TB, text string) map[string]any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	dec.UseNumber()
	var out map[string]any
	if err := dec.Decode(&out); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return out
}

func compact(t testing.TB, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestExpand has a row for every rule of docs/templates.md.
func TestExpand(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, movie, want string }{
		{"movie variables", `{"width":"{{w}}","variables":{"w":640},"elements":[{"text":"{{w}} px"}]}`, `{"width":640,"elements":[{"text":"640 px"}]}`},
		{"a whole text keeps its type", `{"variables":{"b":true,"s":"5","l":[1],"z":null},"elements":[{"a":"{{b}}","c":"{{s}}","d":" {{l}} ","e":"{{z}}"}]}`,
			`{"elements":[{"a":true,"c":"5","d":[1],"e":""}]}`},
		{"the nearest scope wins", `{"variables":{"a":"movie","b":"movie"},"scenes":[{"variables":{"a":"scene"},"elements":[
			{"text":"{{a}}","variables":{"a":"element"}},{"text":"{{a}} {{b}}"}]}],"elements":[{"text":"{{a}}"}]}`,
			`{"scenes":[{"elements":[{"text":"element"},{"text":"scene movie"}]}],"elements":[{"text":"movie"}]}`},
		{"variables of variables", `{"variables":{"a":"{{b}}!","b":"{{c.d}}","c":{"d":"x"}},"elements":[{"text":"{{a}}"}]}`, `{"elements":[{"text":"x!"}]}`},
		{"a variable that extends the one it hides", `{"variables":{"a":"x"},"elements":[{"variables":{"a":"{{a}}y"},"text":"{{a}}"}]}`, `{"elements":[{"text":"xy"}]}`},
		{"lists and objects of variables", `{"variables":{"n":"Ann","people":[{"name":"{{n}}"}]},"elements":[{"text":"{{people[0].name}}"}]}`, `{"elements":[{"text":"Ann"}]}`},
		{"expressions at any depth", `{"variables":{"c":"red"},"elements":[{"settings":{"a":{"color":"{{c}}"},"b":["{{c}}",1]}}]}`,
			`{"elements":[{"settings":{"a":{"color":"red"},"b":["red",1]}}]}`},
		{"what clients send for themselves stays", `{"variables":{"a":1},"id":"{{a}}","client-data":{"x":"{{a}}"},"elements":[{"id":"{{a}}"}]}`,
			`{"id":"{{a}}","client-data":{"x":"{{a}}"},"elements":[{"id":1}]}`},
		{"exports are filled in", `{"variables":{"a":"x"},"exports":[{"destinations":[{"endpoint":"https://{{a}}/"}]}]}`, `{"exports":[{"destinations":[{"endpoint":"https://x/"}]}]}`},
		{"metadata describes variables and is none", `{"variables":{"a":"1","@a":"1=One","?a":"help"},"elements":[{"text":"{{a}}"}]}`, `{"elements":[{"text":"1"}]}`},
		{"a known name is a name, whatever its characters are", `{"variables":{"my-clip":"x","my":5,"clip":2,"2 + 2":"y","a-b":"{{a-b}}","a":3,"b":1},"elements":[
			{"a":"{{my-clip}}","b":"{{ my - clip }}","c":"{{my-clip}} {{2 + 2}} {{2+2}}","d":"{{a-b}}"}]}`, `{"elements":[{"a":"x","b":3,"c":"x y 4","d":2}]}`},
		{"comments go", `{"elements":[{"comment":"{{","text":"x"}]}`, `{"elements":[{"text":"x"}]}`},

		{"conditions", `{"variables":{"y":1},"scenes":[{"condition":"{{y == 1}}","a":1},{"condition":"{{y == 2}}","a":2}],"elements":[
			{"condition":true,"a":1},{"condition":false,"a":2},{"condition":"","a":3},{"condition":"false","a":4},{"condition":"{{u}}","a":5},{"condition":"y == 1","a":6},
			{"condition":"y == 2","a":7},{"condition":"undefined_name","a":8},{"condition":"shown to all!","a":9},{"condition":null,"a":10},{"condition":0,"a":11}]}`,
			`{"scenes":[{"a":1}],"elements":[{"a":1},{"a":6},{"a":9},{"a":10}]}`},

		{"iterate over a list of objects", `{"variables":{"s":[{"t":"a"},{"t":"b"}]},"scenes":[{"iterate":"s","elements":[{"text":"{{t}}{{item.t}}{{index}}"}]}]}`,
			`{"scenes":[{"elements":[{"text":"aa1"}]},{"elements":[{"text":"bb2"}]}]}`},
		{"a named item and its counters", `{"variables":{"s":["a","b"]},"elements":[{"iterate":"s","iterate-as":"x","text":"{{x}} {{x_index}}/{{x_count}} {{x_first}} {{x_last}} {{count}}"}]}`,
			`{"elements":[{"text":"a 1/2 true false 2"},{"text":"b 2/2 false true 2"}]}`},
		{"variables go before counters", `{"variables":{"index":"mine"},"elements":[{"iterate":2,"text":"{{index}}"}]}`, `{"elements":[{"text":"mine"},{"text":"mine"}]}`},
		{"iterate over a path", `{"variables":{"p":{"i":["u","v"]}},"elements":[{"iterate":"p.i","src":"{{item}}"}]}`, `{"elements":[{"src":"u"},{"src":"v"}]}`},
		{"iterate over an expression", `{"elements":[{"iterate":"{{range(2, 6, 2)}}","a":"{{item}}"}]}`, `{"elements":[{"a":2},{"a":4},{"a":6}]}`},
		{"iterate over a list that is written there", `{"elements":[{"iterate":[1,"b"],"a":"{{item}}"}]}`, `{"elements":[{"a":1},{"a":"b"}]}`},
		{"iterate so many times", `{"elements":[{"iterate":"2","a":"{{item}}"}]}`, `{"elements":[{"a":1},{"a":2}]}`},
		{"nested", `{"variables":{"r":[{"n":"A","i":[1,2]},{"n":"B","i":[3]}]},"scenes":[{"iterate":"r","iterate-as":"room","elements":[
			{"iterate":"room.i","text":"{{room.n}}{{item}} {{room_index}}{{item_index}}"}]}]}`,
			`{"scenes":[{"elements":[{"text":"A1 11"},{"text":"A2 12"}]},{"elements":[{"text":"B3 21"}]}]}`},
		{"variables and conditions of an item", `{"scenes":[{"iterate":[1,2,3],"variables":{"twice":"{{item * 2}}"},"condition":"{{item != 2}}","a":"{{twice}}"}]}`,
			`{"scenes":[{"a":2},{"a":6}]}`},
		{"an empty or undefined list", `{"variables":{"e":[]},"elements":[{"iterate":"e"},{"iterate":"nope"},{"a":1}]}`, `{"elements":[{"a":1}]}`},
		{"no iteration", `{"elements":[{"iterate":"","a":1},{"iterate":null,"a":"{{2}}"}]}`, `{"elements":[{"a":1},{"a":2}]}`},
		{"from", `{"elements":[{"iterate":["a","b","c"],"iterate-from":2,"a":"{{item}}"}]}`, `{"elements":[{"a":"b"},{"a":"c"}]}`},
		{"to is left out", `{"elements":[{"iterate":["a","b","c"],"iterate-to":"3","a":"{{item}}{{item_index}}"}]}`, `{"elements":[{"a":"a1"},{"a":"b2"}]}`},
		{"from the end", `{"elements":[{"iterate":["a","b","c","d"],"iterate-from":-3,"iterate-to":-1,"a":"{{item}}"}]}`, `{"elements":[{"a":"b"},{"a":"c"}]}`},
		{"step", `{"variables":{"s":2},"elements":[{"iterate":["a","b","c","d"],"iterate_step":"{{s}}","a":"{{item}}"}]}`, `{"elements":[{"a":"a"},{"a":"c"}]}`},
		{"backwards", `{"elements":[{"iterate":["a","b","c"],"iterate-step":-1,"a":"{{item}}"}]}`, `{"elements":[{"a":"c"},{"a":"b"},{"a":"a"}]}`},
		{"far outside", `{"elements":[{"iterate":["a"],"iterate-from":-1e18,"iterate-to":1e18,"a":"{{item}}"}]}`, `{"elements":[{"a":"a"}]}`},
		{"numbers", `{"elements":[{"iterate-from":3,"iterate-to":0,"iterate-step":-1,"a":"{{item}}"}]}`, `{"elements":[{"a":3},{"a":2},{"a":1}]}`},
		{"imported scenes", `{"variables":{"n":1},"scenes":[{"id":"s","elements":[{"a":"{{n}}"}]},{"variables":{"n":2},"import":"s","elements":[{"a":0}]}]}`,
			`{"scenes":[{"elements":[{"a":1}],"id":"s"},{"elements":[{"a":0},{"a":2}]}]}`},
		{"what is no object stays", `{"scenes":[1,{"elements":"{{x}}"}],"elements":["{{a}}",{"a":"{{1}}"}]}`, `{"scenes":[1,{"elements":"{{x}}"}],"elements":["{{a}}",{"a":1}]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			given := tree(t, tt.movie)
			before := compact(t, given)
			got, err := expand.Expand(given, expand.Known{}, expand.NewBudget())
			if err != nil || len(got.Problems) > 0 {
				t.Fatalf("problems %v, error %v", got.Problems, err)
			}
			if diff := cmp.Diff(tree(t, tt.want), got.Tree); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if after := compact(t, given); after != before {
				t.Errorf("the movie was changed to %s", after)
			}
		})
	}
}

// TestExpand_problems says what cannot be computed, and where.
func TestExpand_problems(t *testing.T) {
	t.Parallel()
	tests := []struct{ movie, place, want string }{
		{`{"elements":[{"text":"a {{ 1 + }}"}]}`, "Movie Element #1", "The property 'text' cannot be computed: expected a value, found the end at character 10, in 'a {{ 1 + }}'"},
		{`{"scenes":[{"elements":[{"iterate":2,"x":1},{"start":"{{ 1/0 }}"}]}]}`, "Scene #1 Element #3", "The property 'start' cannot be computed: division by zero at character 5, in '{{ 1/0 }}'"},
		{`{"width":"{{ upper() }}"}`, "Movie", "The property 'width' cannot be computed: the function 'upper' takes 1 argument, not 0 at character 4, in '{{ upper() }}'"},
		{`{"variables":{"a":"{{b}}","b":"{{a}}"},"elements":[{"text":"{{a}}"}]}`, "Movie Element #1", "The property 'text' cannot be computed: a variable depends on itself: a → b → a"},
		{`{"variables":{"a":"{{ 1/0 }}"},"elements":[{"text":"{{a}}"}]}`, "Movie Element #1", "The property 'text' cannot be computed: the variable 'a': division by zero at character 5"},
		{`{"elements":[{"condition":"{{ 1/0 }}"}]}`, "Movie Element #1", "The property 'condition' cannot be computed: division by zero at character 5, in '{{ 1/0 }}'"},
		{`{"scenes":[{"iterate":"word","variables":{}}],"variables":{"word":"abc"}}`, "Scene #1", "The property 'iterate' needs a list, or a number up to 10000, not 'abc'"},
		{`{"scenes":[{"iterate":[1],"iterate-step":0}]}`, "Scene #1", "The property 'iterate-step' must be a number other than 0, not '0'"},
		{`{"scenes":[{"iterate":[1],"iterate-from":"x"}]}`, "Scene #1", "The property 'iterate-from' must be a number, not 'x'"},
		{`{"scenes":[{"iterate":[1],"iterate-as":"a b"}]}`, "Scene #1", "The property 'iterate-as' must be a name of letters, digits and _, not 'a b'"},
		{`{"scenes":[{"iterate-to":1e9}]}`, "Scene #1", "An iteration has at most 10000 items"},
		{`{"scenes":[{"import":"s"}]}`, "Scene #1", "The scene 's' that is imported does not exist"},
	}
	for _, tt := range tests {
		got, err := expand.Expand(tree(t, tt.movie), expand.Known{}, expand.NewBudget())
		if err != nil {
			t.Errorf("%s: %v", tt.movie, err)
			continue
		}
		if len(got.Problems) != 1 || got.Problems[0].Text != tt.want || got.Problems[0].Place.String() != tt.place {
			t.Errorf("%s: %v, want %s: %s", tt.movie, got.Problems, tt.place, tt.want)
		}
	}
}

// TestExpand_longNames: a message stays short, because it becomes a part of an event, whatever names the document has.
func TestExpand_longNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 5000)
	for _, movie := range []string{
		`{"elements":[{"` + long + `":"{{ 1/0 }}"}]}`, `{"elements":[{"text":"{{ 1/0 + '` + long[:4000] + `' }}"}]}`,
		`{"variables":{"` + long + `":"{{ 1/0 }}"},"elements":[{"text":"{{` + long[:4000] + `}}"}]}`, `{"scenes":[{"import":"` + long + `"}]}`,
		`{"scenes":[{"iterate":"'` + long[:4000] + `'"}]}`,
	} {
		got, err := expand.Expand(tree(t, movie), expand.Known{}, expand.NewBudget())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range append(got.Problems, got.Warnings...) {
			if len(p.Text) > 500 {
				t.Errorf("%.60s: %d bytes: %.100s", movie, len(p.Text), p.Text)
			}
		}
	}
}

// TestExpand_secrets: a message about exports quotes nothing, because passwords are among them.
func TestExpand_secrets(t *testing.T) {
	t.Parallel()
	for _, movie := range []string{
		`{"exports":[{"destinations":[{"password":"hush{{ 1/0 }}"}]}]}`, `{"exports":[{"destinations":[{"password":"{{ 'hush' * 2 }}"}]}]}`,
		`{"variables":{"pw":"hush"},"exports":[{"destinations":[{"password":"{{ pw * 2 }}"}]}]}`,
		`{"variables":{"pw":"{{ 'hush' * 2 }}"},"exports":[{"destinations":[{"password":"{{pw}}"}]}]}`,
	} {
		got, err := expand.Expand(tree(t, movie), expand.Known{}, expand.NewBudget())
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"The property 'exports' cannot be computed: there is a mistake in the expression at /exports/0/destinations/0/password"}
		if diff := cmp.Diff(want, texts(got.Problems)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", movie, diff)
		}
	}
}

// TestExpand_warnings: undefined is empty, and is said once. Decision 26.
func TestExpand_warnings(t *testing.T) {
	t.Parallel()
	got, err := expand.Expand(tree(t, `{"elements":[{"text":"a{{x}}b{{x}}{{y.z}}"},{"condition":"{{c}}"},{"condition":"{{1}} == 2"}]}`), expand.Known{}, expand.NewBudget())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"The condition '{{1}} == 2' is a text and always true: put all of it between the braces",
		"The variable 'c' is not defined, it is empty", "The variable 'x' is not defined, it is empty", "The variable 'y' is not defined, it is empty",
	}
	if diff := cmp.Diff(want, texts(got.Warnings)); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	if text := got.Tree["elements"].([]any)[0].(map[string]any)["text"]; text != "ab" {
		t.Errorf("text %q, want ab", text)
	}
}

// TestExpand_known takes variables from outside, and waits for those that will be known later.
func TestExpand_known(t *testing.T) {
	t.Parallel()
	movie := tree(t, `{"variables":{"own":"mine"},"scenes":[{"elements":[{"type":"image","src":"{{pic_url}}","alt":"{{own}}"},{"type":"text","text":"{{own}}"},
		{"condition":"{{pic_width > 5}}"}]}]}`)
	later := map[string]any{"pic_url": expr.Pending{}, "pic_width": expr.Pending{}, "own": "theirs"}
	got, err := expand.Expand(movie, expand.Known{Values: later}, expand.NewBudget())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tree(t, `{"scenes":[{"elements":[{"type":"image","alt":"mine"},{"type":"text","text":"mine"}]}]}`), got.Tree); diff != "" {
		t.Errorf("before (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[expand.Place]bool{{Scene: 1, Element: 1}: true, {Scene: 1}: true}, got.Open); diff != "" {
		t.Errorf("open (-want +got):\n%s", diff)
	}
	known := map[string]any{"pic_url": "http://x/", "pic_width": json.Number("4")}
	got, err = expand.Expand(movie, expand.Known{Values: known}, expand.NewBudget())
	if err != nil || len(got.Open) > 0 || len(got.Warnings) > 0 {
		t.Fatalf("open %v, warnings %q, error %v", got.Open, got.Warnings, err)
	}
	if diff := cmp.Diff(tree(t, `{"scenes":[{"elements":[{"type":"image","src":"http://x/","alt":"mine"},{"type":"text","text":"mine"}]}]}`), got.Tree); diff != "" {
		t.Errorf("after (-want +got):\n%s", diff)
	}
}

// TestExpand_knownLater waits for control properties whose values will be known later.
func TestExpand_knownLater(t *testing.T) {
	t.Parallel()
	for _, scene := range []string{
		`{"iterate-to":"{{n}}","a":1}`, `{"iterate":[1,2],"iterate-from":"{{n}}","a":1}`, `{"iterate":[1,2],"iterate-step":"{{n}}","a":1}`,
		`{"iterate":[1],"iterate-as":"{{n}}","a":"{{x.y}}"}`, `{"iterate":"{{n}}","a":1}`, `{"import":"{{n}}"}`,
	} {
		got, err := expand.Expand(tree(t, `{"scenes":[`+scene+`]}`), expand.Known{Values: map[string]any{"n": expr.Pending{}}}, expand.NewBudget())
		if err != nil || len(got.Problems)+len(got.Warnings) > 0 || !got.Open[expand.Place{Scene: 1}] {
			t.Errorf("%s: open %v, problems %v, warnings %v, error %v", scene, got.Open, got.Problems, got.Warnings, err)
		}
	}
}

// TestExpand_partOfALongList: a part of a list has all its items, however long the list is.
func TestExpand_partOfALongList(t *testing.T) {
	t.Parallel()
	list := `"variables":{"l":[0` + strings.Repeat(",0", 11_999) + `]}`
	got, err := expand.Expand(tree(t, `{`+list+`,"elements":[{"iterate":"l","iterate-to":11002,"condition":"{{item_index > 10999}}","n":"{{item_index}}"}]}`),
		expand.Known{}, expand.NewBudget())
	if err != nil || len(got.Problems) > 0 {
		t.Fatalf("problems %v, error %v", got.Problems, err)
	}
	if diff := cmp.Diff(`{"elements":[{"n":11000},{"n":11001}]}`, compact(t, got.Tree)); diff != "" {
		t.Errorf("elements (-want +got):\n%s", diff)
	}
	got, err = expand.Expand(tree(t, `{`+list+`,"elements":[{"iterate":"l","iterate-step":0.5}]}`), expand.Known{}, expand.NewBudget())
	if diff := cmp.Diff([]string{"An iteration has at most 12000 items"}, texts(got.Problems)); diff != "" || err != nil {
		t.Errorf("error %v, problems (-want +got):\n%s", err, diff)
	}
}

// requireCode checks the code of a refusal, and that its text says what was exceeded.
func requireCode(t testing.TB, err error, code, says string) {
	t.Helper()
	var refusal *domain.Error
	if !errors.As(err, &refusal) || refusal.Code != code || !strings.Contains(refusal.Message, says) {
		t.Errorf("error %v, want code %s with %q", err, code, says)
	}
}

func texts(problems []expand.Problem) []string {
	var all []string
	for _, p := range problems {
		all = append(all, p.Text)
	}
	return all
}
