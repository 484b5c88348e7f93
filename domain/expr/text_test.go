package expr_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/expr"
)

// TestTemplate evaluates texts with expressions in them.
func TestTemplate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		source string
		want   any
	}{
		{"plain", "plain"},
		{"{{n}}", json.Number("3")},
		{" {{ n }} ", json.Number("3")},
		{"{{yes}}", true},
		{"{{list}}", world["list"]},
		{"{{nothing}}", nil},
		{"{{n}}px", "3px"},
		{"{{ word }} and {{ five }}", "abc and 5"},
		{"<b>{{obj.name}}</b>", "<b>Anna</b>"},
		{"{{ 0.1 + 0.2 }}s", "0.3s"},
		{"{{ 1 / 3 }}s", "0.333333333333333s"},
		{"{{ 3 * 2 }}", 6.0},
		{"a {{ nothing }} b", "a  b"},
		{"list: {{ [1, 'b'] }}", `list: [1,"b"]`},
		{"obj: {{ obj.inner }}", `obj: {"k":7}`},
		{"{{ '}}' }} it", "}} it"},
		{"{{ '{{' }} it", "{{ it"},
		{"open {{ never", "open {{ never"},
		{"} } {", "} } {"},
		{"{{later}}", expr.Pending{}},
		{"a {{later}}", expr.Pending{}},
		{"{{my-clip_url}}", "https://a/b"},
		{"<img src='{{ my-clip_url }}'> {{ 1 + 1 }}", "<img src='https://a/b'> a name"},
		{"{{half-five}} {{half - five}}", "7 -4.5"},
	}
	for _, tt := range tests {
		template := expr.ParseTemplate(tt.source)
		got, undefined, err := template.Eval(world, budget())
		if err != nil || len(undefined) > 0 {
			t.Errorf("%s: undefined %q, error %v", tt.source, undefined, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.source, diff)
		}
	}
}

// TestTemplate_errors counts positions in the whole text.
func TestTemplate_errors(t *testing.T) {
	t.Parallel()
	tests := []struct{ source, want string }{
		{"é {{ 1 + }}", "expected a value, found the end at character 10"},
		{"{{}}", "expected a value, found the end at character 3"},
		{"{{ n }} {{ it's }}", "the text that begins here has no closing quote at character 14"},
		{"{{ n }} {{ 1 / 0 }}", "division by zero at character 14"},
	}
	for _, tt := range tests {
		_, _, err := expr.ParseTemplate(tt.source).Eval(world, budget())
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v, want %s", tt.source, err, tt.want)
		}
	}
}

// Quotes without an end, in many expressions of a long text, are not searched through all of it each time.
func TestTemplate_manyOpenQuotes(t *testing.T) {
	t.Parallel()
	text := strings.Repeat(`{{'\'}}`, 20_000) + strings.Repeat("x", 1_900_000)
	done := make(chan int, 1)
	go func() { done <- expr.ParseTemplate(text).Expressions() }()
	select {
	case n := <-done:
		if n != 20_000 {
			t.Errorf("%d expressions", n)
		}
	case <-time.After(time.Minute): // it takes a second, and took several minutes
		t.Error("the text takes too long to parse")
	}
}

func TestTemplate_expressions(t *testing.T) {
	t.Parallel()
	if template := expr.ParseTemplate("a {{n}} b {{n}}"); template.Expressions() != 2 {
		t.Errorf("%d expressions", template.Expressions())
	}
}

// TestBudget ends what costs too much, and says what it was.
func TestBudget(t *testing.T) {
	t.Parallel()
	long := names{"s": strings.Repeat("x", 100_000), "list": make([]any, 100_000)}
	tests := []struct{ name, source, want string }{
		{"text", "{{ s + s + s + s + s + s + s + s + s + s + s + s }}", "the expressions make too much text"},
		{"replacing", "{{ replace(s, 'x', 'xxxxxxxxxxxxxxxx') }}", "the expressions make too much text"},
		{"lists in texts", "a {{ list }} {{ list }} {{ list }}", "the expressions make too much text"},
		{"looking", strings.Repeat("{{ s == s }}", 200), "the expressions take too long to compute"},
		{"ranges", strings.Repeat("{{ length(range(10000)) }}", 200), "the expressions take too long to compute"},
		{"lists", strings.Repeat("{{ contains(list, 1) }}", 20), "the expressions take too long to compute"},
	}
	for _, tt := range tests {
		_, _, err := expr.ParseTemplate(tt.source).Eval(long, budget())
		if !errors.Is(err, expr.ErrBudget) || err.Error() != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
}

// TestText writes values into texts.
func TestText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		value any
		want  string
	}{
		{nil, ""}, {true, "true"}, {"a", "a"}, {json.Number("1.50"), "1.50"}, {1.5, "1.5"}, {math.Copysign(0, -1), "0"}, {1e21, "1e+21"}, {100000000.0, "100000000"},
		{0.1 + 0.2, "0.3"}, {[]any{json.Number("0.3"), nil}, "[0.3,null]"}, {expr.Pending{}, ""},
	}
	for _, tt := range tests {
		if got := expr.Text(tt.value); got != tt.want {
			t.Errorf("%v is %q, want %q", tt.value, got, tt.want)
		}
	}
}

// TestTruth. Decision 23: every value may be written as a text.
func TestTruth(t *testing.T) {
	t.Parallel()
	for _, v := range []any{true, 1.0, json.Number("2"), "a", "true", []any{nil}, map[string]any{"a": nil}, "0.0"} {
		if !expr.Truth(v) {
			t.Errorf("%v is false", v)
		}
	}
	for _, v := range []any{nil, false, 0.0, json.Number("0.0"), "", " ", "False", "0", []any{}, map[string]any{}, expr.Pending{}} {
		if expr.Truth(v) {
			t.Errorf("%v is true", v)
		}
	}
}

// TestText_json: lists and objects stand in a text as json.Marshal writes them.
func TestText_json(t *testing.T) {
	t.Parallel()
	for _, value := range []any{
		[]any{}, map[string]any{}, []any{nil, true, json.Number("1.50"), "a"},
		map[string]any{"b": []any{"<&>", "\"\\", "\n\t\x01", "ü", "\u2028", "a\xff"}, "a": map[string]any{"ü<": json.Number("1e9")}, "": ""},
	} {
		want, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), expr.Text(value)); diff != "" {
			t.Error(diff)
		}
	}
}

// TestTemplate_knownWithoutValue: a name that is known and has no value is undefined, also if it is no expression.
func TestTemplate_knownWithoutValue(t *testing.T) {
	t.Parallel()
	got, undefined, err := expr.ParseTemplate("{{title 1_end}}").Eval(world, budget())
	if err != nil || got != nil || len(undefined) != 1 || undefined[0] != "title 1_end" {
		t.Errorf("%v, undefined %q, error %v", got, undefined, err)
	}
}

// TestTemplate_namesCost: a name between braces takes steps from the budget, as all names do.
func TestTemplate_namesCost(t *testing.T) {
	t.Parallel()
	left := &expr.Budget{Steps: 100, Bytes: 1 << 20}
	_, _, err := expr.ParseTemplate(strings.Repeat("{{half-five}}", 200)).Eval(world, left)
	if !errors.Is(err, expr.ErrBudget) {
		t.Errorf("%v, want the error of the budget", err)
	}
}
